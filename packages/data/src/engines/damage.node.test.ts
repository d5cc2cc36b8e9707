/** Damaged Arrow and Parquet files are refused in our own words, soon, and without asking for gigabytes. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CoterieError } from "@coterie/core/internal";
import { DuckDBInstance } from "@duckdb/node-api";
import {
  Table as ArrowTable,
  Bool,
  CompressionType,
  compressionRegistry,
  DateDay,
  Decimal,
  Dictionary,
  Field,
  Float32,
  Float64,
  Int8,
  Int32,
  Int64,
  LargeUtf8,
  List,
  makeData,
  TimestampMillisecond,
  tableToIPC,
  Utf8,
  Utf8View,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readColumns } from "../read-table.js";
import { damagedFiles } from "../testing/damaged.js";
import { decodeLz4Frame } from "./lz4.js";

const LONG = process.env.COTERIE_LONG === "1";
let root: string;

/** All that may be said of a file, for every reason that there is; whatever an engine says is none of these. */
const WORDS = [
  /^This is neither an Arrow IPC file nor an Arrow stream\. Check the format\.$/,
  /^The Arrow file does not end as it must\. Check that it was copied completely\.$/,
  /^The Arrow data have their numbers in big-endian order\. Write them in little-endian order\.$/,
  /^The Arrow data are damaged: (an offset points beyond the data|the length of the footer is wrong|a message is longer than the data|a message is of an unexpected kind|a body is longer than the data|a buffer lies beyond its body|a column has a negative number of rows|a column has more buffers than its batch|a column has an unknown type|a table is missing|a vector is longer than its message|tables are nested too deeply|more rows than bytes can hold|a column and its batch have different lengths|a buffer is shorter than its rows|a bitmap is shorter than its rows|offsets are shorter than their rows|an offset is invalid|a dictionary is missing|a dictionary has no entry for an index|no such decimal|a list has no child|lists are shorter than their rows|a packed (buffer is no LZ4 frame|block (is longer than its buffer|ends early|refers to what is not there))|their parts do not fit together)\. Write them again, or copy them again\.$/,
  /^This is not a whole Parquet file: it must begin and end with PAR1\. Check that it was copied completely\.$/,
  /^The Parquet file is encrypted\. Write it without encryption\.$/,
  /^The Parquet file is damaged: (its footer cannot have \d+ bytes, because the file has \d+|its footer, which lists columns and pages, cannot be read|its pages cannot be decompressed( after \d+ rows)?|a text is not UTF-8( after \d+ rows)?)\. Write it again, or copy it again\.$/,
  /^The Parquet file needs more memory than is available( after \d+ rows)?\. If it is not damaged, write it with smaller row groups\.$/,
  /^The Parquet file has a compression, an encoding or a type that is not supported( after \d+ rows)?\. If it is not damaged, write it with Snappy or Zstandard, or without compression\.$/,
  // What was turned into other data is read as such.
  /^Column ".*" holds (lists|records|maps|raw bytes|spans of months and days|values of several types), which are neither numbers nor text\. Leave it out/s,
  /^Column ".*" holds (run-end encoded values|lists by views), which cannot be read here\. Write the file without/s,
  /^Column ".*" holds ".*" in row \d+ \(from 0\), which is not a finite number\. Make the cell null/s,
  /^Column ".*" holds whole numbers of 2\^53 or more, about .* in row \d+, which a double cannot tell apart\. If they are/s,
  /^Column ".*" mixes numbers and text: /s,
  /^Column ".*" holds (an empty list|a list )/s,
  /^(A column|Column \d+ of \d+) has no name\. Name every column/,
  /^Columns \d+ and \d+ are both named ".*"\. /s,
  /^The table has \d+ columns; at most 100000 can be read\./,
];

