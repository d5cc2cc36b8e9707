import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createSha256 } from "./sha256.js";

test("the standard's examples", () => {
  const digest = (text: string) => {
    const hasher = createSha256();
    hasher.update(new TextEncoder().encode(text));
    return hasher.digest();
  };
  expect(digest("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(digest("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("Node's answer, for any bytes in any pieces", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 }), (pieces) => {
      const ours = createSha256();
      const theirs = createHash("sha256");
      for (const piece of pieces) {
        ours.update(piece);
        theirs.update(piece);
      }
      expect(ours.digest()).toBe(theirs.digest("hex"));
    }),
    { numRuns: 300 },
  );
});

test.runIf(process.env.COTERIE_LONG === "1")("a length beyond 2^32 bits", { timeout: 60_000 }, () => {
  const piece = new Uint8Array(2 ** 20).fill(7);
  const ours = createSha256();
  const theirs = createHash("sha256");
  for (let i = 0; i < 513; i++) {
    ours.update(piece);
    theirs.update(piece);
  }
  expect(ours.digest()).toBe(theirs.digest("hex"));
});
