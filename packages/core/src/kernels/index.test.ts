import { expect, test } from "vitest";
import { CoterieError } from "../errors.js";
import { plainKernels } from "./index.js";

test("blocks are zero, of their type, and dead after release", () => {
  const arena = plainKernels.arena();
  const blocks = [arena.f64(3), arena.f32(3), arena.i32(3), arena.u8(3)];
  expect(blocks.map((block) => block.type)).toEqual(["f64", "f32", "i32", "u8"]);
  for (const block of blocks) {
    expect(block.length).toBe(3);
    expect([...block.view()]).toEqual([0, 0, 0]);
  }
  arena.release();
  for (const block of blocks) expect(() => block.view()).toThrow("after its arena had been released");
  expect(arena.f64(1).view().length).toBe(1);
});

test("too large an allocation fails with an error that names the size and a remedy", () => {
  const arena = plainKernels.arena();
  expect(() => arena.f64(2 ** 50)).toThrow(CoterieError);
  expect(() => arena.f64(2 ** 50)).toThrow("needs 9007199255 MB more memory than there is. Use fewer rows");
});
