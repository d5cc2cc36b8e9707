import { describe, expect, test } from "vitest";
import { readCsv } from "../csv/csv.js";
import { readNpy, writeNpy } from "../formats/npy.js";
import { bytesOf, sentenceOf } from "../testing/bytes.js";
import { type InstanceOptions, instanceSteps, instancesOf, readingOf } from "./instances.js";

/** Reads a table, by default as its numbers are: a scale and a rule for missing cells are named where a test is about them. */
async function load(text: string, given: InstanceOptions = {}) {
  const options = { scale: "none", missing: "error", ...given } as const;
  return instancesOf(await readCsv(bytesOf(text), { file: "t.csv", ...readingOf(options) }), options);
}

const failure = (text: string, options: InstanceOptions = {}) => sentenceOf(load(text, options));

const crabs = "name,x,colour,frame,class\nc1,1,red,f1,A\nc2,2,blue,,B\nc3,4,red,f1,A\n";

test("the way from columns to points has many steps, between which a signal can stop it", async () => {
  const n = 100_000;
  const rows = Array.from({ length: n }, (_, i) => `r${i},${i === 5 ? "" : i % 7}`);
  const options = { id: "id", missing: "drop" } as const;
  const table = await readCsv(bytesOf(`id,x\n${rows.join("\n")}\n`), { file: "t.csv", ...readingOf(options) });
  // Ids of all rows, ids of the kept rows, and values: each in stretches of 16,384 rows.
  expect([...instanceSteps(table, options)].length).toBeGreaterThan((3 * n) / 16_384);
});

describe("who is who", () => {
  test("without options every column is a feature and ids are row numbers", async () => {
    const { instances, rows, total, dropped, notices } = await load("x,c\n1.5,b\n2.5,a\n");
    expect(instances).toEqual({
      n: 2,
      d: 2,
      x: Float64Array.of(1.5, 0, 2.5, 1),
      names: ["x", "c"],
      nominal: Uint8Array.of(0, 1),
      levels: [null, ["b", "a"]],
      scaleGiven: true,
    });
    expect({ rows, total, dropped, notices }).toEqual({ rows: Int32Array.of(0, 1), total: 2, dropped: [], notices: [] });
  });

  test("numbers only: no level is mentioned", async () => {
    const { instances } = await load("x,y\n1,2\n3,4\n");
    expect(instances).toEqual({ n: 2, d: 2, x: Float64Array.of(1, 2, 3, 4), names: ["x", "y"], scaleGiven: true });
  });

  test("id, truth and exclusive columns are never features; an empty group is none", async () => {
    const { instances } = await load(crabs, { id: "name", truth: "class", exclusive: ["frame"] });
    expect(instances.names).toEqual(["x", "colour"]);
    expect(instances.ids).toEqual(["c1", "c2", "c3"]);
    expect(instances.truth).toEqual({ codes: Int32Array.of(0, 1, 0), names: ["A", "B"] });
    expect(instances.exclusive).toEqual([{ codes: Int32Array.of(0, -1, 0), names: ["f1"], column: "frame" }]);
  });

  test("ids are the file's text, though they look like numbers; so are classes", async () => {
    const { instances } = await load("id,x,class\n007,1,1\n1.0,2,2\n", { id: "id", truth: "class" });
    expect(instances.ids).toEqual(["007", "1.0"]);
    expect(instances.truth?.names).toEqual(["1", "2"]);
  });

  test("features in the order asked for, roles left out with a notice; ignored columns are not read", async () => {
    const { instances, notices } = await load(crabs, { features: ["colour", "class", "x"], truth: "class" });
    expect(instances.names).toEqual(["colour", "x"]);
    expect(notices).toEqual(['Column "class" is not a feature, because --id, --truth, --exclusive or --row-weight names it.']);
    expect((await load("x,mixed\n1,a\n2,3\n", { ignore: ["mixed"] })).instances.names).toEqual(["x"]);
    expect((await load("x,mixed\n1,a\n2,3\n", { features: ["x"] })).instances.names).toEqual(["x"]);
  });

  test("a nominal column of numbers", async () => {
    const { instances } = await load("x,c\n1,10\n2,9\n3,10\n", { nominal: ["c"] });
    expect(instances.levels).toEqual([null, ["10", "9"]]);
    const npy = await readNpy(bytesOf(writeNpy(Float64Array.of(1, 7, 2, 8), 2, 2)), { file: "t.npy" });
    expect(instancesOf(npy, { id: "x1" }).instances).toMatchObject({ ids: ["7", "8"], names: ["x0"] });
  });

  test.each<[string, InstanceOptions, string]>([
    [
      crabs,
      { truth: "clas" },
      't.csv: There is no column "clas" (--truth). Did you mean "class"? The columns are name, x, colour, frame, class.',
    ],
    [
      crabs,
      { ignore: ["COLOUR"] },
      't.csv: There is no column "COLOUR" (--ignore). Did you mean "colour"? The columns are name, x, colour, frame, class.',
    ],
    [
      crabs,
      { features: ["zzzzzz"] },
      't.csv: There is no column "zzzzzz" (--features). The columns are name, x, colour, frame, class.',
    ],
    [
      crabs,
      { ignore: ["name", "x", "colour", "frame", "class"] },
      "t.csv: No column is left as a feature. The columns are name, x, colour, frame, class; name some with --features.",
    ],
    [
      "x,class\n1,a\n",
      { features: ["class"], truth: "class" },
      "t.csv: No column is left as a feature. The columns are class, x; name some with --features.",
    ],
    [
      "id,x\na,1\nb,2\na,3\n",
      { id: "id" },
      't.csv, line 4: The id "a" is used twice; line 2 has it too. Give every row a unique id.',
    ],
    ["id,x\na,1\n,2\n", { id: "id" }, 't.csv, line 3: Line 3 has no id in column "id". Give every row a unique id.'],
    [crabs, { scale: "logs" as "none" }, '--scale is "logs"; it must be one of auto, none, zscore, minmax, robust, log, rank.'],
    [crabs, { missing: "guess" as "drop" }, '--missing is "guess"; it must be auto, error, drop, impute or skip.'],
  ])("bad input %#", async (text, options, sentence) => {
    expect(await failure(text, options)).toBe(sentence);
  });
});