/** Reads the bytes as a file; what is refused is refused in these words. Returns them, or null. */
async function sentenceOf(name: string, bytes: Uint8Array): Promise<string | null> {
  const path = join(root, name);
  await writeFile(path, bytes);
  try {
    const table = await readColumns(path, {});
    for (const column of table.columns) {
      expect(column.kind === "numeric" ? column.values.length : column.codes.length).toBe(table.n);
    }
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(CoterieError);
    const { problem, message } = error as CoterieError;
    expect(problem.code, message).toBe("bad-input");
    expect(message.startsWith(`${path}: `), message).toBe(true);
    const said = message.slice(path.length + 2);
    expect(WORDS.filter((words) => words.test(said)).length, said).toBe(1);
    return said;
  }
}

/** The most memory that this process has ever held, in bytes; 0 if the system does not report it. */
async function peak(): Promise<number> {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  return 1024 * Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0);
}

/** A frame of one block that is not packed: the test has no compressor, and readers accept it. */
function storedFrame(bytes: Uint8Array): Uint8Array {
  const frame = Buffer.alloc(15 + bytes.length);
  frame.writeUInt32LE(0x184d2204, 0);
  frame.set([0x60, 0x70, 0], 4);
  frame.writeUInt32LE((0x8000_0000 | bytes.length) >>> 0, 7);
  frame.set(bytes, 11);
  return frame;
}

const numbers = Array.from({ length: 40 }, (_, i) => (i % 7 === 3 ? null : i * 1.25));
const words = numbers.map((_, i) => (i % 5 === 2 ? null : `word number ${i % 3}`));

function arrowTable(): ArrowTable {
  const decimal = makeData({ type: new Decimal(2, 20, 128), length: 40, data: new Uint32Array(160).fill(7) });
  const columns = {
    a: vectorFromArray(numbers, new Float64()),
    b: vectorFromArray(words, new Utf8()),
    c: vectorFromArray(words, new Dictionary(new Utf8(), new Int8())),
    d: vectorFromArray(
      numbers.map((_, i) => i % 2 === 0),
      new Bool(),
    ),
    e: vectorFromArray(
      numbers.map((_, i) => BigInt(i)),
      new Int64(),
    ),
    f: vectorFromArray(
      numbers.map((_, i) => new Date(i * 864e5)),
      new DateDay(),
    ),
    g: new Vector([decimal]),
    h: vectorFromArray(words, new LargeUtf8()),
    i: vectorFromArray(numbers, new Float32()),
    j: vectorFromArray(
      numbers.map((_, i) => i * 1e6),
      new TimestampMillisecond(),
    ),
    k: vectorFromArray(words, new Utf8View()),
    l: vectorFromArray(numbers, new Dictionary(new Float64(), new Int32())),
    m: vectorFromArray(
      numbers.map((_, i) => [i, i / 2]),
      new List(new Field("item", new Float32())),
    ),
  };
  return new ArrowTable(columns);
}

const arrowFiles: Record<string, Uint8Array> = {};
const parquetFiles: Record<string, Uint8Array> = {};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "coterie-damage-"));
  compressionRegistry.set(CompressionType.LZ4_FRAME, { encode: storedFrame, decode: decodeLz4Frame });
  const two = arrowTable().concat(arrowTable() as never);
  arrowFiles["file.arrow"] = tableToIPC(arrowTable(), "file");
  arrowFiles["stream.arrow"] = tableToIPC(arrowTable(), "stream");
  arrowFiles["batches.arrow"] = tableToIPC(two, "stream");
  arrowFiles["packed.arrow"] = tableToIPC(
    new ArrowTable({ a: vectorFromArray(numbers, new Float64()), b: vectorFromArray(words, new Utf8()) }),
    "file",
    CompressionType.LZ4_FRAME,
  );
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const query =
    "SELECT i AS a, i / 3 AS b, 't' || (i % 7) AS c, i % 2 = 0 AS d, DATE '2020-01-01' + i::INTEGER AS e, i::DECIMAL(9, 2) AS f, CASE WHEN i % 5 > 0 THEN 'word ' || i END AS g FROM range(300) t(i)";
  for (const codec of ["snappy", "zstd", "uncompressed", "gzip", "brotli", "lz4"]) {
    const path = join(root, `${codec}.parquet`);
    await connection.run(`COPY (${query}) TO '${path}' (FORMAT parquet, CODEC '${codec}', ROW_GROUP_SIZE 100)`);
    parquetFiles[`${codec}.parquet`] = await readFile(path);
  }
  connection.closeSync();
  instance.closeSync();
});
afterAll(() => rm(root, { recursive: true }));

