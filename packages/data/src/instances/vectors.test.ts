/** Vectors in cells, fewer numbers for many columns, and rows of length 1. */
import { describe, expect, test } from "vitest";
import { readCsv } from "../csv/csv.js";
import { readJsonLines } from "../formats/jsonl.js";
import { vectorOf } from "../table/vectors.js";
import { bytesOf, sentenceOf } from "../testing/bytes.js";
import { type InstanceOptions, instancesOf, readingOf } from "./instances.js";

/** Reads a table, by default as its numbers are: a scale and a rule for missing cells are named where a test is about them. */
async function load(text: string, given: InstanceOptions = {}, read: typeof readCsv = readCsv) {
  const options = { scale: "none", missing: "error", ...given } as const;
  const table = await read(bytesOf(text), { file: "t", ...readingOf(options) });
  const loaded = instancesOf(table, options);
  return { ...loaded, notices: [...table.notices, ...loaded.notices] };
}

test.each<[string, number[] | undefined]>([
  ["[0.1, 0.2]", [0.1, 0.2]],
  [" (1 2  3) ", [1, 2, 3]],
  ["[5]", [5]],
  ["[]", undefined],
  ["[1, a]", undefined],
  ["[1, nan]", undefined],
  ["[[1],[2]]", undefined],
  ["1, 2", undefined],
])("%j is %j", (text, values) => {
  expect(vectorOf(text) && [...vectorOf(text)!]).toEqual(values);
});

describe("vectors in columns", () => {
  const csv = 'id,emb,y\na,"[1, 0]",5\nb,"[0, 1]",6\nc,"[0.6, 0.8]",7\n';

  test("bracketed text and JSON arrays become features, announced once", async () => {
    const { instances, sources, notices } = await load(csv, { id: "id" });
    expect(instances.names).toEqual(["emb[0]", "emb[1]", "y"]);
    expect([...instances.x]).toEqual([1, 0, 5, 0, 1, 6, 0.6, 0.8, 7]);
    expect(sources.map(({ name, type, features }) => [name, type, features])).toEqual([
      ["emb", "vector", 2],
      ["y", "number", 1],
    ]);
    expect(notices).toContain('Column "emb" holds vectors of 2 numbers, each number a feature. --type emb=ignore leaves it out.');
    const lines = '{"emb":[1,0],"y":5}\n{"emb":null,"y":1}\n{"emb":[0,1],"y":2}\n';
    const json = await load(lines, { missing: "drop" }, readJsonLines as never);
    expect([...json.instances.x]).toEqual([1, 0, 5, 0, 1, 2]);
  });

  test("options name the whole vector", async () => {
    expect((await load(csv, { id: "id", features: ["emb"] })).instances.names).toEqual(["emb[0]", "emb[1]"]);
    expect((await load(csv, { id: "id", ignore: ["emb"] })).instances.names).toEqual(["y"]);
    expect((await load(csv, { id: "id", types: { emb: "nominal" } })).instances.names).toEqual(["emb", "y"]);
    expect([...(await load(csv, { id: "id", weights: { emb: 4 } })).instances.weights!]).toEqual([4, 4, 1]);
  });

  test("rows of length 1 are directions; others are not", async () => {
    expect((await load(csv, { id: "id", features: ["emb"] })).instances.directions).toBe(true);
    expect((await load(csv, { id: "id" })).instances.directions).toBeUndefined();
    expect((await load(csv.replace("[0, 1]", "[0, 2]"), { id: "id", features: ["emb"] })).instances.directions).toBeUndefined();
  });

  test("lists of different lengths and cells that are none are refused with their line", async () => {
    expect(await sentenceOf(load('e,y\n"[1,2]",1\n"[1,2,3]",2\n'))).toMatch(
      /^t, line 3: Column "e" holds a list of 3 numbers, while others have 2\./,
    );
    expect(await sentenceOf(load('e,y\n"[1,2]",1\nx,2\n', { types: { e: "vector" } }))).toMatch(
      /^t, line 3: Column "e" holds "x", which is no list of numbers/,
    );
    expect((await load('e,y\n"[1,2]",1\n"[x]",2\n')).instances.nominal).toEqual(Uint8Array.of(1, 0));
  });
});

describe("principal components", () => {
  const rows = Array.from({ length: 30 }, (_, i) => {
    const t = i - 15;
    return [t, 2 * t + (i % 3) * 0.01, -t + (i % 2) * 0.01];
  });
  const text = `a,b,c,k\n${rows.map((row, i) => `${row.join(",")},${i % 2 ? "p" : "q"}`).join("\n")}\n`;

  test("keep the distances along the line that the rows lie on; the share is reported", async () => {
    const { instances, notices, reduction } = await load(text, { reduce: 1 });
    expect(instances.names).toEqual(["pc1", "k"]);
    expect(Math.abs(instances.x[2]! - instances.x[0]!)).toBeCloseTo(Math.sqrt(6), 1);
    expect(notices.join()).toContain("3 columns of numbers became 1 principal component, which keeps 100.0% of the variance");
    expect(reduction!.columns).toEqual(["a", "b", "c"]);
    const again = await load(text, { model: { fills: new Map(), reduction: reduction! } });
    expect(again.instances.x).toEqual(instances.x);
    const scaled = await load(text, { reduce: 2, scale: "zscore" });
    expect(scaled.instances.scaling).toEqual({ offset: [0, 0, 0], factor: [1, 1, 1] });
  });

  test("all of them keep all distances; more than there are, or missing cells, are refused", async () => {
    const whole = (await load(text, { reduce: 3, ignore: ["k"] })).instances;
    const plain = (await load(text, { ignore: ["k"] })).instances;
    const squared = (x: Float64Array, i: number, j: number) =>
      [0, 1, 2].reduce((sum, f) => sum + (x[3 * i + f]! - x[3 * j + f]!) ** 2, 0);
    for (let i = 1; i < 30; i++) expect(squared(whole.x, 0, i)).toBeCloseTo(squared(plain.x, 0, i), 8);
    expect(await sentenceOf(load(text, { reduce: 4 }))).toContain("--reduce is 4; it must be at most 3");
    expect(await sentenceOf(load("a,b\n1,\n2,3\n", { reduce: 1, missing: "skip" }))).toContain(
      "Principal components need every cell",
    );
  });
});