describe("missing cells", () => {
  const holes = "id,x,c,class\nr0,1,a,\nr1,,b,P\nr2,3,b,Q\nr3,8,?,P\nr4,NA,a,Q\n";

  test("are an error that names the first ones", async () => {
    expect(await failure(holes, { id: "id", truth: "class" })).toBe(
      't.csv, line 3: 3 cells are missing (line 3 column "x", line 5 column "c", line 6 column "x"). Drop those rows (--missing drop), fill the cells (--missing impute), compare rows by the cells that both have (--missing skip), or leave out the columns (--ignore).',
    );
    expect(await failure("x,y\n1,\n2,\n,\n,3\n")).toContain(
      '5 cells are missing (line 2 column "y", line 3 column "y", line 4 column "x", …)',
    );
  });

  test("drop keeps the original row numbers and leaves no class without a row", async () => {
    const options = { truth: "class", ignore: ["id"], missing: "drop" } as const;
    const { instances, rows, total, dropped, notices } = await load(holes, options);
    expect(instances).toMatchObject({
      n: 2,
      x: Float64Array.of(1, 0, 3, 1),
      ids: [0, 2],
      truth: { codes: Int32Array.of(-1, 0), names: ["Q"] },
    });
    expect({ rows, total, dropped }).toEqual({ rows: Int32Array.of(0, 2), total: 5, dropped: [1, 3, 4] });
    expect(notices).toEqual(["3 rows of 5 with missing cells were dropped."]);
    expect(await load(holes, { ...options, id: "id", ignore: [] })).toMatchObject({
      instances: { ids: ["r0", "r2"] },
      dropped: ["r1", "r3", "r4"],
    });
  });

  test("impute for a model: by the model's values, also where a column is empty or the level is not there", async () => {
    const first = await load("x,y,c\n1,5,a\n3,,b\n,7,b\n", { missing: "impute" });
    expect(first.fills).toEqual([2, 6, "b"]);
    const fills = new Map<string, number | string>([
      ["x", 2],
      ["y", 6],
      ["c", "b"],
    ]);
    const { instances, imputed, notices } = await load("c,x,y\na,9,\n,,\n", {
      missing: "impute",
      features: ["x", "y", "c"],
      model: { fills },
    });
    expect([...instances.x]).toEqual([9, 6, 0, 2, 6, 1]);
    expect(instances.levels).toEqual([null, null, ["a", "b"]]);
    expect(imputed).toBe(4);
    expect(notices.join()).toContain("of the rows that the model was made from");
    expect(await failure("x\n1\n", { features: ["x", "y"], model: { fills } })).toContain(
      'There is no column "y" (the model needs it).',
    );
  });

  test("impute: the mean, or the most frequent level, the first of equals", async () => {
    const read = await load(holes, { truth: "class", ignore: ["id"], missing: "impute" });
    const { instances, imputed, notices } = read;
    expect(Array.from(instances.x)).toEqual([1, 0, 4, 1, 3, 1, 8, 0, 4, 0]);
    expect(imputed).toBe(3);
    expect(read.filledRows!.map((rows) => [...rows])).toEqual([[1, 4], [3]]);
    expect(notices).toEqual(["3 missing cells in 2 columns were filled: numbers by the mean, texts by the most frequent level."]);
  });

  test("nothing left, nothing to fill with", async () => {
    expect(await failure("x,y\n1,\n,2\n", { missing: "drop" })).toBe(
      "t.csv: Every row has a missing cell, so none is left. Leave out the emptiest columns (--ignore), fill the cells (--missing impute), or compare rows by the cells that both have (--missing skip).",
    );
    expect(await failure("x,y\n1,\n2,\n", { missing: "impute" })).toBe(
      't.csv: Column "y" has no values, so its cells cannot be filled. Leave it out (--ignore y).',
    );
  });
});