describe("whatever happens to a file", () => {
  test("whole ones are read", async () => {
    for (const [name, bytes] of Object.entries({ ...arrowFiles, ...parquetFiles }))
      expect([name, await sentenceOf(name, bytes)]).toEqual([name, null]);
  });

  test.each([
    ["Arrow", arrowFiles, LONG ? 20_000 : 600],
    ["Parquet", parquetFiles, LONG ? 5_000 : 120],
  ] as const)("%s: our own words, and no gigabytes", { timeout: 1_800_000 }, async (_, files, numRuns) => {
    const before = await peak();
    const read = fc.asyncProperty(damagedFiles(files), async ([name, bytes]) => void (await sentenceOf(name, bytes)));
    await fc.assert(read, { numRuns });
    expect((await peak()) - before).toBeLessThan(1.5e9);
  });

  test("cut off at every byte, nothing is read but a stream between two batches", { timeout: 600_000 }, async () => {
    const streams = [arrowFiles["stream.arrow"]!, arrowFiles["batches.arrow"]!];
    const every = LONG ? 3 : 97;
    for (const [name, bytes] of Object.entries(arrowFiles)) {
      for (let length = 0; length < bytes.length; length += every) {
        const said = await sentenceOf(name, bytes.subarray(0, length));
        if (!streams.includes(bytes)) expect(said, `${name} cut to ${length} bytes`).not.toBeNull();
      }
    }
    for (const [name, bytes] of Object.entries(parquetFiles)) {
      for (let length = 0; length < bytes.length; length += 5 * every) {
        expect(await sentenceOf(name, bytes.subarray(0, length)), `${name} cut to ${length} bytes`).not.toBeNull();
      }
    }
  });
});

test("a stream without its end mark is read, with a notice", async () => {
  const stream = arrowFiles["stream.arrow"]!;
  const path = join(root, "open.arrow");
  await writeFile(path, stream.subarray(0, stream.length - 8));
  const { n, notices } = await readColumns(path, {});
  expect([n, notices.slice(0, 1)]).toEqual([
    40,
    [`${path} has no end mark, which Arrow streams need: rows can be missing at its end.`],
  ]);
  await writeFile(path, stream);
  expect((await readColumns(path, {})).notices.filter((notice) => notice.includes("end mark"))).toEqual([]);
});

test("Parquet: the wrong length of its footer, encryption, and pages of nothing", async () => {
  const good = Buffer.from(parquetFiles["uncompressed.parquet"]!);
  const changed = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(good);
    change(bytes);
    return bytes;
  };
  expect(
    await sentenceOf(
      "t.parquet",
      changed((bytes) => bytes.writeUInt32LE(0xffff_fff0, bytes.length - 8)),
    ),
  ).toBe(
    `The Parquet file is damaged: its footer cannot have 4294967280 bytes, because the file has ${good.length}. Write it again, or copy it again.`,
  );
  expect(
    await sentenceOf(
      "t.parquet",
      changed((bytes) => bytes.write("PARE", bytes.length - 4)),
    ),
  ).toContain("encrypted");
  expect(
    await sentenceOf(
      "t.parquet",
      changed((bytes) => bytes.fill(0xff, 4, good.length >> 1)),
    ),
  ).toContain("pages cannot be decompressed");
  expect(
    await sentenceOf(
      "t.parquet",
      changed((bytes) => bytes.fill(0xff, good.length - 300, good.length - 8)),
    ),
  ).toContain("its footer, which lists columns and pages, cannot be read");
});
