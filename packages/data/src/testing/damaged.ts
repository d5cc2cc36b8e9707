/** Ways to damage a file: changed bytes, impossible numbers, and parts that are cut off, removed, doubled or moved. */
import fc from "fast-check";

type Harm = (bytes: Buffer) => Buffer;

const EXTREMES = [-1n, 0n, 1n, 0x7fff_ffffn, 0x8000_0000n, 2n ** 40n, 2n ** 53n, 2n ** 62n];

function at(share: number, length: number): number {
  return Math.min(length - 1, Math.floor(share * length));
}

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

const turned = fc.tuple(place, fc.nat(7)).map(([where, bit]): Harm => {
  return (bytes) => {
    bytes[at(where, bytes.length)]! ^= 1 << bit;
    return bytes;
  };
});

const overwritten = fc.tuple(place, fc.nat(255)).map(([where, value]): Harm => {
  return (bytes) => {
    bytes[at(where, bytes.length)] = value;
    return bytes;
  };
});

/** Writes an impossible length or offset of four or eight bytes. */
const impossible = fc.tuple(place, fc.constantFrom(...EXTREMES), fc.boolean()).map(([where, value, wide]): Harm => {
  return (bytes) => {
    const size = wide ? 8 : 4;
    const from = at(where, bytes.length - size) & ~3;
    const number = Buffer.alloc(8);
    number.writeBigInt64LE(value);
    number.copy(bytes, from, 0, size);
    return bytes;
  };
});

const cutOff = fc
  .oneof(
    place.map((where) => ({ where })),
    fc.nat(64).map((less) => ({ less })),
  )
  .map((cut): Harm => {
    return (bytes) => bytes.subarray(0, "where" in cut ? at(cut.where, bytes.length) : Math.max(0, bytes.length - cut.less));
  });

/** Removes, doubles or moves a part. */
const moved = fc
  .tuple(place, fc.nat(64), place, fc.constantFrom("out", "twice", "elsewhere"))
  .map(([where, length, other, how]): Harm => {
    return (bytes) => {
      const from = at(where, bytes.length);
      const part = bytes.subarray(from, from + length);
      const rest = Buffer.concat([bytes.subarray(0, from), bytes.subarray(how === "twice" ? from : from + length)]);
      if (how === "out") return rest;
      const to = how === "twice" ? from : at(other, rest.length + 1);
      return Buffer.concat([rest.subarray(0, to), part, rest.subarray(to)]);
    };
  });

/** One of the files, damaged in one to four ways. */
export function damagedFiles(files: Readonly<Record<string, Uint8Array>>): fc.Arbitrary<readonly [string, Buffer]> {
  const harm = fc.oneof({ weight: 3, arbitrary: turned }, overwritten, { weight: 3, arbitrary: impossible }, cutOff, moved);
  return fc
    .tuple(fc.constantFrom(...Object.keys(files)), fc.array(harm, { minLength: 1, maxLength: 4 }))
    .map(([name, harms]) => [
      name,
      harms.reduce<Buffer>((bytes, each) => (bytes.length < 16 ? bytes : each(bytes)), Buffer.from(files[name]!)),
    ]);
}

/** The file with up to `most` bytes changed between `from` and `to` (both included), and perhaps up to `removed` bytes taken out. */
export function changedFile(file: Uint8Array, from: number, to: number, most: number, removed: number): fc.Arbitrary<Buffer> {
  const change = fc.tuple(fc.nat(to - from), fc.nat(255));
  return fc
    .tuple(fc.array(change, { minLength: 1, maxLength: most }), fc.option(fc.tuple(fc.nat(file.length), fc.nat(removed))))
    .map(([changes, cut]) => {
      const broken = Buffer.from(file);
      for (const [at, value] of changes) broken[from + at] = value;
      return cut === null ? broken : Buffer.concat([broken.subarray(0, cut[0]), broken.subarray(cut[0] + cut[1])]);
    });
}
