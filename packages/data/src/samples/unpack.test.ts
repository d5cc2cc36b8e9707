import { gzipSync } from "node:zlib";
import { CoterieError } from "@coterie/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unpack } from "./get.js";
import { zip } from "./testing/raw.js";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (content: string) => new TextEncoder().encode(content);
const limit = 10_000;

describe("unpack", () => {
  const archive = zip([
    { name: "set/other.txt", content: bytes("no") },
    { name: "set/a.data", content: bytes("1,2,3\n".repeat(50)) },
    { name: "plain.txt", content: bytes("stored"), stored: true },
  ]);

  test("plain files stay, gzip is opened, zip entries are found in any folder", () => {
    expect(text(unpack(bytes("1,2\n"), "f", undefined, limit))).toBe("1,2\n");
    expect(text(unpack(gzipSync("1,2\n"), "f", undefined, limit))).toBe("1,2\n");
    expect(text(unpack(archive, "f", "a.data", limit))).toBe("1,2,3\n".repeat(50));
    expect(text(unpack(archive, "f", "plain.txt", limit))).toBe("stored");
  });

  test("an entry is found after a long comment at the end", () => {
    const commented = Buffer.concat([archive, Buffer.alloc(1000, 32)]);
    expect(text(unpack(commented, "f", "plain.txt", limit))).toBe("stored");
  });

  test("sentences: no such entry, damage, bombs, no archive", () => {
    expect(() => unpack(archive, "f.zip", "b.data", limit)).toThrow('f.zip: The archive has no file "b.data".');
    expect(() => unpack(bytes("<html>"), "f.zip", "b.data", limit)).toThrow("f.zip: This is not a complete zip archive.");
    expect(() => unpack(archive.subarray(0, archive.length - 30), "f.zip", "a.data", limit)).toThrow(
      "not a complete zip archive",
    );
    expect(() => unpack(gzipSync("x".repeat(limit + 1)), "f.gz", undefined, limit)).toThrow(
      "f.gz: Unpacked, it is larger than the limit of 10000 bytes.",
    );
    const bomb = zip([{ name: "a", content: new Uint8Array(limit + 1) }]);
    expect(() => unpack(bomb, "f.zip", "a", limit)).toThrow("Unpacked, it is larger than the limit");
    expect(() => unpack(gzipSync("abc").subarray(0, 15), "f.gz", undefined, limit)).toThrow(
      "f.gz: The packed content is damaged.",
    );
    const odd = zip([{ name: "a", content: bytes("abc") }]);
    odd.writeUInt16LE(12, odd.indexOf("PK\u0001\u0002") + 10);
    expect(() => unpack(odd, "f.zip", "a", limit)).toThrow("packed in a way that is not supported");
  });

  test("mutated archives give sentences only", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(archive.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }), (changes) => {
        const broken = Buffer.from(archive);
        for (const [at, value] of changes) broken[at] = value;
        try {
          expect(unpack(broken, "f.zip", "a.data", limit).length).toBeLessThanOrEqual(limit);
        } catch (error) {
          expect(error).toBeInstanceOf(CoterieError);
        }
      }),
      { numRuns: process.env.COTERIE_LONG === "1" ? 20_000 : 2_000 },
    );
  });
});