describe("scaling", () => {
  const text = "a,k,c\n1,0.1,u\n3,0.1,v\n5,0.1,u\n";

  test("zscore by the population deviation; constants become 0; codes stay", async () => {
    const { instances } = await load(text, { scale: "zscore" });
    const z = Math.sqrt(1.5);
    const expected = [-z, 0, 0, 0, 0, 1, z, 0, 0];
    expected.forEach((value, i) => void expect(instances.x[i]).toBeCloseTo(value, 14));
    expect(instances.scaling?.offset).toEqual([3, 0.1, 0]);
    expect(instances.scaling?.factor.map((factor) => factor ** 2)).toEqual([expect.closeTo(8 / 3, 14), 1, 1]);
    expect([instances.x[1], instances.x[4], instances.x[7]]).toEqual([0, 0, 0]);
  });

  test("minmax", async () => {
    const { instances } = await load(text, { scale: "minmax" });
    expect(Array.from(instances.x)).toEqual([0, 0, 0, 0.5, 0, 1, 1, 0, 0]);
    expect(instances.scaling).toEqual({ offset: [1, 0.1, 0], factor: [4, 1, 1] });
  });

  test("values beyond scaling", async () => {
    expect(await failure("x\n1e308\n-1e308\n", { scale: "minmax" })).toBe(
      't.csv: Column "x" cannot be scaled: its values are too far from 1. Change its unit, or leave it out (--ignore x).',
    );
  });

  test("a feature that dominates is named, unless it stands alone or is scaled", async () => {
    const wine = "proline,ash\n1000,2\n500,3\n750,1\n";
    expect((await load(wine)).notices).toEqual([
      'Feature "proline" holds 100.0% of the total variance, so it almost alone determines the distances; consider --scale zscore.',
    ]);
    expect((await load(wine, { scale: "zscore" })).notices).toEqual([]);
    expect((await load(wine, { features: ["proline"] })).notices).toEqual([]);
    expect((await load("a,b\n1,2\n2,1\n3,5\n")).notices).toEqual([]);
  });

  test("a column of texts that differ in every row is taken for names", async () => {
    const people = (names: readonly string[]) => `who,x\n${names.map((name, i) => `${name},${i}`).join("\n")}\n`;
    const eight = ["ann", "bob", "cy", "dan", "eve", "fay", "gil", "hal"];
    expect((await load(people(eight))).notices).toEqual([
      'Every row has its own "who"; if it names the rows, say --id who; else compare it as text (--type who=text), or leave it out (--ignore who).',
    ]);
    expect((await load(people(eight), { id: "who" })).notices).toEqual([]);
    expect((await load(people([...eight, "ann"]))).notices).toEqual([]);
    expect((await load(people(eight.slice(1)))).notices).toEqual([]);
    expect((await load(people(eight))).early).toEqual((await load(people(eight))).notices);
  });

  test("nearly as many texts as rows: prose, dates and names are distinguished, and rows without a text do not count", async () => {
    const column = (cells: readonly string[]) => `x,c\n${cells.map((cell, i) => `${i},"${cell}"`).join("\n")}\n`;
    const many = Array.from({ length: 20 }, (_, i) => i);
    const said = async (cells: readonly string[], options?: InstanceOptions) => (await load(column(cells), options)).early;
    expect(await said([...many.slice(1).map((i) => `u${i}@example.org`), "u1@example.org"])).toEqual([
      'Column "c" has 19 different texts in 20 rows; unless equal ones mean something, compare it as text (--type c=text), or leave it out (--ignore c).',
    ]);
    expect(await said(many.map((i) => `2024-01-${i + 10}`))).toEqual([]);
    expect(
      await said(
        many.map((i) => `2024-01-${i + 10}`),
        { nominal: ["c"] },
      ),
    ).toEqual([
      'Every row has its own "c"; they look like dates ("2024-01-10"), of which only equal or different is seen: write them as numbers, or leave it out (--ignore c).',
    ]);
    expect(await said(many.map((i) => `the parcel number ${i} came a day too late`))).toEqual([
      'Every row has its own "c"; of free text only equal or different is seen: compare it as text (--type c=text), or leave it out (--ignore c).',
    ]);
    const holed = many.map((i) => (i < 10 ? "" : `name ${i}`));
    expect(await said(holed, { missing: "impute" })).toEqual([
      'Every row has its own "c"; unless equal ones mean something, compare it as text (--type c=text), or leave it out (--ignore c).',
    ]);
    expect(await said(many.map((i) => `level ${i % 17}`))).toEqual([]);
  });

  test("numbers in a notation that is not read are no names", async () => {
    const money = `revenue,x\n${Array.from({ length: 9 }, (_, i) => `"${i + 1},339.48${i % 2 === 0 ? " €" : " CHF"}",${i}`).join("\n")}\n`;
    expect((await load(money)).early).toEqual([
      'Column "revenue" is read as text, though its texts look like numbers with thousands separators ("1,339.48 €"): write them without, or declare the column as categories (--nominal revenue).',
    ]);
    expect((await load(money, { nominal: ["revenue"] })).early).toEqual([
      'Every row has its own "revenue"; if it names the rows, say --id revenue; else compare it as text (--type revenue=text), or leave it out (--ignore revenue).',
    ]);
    expect((await load("share,x\n5%,1\n7%,2\n")).instances.x).toEqual(Float64Array.of(5, 1, 7, 2));
  });

  test("a text of its own in each of very many rows is refused", async () => {
    const people = `who,x\n${Array.from({ length: 10_001 }, (_, i) => `p${i},${i}`).join("\n")}\n`;
    expect(await sentenceOf(load(people))).toBe(
      't.csv: Every row has its own "who": 10,001 different texts, so all rows are equally different in it. If it names the rows, say --id who; else leave it out (--ignore who).',
    );
    expect((await load(people, { id: "who" })).early).toEqual([]);
    expect((await load(people.replace("p7,", "p8,"))).early).toHaveLength(1);
  });
});
