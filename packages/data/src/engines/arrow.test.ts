import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CoterieError } from "@coterie/core/internal";
import {
  Field as ArrowField,
  Table as ArrowTable,
  Binary,
  Bool,
  type DataType,
  DateDay,
  DateMillisecond,
  Decimal,
  Dictionary,
  DurationSecond,
  FixedSizeList,
  Float16,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  LargeUtf8,
  List,
  makeData,
  Null,
  Struct,
  TimeMicrosecond,
  TimeSecond,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampSecond,
  tableToIPC,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "../samples/find.js";
import type { Column, ReadOptions } from "../table/table.js";
import { changedFile } from "../testing/damaged.js";
import { readArrow } from "./duckdb.js";

const long = process.env.COTERIE_LONG === "1";
const read = (source: Uint8Array | string, more: Partial<ReadOptions> = {}) => readArrow(source, { file: "t.arrow", ...more });

async function column(values: readonly unknown[], type: DataType, more: Partial<ReadOptions> = {}): Promise<Column> {
  const vector = vectorFromArray(values as never, type as never) as Vector;
  const [file, stream] = (["file", "stream"] as const).map((format) => tableToIPC(new ArrowTable({ v: vector }), format));
  const fromFile = await read(file!, more);
  const { contentHash: _, ...fromStream } = await read(stream!, more);
  expect(fromFile).toMatchObject(fromStream);
  return fromFile.columns[0]!;
}

const nominal = (c: Column) => (c.kind === "nominal" ? [...c.codes].map((code) => c.levels[code] ?? null) : c);
const numeric = (c: Column) => (c.kind === "numeric" ? [...c.values] : c);

describe("types", () => {
  test.each([
    new Int8(),
    new Int16(),
    new Int32(),
    new Uint8(),
    new Uint16(),
    new Uint32(),
    new Float16(),
    new Float32(),
    new Float64(),
  ])("%s is numeric, null is missing", async (type) => {
    const got = await column([3, null, 0, 7], type);
    expect(got).toMatchObject({ kind: "numeric", name: "v", missing: 1 });
    expect(numeric(got)).toEqual([3, Number.NaN, 0, 7]);
  });

  test("wide whole numbers", async () => {
    expect(numeric(await column([3n, null, -5n], new Int64()))).toEqual([3, Number.NaN, -5]);
    expect(numeric(await column([3n, null], new Uint64()))).toEqual([3, Number.NaN]);
    expect(nominal(await column([9007199254740993n, null], new Int64(), { text: ["v"] }))).toEqual(["9007199254740993", null]);
    await expect(column([1n, 2n ** 60n], new Int64())).rejects.toThrow(
      'Column "v" holds whole numbers of 2^53 or more, about 1152921504606847000 in row 1',
    );
  });

  test("decimals", async () => {
    const type = new Decimal(2, 20, 128);
    const words = (value: bigint) =>
      Array.from({ length: 4 }, (_, w) => Number((BigInt.asUintN(128, value) >> BigInt(32 * w)) & 0xffffffffn));
    const data = makeData({ type, length: 3, data: Uint32Array.from([12345n, -7n, 0n].flatMap(words)) });
    const bytes = tableToIPC(new ArrowTable({ v: new Vector([data]) }));
    expect(numeric((await read(bytes)).columns[0]!)).toEqual([123.45, -0.07, 0]);
    expect(nominal((await read(bytes, { text: ["v"] })).columns[0]!)).toEqual(["123.45", "-0.07", "0.00"]);
  });

  test("truth values, dates and times are names where they are asked to be, written as those of Parquet", async () => {
    const asNames = { types: { v: "nominal" } } as const;
    expect(nominal(await column([true, null, false], new Bool()))).toEqual(["true", null, "false"]);
    const day = new Date("2020-02-29T00:00:00Z");
    expect(nominal(await column([day, null], new DateDay(), asNames))).toEqual(["2020-02-29", null]);
    expect(nominal(await column([day, new Date("1969-12-31T00:00:00Z")], new DateMillisecond(), asNames))).toEqual([
      "2020-02-29",
      "1969-12-31",
    ]);
    const moment = Date.parse("2020-01-01T10:00:00.500Z");
    expect(nominal(await column([moment], new TimestampMillisecond(), asNames))).toEqual(["2020-01-01 10:00:00.5"]);
    expect(nominal(await column([moment], new TimestampMicrosecond("UTC"), asNames))).toEqual(["2020-01-01 10:00:00.5+00"]);
    expect(nominal(await column([-1500], new TimestampMillisecond(), asNames))).toEqual(["1969-12-31 23:59:58.5"]);
    expect(nominal(await column([moment - 500], new TimestampSecond(), asNames))).toEqual(["2020-01-01 10:00:00"]);
    expect(nominal(await column([36_001], new TimeSecond(), asNames))).toEqual(["10:00:01"]);
    expect(nominal(await column([36_000_000_500n], new TimeMicrosecond(), asNames))).toEqual(["10:00:00.0005"]);
    expect(nominal(await column([5n], new DurationSecond(), asNames))).toEqual(["5 s"]);
  });

  test("lists of numbers are vectors", async () => {
    const list = new List(new ArrowField("item", new Float64()));
    const table = async (values: readonly unknown[], type: DataType) =>
      (await read(tableToIPC(new ArrowTable({ v: vectorFromArray(values as never, type as never) }), "file"))).columns;
    const found = await table([[1, 2], null, [3, 4]], list);
    expect(found.map(({ name }) => name)).toEqual(["v[0]", "v[1]"]);
    expect(found.map(numeric)).toEqual([
      [1, Number.NaN, 3],
      [2, Number.NaN, 4],
    ]);
    const fixed = new FixedSizeList(2, new ArrowField("item", new Float32()));
    expect(
      (
        await table(
          [
            [1, 2],
            [3, 4],
          ],
          fixed,
        )
      ).map(numeric),
    ).toEqual([
      [1, 3],
      [2, 4],
    ]);
    await expect(table([[1, 2], [3]], list)).rejects.toThrow("a list of 1 number, while others have 2");
  });

  test("dates and times are days", async () => {
    expect(numeric(await column([new Date("2020-02-29T00:00:00Z"), null], new DateDay()))).toEqual([18321, Number.NaN]);
    expect(numeric(await column([21_600], new TimeSecond()))).toEqual([0.25]);
    expect(numeric(await column([Date.parse("2020-02-29T12:00:00Z")], new TimestampMillisecond()))).toEqual([18321.5]);
  });

  test.each([new Utf8(), new LargeUtf8(), new Dictionary(new Utf8(), new Int32()), new Dictionary(new Utf8(), new Int8())])(
    "%s goes by its cells",
    async (type) => {
      expect(numeric(await column(["1.5", "2e3", null, "NA", " 7 "], type))).toEqual([1.5, 2000, Number.NaN, Number.NaN, 7]);
      expect(nominal(await column(["b", "a", null, "?", "", "b", "größe 数"], type))).toEqual([
        "b",
        "a",
        null,
        null,
        null,
        "b",
        "größe 数",
      ]);
      expect(nominal(await column(["1", "2"], type, { text: ["v"] }))).toEqual(["1", "2"]);
      await expect(column(["1", "2", "x"], type)).rejects.toThrow(
        't.arrow: Column "v" mixes numbers and text: 1 of its 3 cells is text (row 2 "x"); the others are numbers (row 0 "1", …); rows count from 0.',
      );
    },
  );

  test("a dictionary of numbers is numeric", async () => {
    expect(numeric(await column([2.5, null, 2.5, 1], new Dictionary(new Float64(), new Int32())))).toEqual([
      2.5,
      Number.NaN,
      2.5,
      1,
    ]);
  });

  test("a column of nothing", async () => {
    expect(await column([null, null], new Null())).toMatchObject({ kind: "nominal", missing: 2, levels: [] });
  });

  test("several batches", async () => {
    const bytes = tableToIPC(
      new ArrowTable({ x: vectorFromArray([1, 2], new Float64()), s: vectorFromArray(["a", "b"]) }).concat(
        new ArrowTable({ x: vectorFromArray([3], new Float64()), s: vectorFromArray(["c"]) }) as never,
      ),
    );
    const table = await read(bytes);
    expect(table.n).toBe(3);
    expect(numeric(table.columns[0]!)).toEqual([1, 2, 3]);
    expect(nominal(table.columns[1]!)).toEqual(["a", "b", "c"]);
  });
});

describe("sentences", () => {
  test("values that are not finite", async () => {
    await expect(column([1, Number.NaN], new Float64())).rejects.toThrow(
      't.arrow: Column "v" holds "NaN" in row 1 (from 0), which is not a finite number.',
    );
    await expect(column([Number.NEGATIVE_INFINITY], new Float32())).rejects.toThrow('holds "-Infinity" in row 0');
    await expect(column(["1", "inf"], new Utf8())).rejects.toThrow('holds "inf" in row 1');
  });

  test("nested and binary types; skipped ones are not looked at", async () => {
    const list = new List(new ArrowField("item", new Utf8()));
    await expect(column([[1], [2]], list)).rejects.toThrow(
      't.arrow: Column "v" holds lists, which are neither numbers nor text. Leave it out (--ignore v)',
    );
    await expect(column([{ a: 1 }], new Struct([new ArrowField("a", new Int32())]))).rejects.toThrow("holds records, which");
    await expect(column([new Uint8Array([1])], new Binary())).rejects.toThrow("holds raw bytes, which");
    const bytes = tableToIPC(new ArrowTable({ l: vectorFromArray([[1]], list), x: vectorFromArray([5], new Int32()) }));
    const table = await read(bytes, { skip: (name) => name === "l" });
    expect(table.columns.map(({ name }) => name)).toEqual(["x"]);
  });

  test("other formats, and files cut short", async () => {
    await expect(read(new TextEncoder().encode("a,b\n1,2\n3,4\n"))).rejects.toThrow(
      "t.arrow: This is neither an Arrow IPC file nor an Arrow stream.",
    );
    await expect(read(new Uint8Array(0))).rejects.toThrow("neither an Arrow IPC file");
    await expect(read(new TextEncoder().encode("FEA1........FEA1"))).rejects.toThrow(
      "This is a Feather file of version 1. Write it as version 2",
    );
    const whole = tableToIPC(new ArrowTable({ x: vectorFromArray([1, 2, 3], new Float64()) }), "file");
    await expect(read(whole.subarray(0, whole.length - 9))).rejects.toThrow("t.arrow: The Arrow file does not end as it must.");
    const stream = tableToIPC(new ArrowTable({ x: vectorFromArray([1, 2, 3], new Float64()) }), "stream");
    await expect(read(stream.subarray(0, stream.length - 20))).rejects.toThrow(
      "t.arrow: The Arrow data are damaged: a body is longer than the data.",
    );
    await expect(read("/nowhere/at/all.arrow")).rejects.toThrow("t.arrow: There is no such file.");
  });

  test("an abort ends with the signal's reason", async () => {
    const bytes = tableToIPC(new ArrowTable({ x: vectorFromArray([1], new Float64()) }));
    await expect(read(bytes, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
    const controller = new AbortController();
    const reading = read(bytes, { signal: controller.signal });
    controller.abort(new Error("later"));
    await expect(reading).rejects.toThrow("later");
  });
});

test("from a path, with hash and progress", async () => {
  const root = await mkdtemp(join(tmpdir(), "coterie-arrow-"));
  const path = join(root, "it's.arrow");
  const bytes = tableToIPC(new ArrowTable({ x: vectorFromArray([1, 2], new Float64()) }), "file");
  await writeFile(path, bytes);
  const seen: unknown[] = [];
  const table = await read(path, { onProgress: (...progress) => seen.push(progress) });
  expect(table).toMatchObject({ n: 2 });
  expect(await table.contentHash()).toBe(sha256(bytes));
  expect(seen).toEqual([[bytes.length, bytes.length]]);
  await rm(root, { recursive: true });
});

describe("damaged data give sentences, never a crash", () => {
  async function survives(bytes: Uint8Array): Promise<void> {
    try {
      const table = await read(bytes);
      for (const c of table.columns) expect(c.kind === "numeric" ? c.values.length : c.codes.length).toBe(table.n);
    } catch (error) {
      expect(error).toBeInstanceOf(CoterieError);
    }
  }

  const whole = (format: "file" | "stream") =>
    tableToIPC(
      new ArrowTable({
        a: vectorFromArray([1, null, 3, 4.5], new Float64()),
        b: vectorFromArray(["x", "yy", null, "zzz"], new Utf8()),
        c: vectorFromArray(["p", "q", "p", "q"], new Dictionary(new Utf8(), new Int8())),
        d: vectorFromArray([true, false, null, true], new Bool()),
        e: vectorFromArray([1n, 2n, 3n, 4n], new Int64()),
        f: vectorFromArray([new Date(0), new Date(864e5), null, new Date(0)], new DateDay()),
      }),
      format,
    );

  test("a footer that says of a dictionary that it is a batch of rows", async () => {
    const bytes = Buffer.from(whole("file"));
    const footer = bytes.length - 10 - bytes.readInt32LE(bytes.length - 10);
    const places = Array.from({ length: (bytes.length - 18 - footer) >> 2 }, (_, i) => footer + 4 * i);
    // Blocks begin with the position of their message, and messages with a mark; the dictionary stands before the rows.
    const blocks = places.filter((place) => {
      const at = bytes.readBigInt64LE(place);
      return at >= 8n && at < footer && bytes.readInt32LE(Number(at)) === -1;
    });
    const [dictionary, rows] = blocks.sort((a, b) => Number(bytes.readBigInt64LE(a) - bytes.readBigInt64LE(b)));
    expect(blocks).toHaveLength(2);
    bytes.writeBigInt64LE(bytes.readBigInt64LE(dictionary!), rows!);
    await expect(read(bytes)).rejects.toThrow("a message is of an unexpected kind");
  });

  test("random bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.constantFrom("none", "file", "stream"), async (body, kind) => {
        const magic = new TextEncoder().encode("ARROW1");
        const mark = new Uint8Array([255, 255, 255, 255]);
        await survives(
          kind === "file" ? Buffer.concat([magic, body, magic]) : kind === "stream" ? Buffer.concat([mark, body]) : body,
        );
      }),
      { numRuns: long ? 5000 : 500 },
    );
  });

  test.each(["file", "stream"] as const)("a %s with bytes changed and removed", async (format) => {
    const good = whole(format);
    await fc.assert(
      fc.asyncProperty(changedFile(good, 0, good.length - 1, 6, 40), async (broken) => void (await survives(broken))),
      { numRuns: long ? 20_000 : 2000 },
    );
  });
});
