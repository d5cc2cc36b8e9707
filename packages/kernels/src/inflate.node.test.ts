import { deflateRawSync } from "node:zlib";
import { randomFrom } from "@coterie/core/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inflate } from "./create-host.js";
import { rest } from "./generated/rest.js";
import { rows } from "./generated/rows.js";

test("the modules of the kernels come out as WebAssembly, and deflated again they are the same text", () => {
  for (const { length, deflated } of [rows, rest]) {
    const bytes = inflate(Buffer.from(deflated, "base64"), length);
    expect([...bytes.subarray(0, 4)]).toEqual([0, ...Buffer.from("asm")]);
    expect(deflateRawSync(bytes, { level: 9, memLevel: 9 }).toString("base64")).toBe(deflated);
  }
});

test("whatever zlib deflates with tables of its own comes back", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2_000, max: 60_000 }), fc.nat(), fc.integer({ min: 2, max: 200 }), (length, seed, values) => {
      const random = randomFrom(seed);
      // Skewed values, with repeated pieces: short and long matches, near and far.
      const bytes = Uint8Array.from({ length }, () => random.int(1 + random.int(values)));
      for (let piece = 0; piece < 40; piece++) {
        const size = Math.min(length, 3 + random.int(400));
        const from = random.int(length - size + 1);
        bytes.copyWithin(random.int(length - size + 1), from, from + size);
      }
      const deflated = deflateRawSync(bytes, { level: 9 });
      expect(Buffer.compare(inflate(deflated, length), bytes)).toBe(0);
    }),
    { numRuns: 30 },
  );
});

test("other data are refused", () => {
  expect(() => inflate(deflateRawSync(Buffer.from("short"), { level: 9 }), 5)).toThrow("damaged");
});
