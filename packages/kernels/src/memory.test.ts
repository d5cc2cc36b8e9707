import { CoterieError, pairKernelsOf } from "@coterie/core/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createSimdKernels } from "./index.js";
import { Allocator } from "./memory.js";

test("new blocks are zero, aligned, apart from each other, and keep what is written", () => {
  const steps = fc.array(fc.record({ bytes: fc.integer({ min: 0, max: 300_000 }), release: fc.boolean(), which: fc.nat(20) }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(steps, (list) => {
      const memory = new WebAssembly.Memory({ initial: 1, maximum: 1024 });
      const allocator = new Allocator(memory, 512, 1024 * 65_536);
      const live: { address: number; bytes: number; mark: number }[] = [];
      const bytesOf = ({ address, bytes }: { address: number; bytes: number }) => new Uint8Array(memory.buffer, address, bytes);
      list.forEach(({ bytes, release, which }, index) => {
        if (release && live.length > 0) {
          const [block] = live.splice(which % live.length, 1);
          allocator.give(block!.address, block!.bytes);
        } else {
          const block = { address: allocator.take(bytes, true), bytes, mark: 1 + (index % 255) };
          expect(block.address % 64).toBe(0);
          expect(block.address).toBeGreaterThanOrEqual(512);
          expect(bytesOf(block).every((byte) => byte === 0)).toBe(true);
          bytesOf(block).fill(block.mark);
          live.push(block);
        }
        for (const block of live) expect(bytesOf(block).every((byte) => byte === block.mark)).toBe(true);
      });
      for (const block of live) allocator.give(block.address, block.bytes);
      expect(allocator.take(1, false)).toBe(512);
    }),
    { numRuns: 40 },
  );
});

test("a released arena's memory is used again, and its blocks are dead", () => {
  const kernels = createSimdKernels({ mostBytes: 2 ** 21 });
  for (let round = 0; round < 10; round++) {
    const arena = kernels.arena();
    const block = arena.f64(200_000);
    expect(block.view()[199_999]).toBe(0);
    block.view().fill(round + 1);
    arena.release();
    arena.release();
    expect(() => block.view()).toThrow("after its arena had been released");
  }
});

test("memory that grows in the middle of a run keeps its data", () => {
  const kernels = createSimdKernels();
  const arena = kernels.arena();
  const x = arena.f64(3);
  x.view().set([1, 2, 4]);
  const before = x.view();
  const out = arena.f64(2 ** 20);
  expect(before.length).toBe(0);
  expect([...x.view()]).toEqual([1, 2, 4]);
  pairKernelsOf(kernels).distances("euclidean", x, 3, 1, null, 0, 3, out);
  expect([...out.view().subarray(0, 9)]).toEqual([0, 1, 3, 1, 0, 2, 3, 2, 0]);
  arena.release();
});

test("too much is refused with a sentence that says how much and what to do", () => {
  const kernels = createSimdKernels({ mostBytes: 2 ** 20 });
  const arena = kernels.arena();
  const kept = arena.f64(1000);
  expect(() => arena.f64(10 ** 6)).toThrow(CoterieError);
  expect(() => arena.f64(10 ** 6)).toThrow("The run needs 8.0 MB more memory, and 1.0 MB are left. Use fewer rows");
  expect(kept.view().length).toBe(1000);
  expect(arena.f64(1000).view().length).toBe(1000);
  expect(() =>
    createSimdKernels()
      .arena()
      .f64(2 ** 29),
  ).toThrow("The run needs 4295 MB more memory");
});

test("a block of another set is refused", () => {
  const one = createSimdKernels();
  const other = createSimdKernels();
  expect(() => pairKernelsOf(one).distances("euclidean", other.arena().f64(1), 1, 1, null, 0, 1, one.arena().f64(1))).toThrow(
    "another set",
  );
});

test("where memory does not suffice, single precision is a remedy only if it was not used yet", () => {
  const kernels = createSimdKernels({ mostBytes: 2 ** 21 });
  const messageOf = (take: (arena: ReturnType<typeof kernels.arena>) => void): string => {
    const arena = kernels.arena();
    try {
      take(arena);
    } catch (error) {
      return (error as Error).message;
    } finally {
      arena.release();
    }
    throw new Error("There was memory enough.");
  };
  expect(messageOf((arena) => arena.f64(10_000_000))).toContain("or single precision (f32) where distances are stored.");
  expect(messageOf((arena) => arena.f32(10_000_000))).toMatch(/Use fewer rows, or a sample of the rows\.$/);
  const both = (arena: ReturnType<typeof kernels.arena>): void => {
    arena.f32(10);
    arena.f64(10_000_000);
  };
  expect(messageOf(both)).not.toContain("f32");
});
