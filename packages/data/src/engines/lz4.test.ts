import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Damage } from "./damage.js";
import { decodeLz4Frame } from "./lz4.js";

const bytes = (...values: number[]) => Uint8Array.from(values);
const word = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >>> 24) & 255];
const head = [...word(0x184d2204), 0x60, 0x40, 0x82];

function frame(blocks: readonly (readonly number[])[]): Uint8Array {
  return bytes(...head, ...blocks.flatMap((block) => [...word(block.length), ...block]), ...word(0));
}

/** A simple packer: at each place the nearest earlier repeat of four bytes or more, else a literal. */
function pack(input: readonly number[]): number[] {
  const out: number[] = [];
  let literals: number[] = [];
  const extension = (length: number) => {
    const more: number[] = [];
    for (let left = length - 15; left >= 0; left -= 255) more.push(Math.min(left, 255));
    return more;
  };
  const emit = (match: { distance: number; length: number } | null) => {
    const extra = match ? match.length - 4 : 0;
    out.push((Math.min(literals.length, 15) << 4) | Math.min(extra, 15), ...extension(literals.length), ...literals);
    if (match) out.push(match.distance & 255, match.distance >> 8, ...extension(extra));
    literals = [];
  };
  for (let at = 0; at < input.length; ) {
    let best = { distance: 0, length: 0 };
    for (let distance = 1; distance <= at && distance < 65_536; distance++) {
      let length = 0;
      while (at + length < input.length - 5 && input[at + length] === input[at + length - distance]) length++;
      if (length > best.length) best = { distance, length };
    }
    if (best.length >= 4) {
      emit(best);
      at += best.length;
    } else literals.push(input[at++]!);
  }
  emit(null);
  return out;
}

describe("LZ4 frames", () => {
  test("by hand: literals, an overlapping match, an unpacked block", () => {
    // "ab", then 8 bytes from 2 back, then "!"; and a block that is stored.
    expect(new TextDecoder().decode(decodeLz4Frame(frame([[0x24, 97, 98, 2, 0, 0x10, 33]])))).toBe("ababababab!");
    const stored = bytes(...head, ...word((0x80000000 | 3) >>> 0), 120, 121, 122, ...word(0));
    expect(new TextDecoder().decode(decodeLz4Frame(stored))).toBe("xyz");
    expect(decodeLz4Frame(frame([]))).toEqual(bytes());
  });

  test("the content's size and checksums of blocks are passed over", () => {
    const sized = bytes(
      ...word(0x184d2204),
      0x78,
      0x40,
      ...word(2),
      ...word(0),
      0,
      ...word(3),
      0x20,
      97,
      98,
      9,
      9,
      9,
      9,
      ...word(0),
    );
    expect(new TextDecoder().decode(decodeLz4Frame(sized))).toBe("ab");
  });

  test("what is packed comes back", () => {
    const run = fc.tuple(fc.nat(3), fc.nat(600)).map(([value, count]) => Array<number>(count).fill(value));
    fc.assert(
      fc.property(fc.array(fc.oneof(run, fc.array(fc.nat(255), { maxLength: 40 })), { maxLength: 6 }), (parts) => {
        const input = parts.flat();
        expect([...decodeLz4Frame(frame([pack(input)]))]).toEqual(input);
      }),
      { numRuns: 50 },
    );
  });

  test("faults are damage", () => {
    for (const broken of [
      bytes(),
      bytes(1, 2, 3, 4, 5, 6, 7, 8),
      frame([[0x20, 97]]),
      frame([[0x14, 97, 2, 0, 0]]),
      frame([[0x14, 97, 0, 0, 0]]),
      frame([[0xf0, 255]]),
      bytes(...head),
      bytes(...head, ...word(99), 1),
    ]) {
      expect(() => decodeLz4Frame(broken)).toThrow(Damage);
    }
  });
});
