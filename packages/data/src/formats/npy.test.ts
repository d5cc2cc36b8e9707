import fc from "fast-check";
import { expect, test } from "vitest";
import type { ReadOptions } from "../table/table.js";
import { bytesOf, sentenceOf } from "../testing/bytes.js";
import { contentsOf } from "../testing/tables.js";
import { readNpy, writeNpy } from "./npy.js";

const read = (bytes: Uint8Array, options: Partial<ReadOptions> = {}, size?: number) =>
  readNpy(bytesOf(bytes, size), { file: "t.npy", ...options });

/** A file with any header and any data. */
function npy(header: string, data: ArrayBufferLike | number[], version = 1): Uint8Array {
  const text = new TextEncoder().encode(`${header}\n`);
  const numbers = Array.isArray(data) ? Uint8Array.from(data) : new Uint8Array(data);
  const length = version === 1 ? [text.length & 255, text.length >> 8] : [text.length & 255, text.length >> 8, 0, 0];
  return Uint8Array.from([0x93, ...new TextEncoder().encode("NUMPY"), version, 0, ...length, ...text, ...numbers]);
}

const header = (type: string, shape: string, fortran = "False") =>
  `{'descr': '${type}', 'fortran_order': ${fortran}, 'shape': (${shape}), }`;

test("a matrix written and read again, in any pieces", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 200 }),
      async (rows, width, size) => {
        const values = Float64Array.from({ length: rows * width }, (_, i) => Math.sqrt(i + 0.5) - 2);
        const table = await read(writeNpy(values, rows, width), {}, size);
        expect(table.columns.map((column) => column.name)).toEqual(Array.from({ length: width }, (_, j) => `x${j}`));
        const back = contentsOf(table);
        for (let i = 0; i < rows; i++) for (let j = 0; j < width; j++) expect(back[`x${j}`]![i]).toBe(values[i * width + j]);
      },
    ),
    { numRuns: 50 },
  );
});

test.each([
  ["<f4", Float32Array.of(1.5, -2).buffer, [1.5, -2]],
  ["<i1", [255, 2], [-1, 2]],
  ["|i1", [255, 2], [-1, 2]],
  ["|u1", [255, 2], [255, 2]],
  ["|b1", [1, 0], [1, 0]],
  [">i2", [255, 254, 1, 0], [-2, 256]],
  ["<u2", [255, 254, 1, 0], [65279, 1]],
  [">u4", [0, 0, 1, 0, 255, 255, 255, 255], [256, 4294967295]],
  ["<i4", Int32Array.of(-7, 7).buffer, [-7, 7]],
  ["<i8", BigInt64Array.of(-7n, 2n ** 53n).buffer, [-7, 2 ** 53]],
  ["<u8", BigUint64Array.of(7n, 2n ** 63n).buffer, [7, 2 ** 63]],
  [">f8", [64, 9, 33, 251, 84, 68, 45, 24, 191, 240, 0, 0, 0, 0, 0, 0], [Math.PI, -1]],
] as const)("type %s, one dimension", async (type, data, expected) => {
  expect(contentsOf(await read(npy(header(type, "2,"), data as unknown as number[])))).toEqual({ x0: expected });
});

test("Fortran order, versions 2 and 3", async () => {
  const data = Float64Array.of(1, 2, 3, 4, 5, 6).buffer;
  for (const version of [1, 2, 3]) {
    expect(contentsOf(await read(npy(header("<f8", "3, 2", "True"), data, version)))).toEqual({ x0: [1, 2, 3], x1: [4, 5, 6] });
  }
  expect(contentsOf(await read(npy(header("<f8", "3, 2"), data)))).toEqual({ x0: [1, 3, 5], x1: [2, 4, 6] });
});

test("a column as text, a column skipped", async () => {
  const table = await read(npy(header("<f8", "3, 2"), Float64Array.of(1, 2, 3, 4, 1, 6).buffer), {
    text: ["x0"],
    skip: (name) => name === "x1",
  });
  expect(contentsOf(table)).toEqual({ x0: ["1", "3", "1"] });
});

test.each([
  [
    npy(header("<f8", "2,"), Float64Array.of(1, Number.NaN).buffer),
    't.npy: Row 1 of column "x0" is NaN, which is not a finite number. Replace it, or leave the column out (--ignore x0).',
  ],
  [
    npy(header("<f8", "1, 2"), Float64Array.of(1, -Infinity).buffer),
    't.npy: Row 0 of column "x1" is -Infinity, which is not a finite number. Replace it, or leave the column out (--ignore x1).',
  ],
  [npy(header("|O", "2,"), []), "t.npy: The array holds Python objects, not real numbers. Save the array with numpy.save."],
  [npy(header("<c16", "2,"), []), 't.npy: The array holds the type "<c16", not real numbers. Save the array with numpy.save.'],
  [
    npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }", []),
    "t.npy: The array has fields (a structured type), not plain numbers. Save the array with numpy.save.",
  ],
  [npy(header("<f8", "2, 2, 2"), []), "t.npy: The array has 3 dimensions. Save a matrix: rows × columns."],
  [npy(header("<f8", ""), []), "t.npy: The array has 0 dimensions. Save a matrix: rows × columns."],
  [
    npy(header("<f8", `${"9".repeat(400)}, 2`), [1, 2]),
    "t.npy: The header gives the array a shape that no file can hold. Save the array with numpy.save.",
  ],
  [
    npy(header("<f4", `2, ${"9".repeat(400)}`), [1, 2]),
    "t.npy: The header gives the array a shape that no file can hold. Save the array with numpy.save.",
  ],
  [npy(header("<f8", "0, 4"), []), "t.npy: The array is empty. Save an array with rows."],
  [
    npy(header("<f8", "2, 2"), [1, 2]),
    "t.npy: The file ends early: 2 × 2 numbers take 102 bytes, it has 72. Save the array again.",
  ],
  [npy("junk", []), "t.npy: The header cannot be read. Save the array with numpy.save."],
  [
    npy(header("<f8", "1,"), [], 9),
    "t.npy: The file has version 9 of the .npy format, which is not supported. Save the array with numpy.save.",
  ],
  [Uint8Array.of(1, 2, 3), "t.npy: The file is not a NumPy array. Save the array with numpy.save."],
  [npy(header("<f8", "1,"), []).slice(0, 20), "t.npy: The header is cut off. Save the array with numpy.save."],
])("bad input %#", async (bytes, sentence) => {
  expect(await sentenceOf(read(bytes))).toBe(sentence);
});
