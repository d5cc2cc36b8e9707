/** How columns are read at the command line: types, circles, weights, samples, side columns, missing cells; and models that read alike. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeNpy } from "@coterie/data";
import { beforeAll, describe, expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const orders = Array.from({ length: 24 }, (_, i) => {
  const big = i % 2 === 1;
  const day = String(1 + (i % 27)).padStart(2, "0");
  return [
    `o${i}`,
    `"$${big ? "9," : "1,"}${String(100 + i).padStart(3, "0")}.50"`,
    `${big ? 80 + (i % 7) : 5 + (i % 7)}%`,
    `2024-${big ? "11" : "02"}-${day}`,
    big ? "true" : "false",
    i % 6 === 5 ? "N/A" : String(big ? 40 + i : i),
  ].join(",");
});

let folder: string;
const file = (name: string) => join(folder, name);
const report = async (...args: string[]) => {
  const { out, code, err } = await coterie("cluster", file("orders.csv"), "-k", "2", "--id", "id", "--json", ...args);
  expect(err, err).not.toMatch(/bug/);
  return { code, err, ...(JSON.parse(out || "{}") as Record<string, never>) } as {
    code: number;
    err: string;
    labels: (number | null)[];
    features: string[];
    notices: string[];
    centres: number[][];
    error?: { message: string };
  };
};

beforeAll(() => {
  const matrix = Float64Array.from({ length: 24 }, (_, p) => (p < 12 ? 0 : 9) + (p % 5) / 7);
  folder = folderWith({
    "orders.csv": `id,price,share,day,paid,age\n${orders.join("\n")}\n`,
    "side.csv": `name,class,w\n${Array.from({ length: 12 }, (_, i) => `n${i},${i < 6 ? "low" : "high"},${1 + i}`).join("\n")}\n`,
    "short.csv": "name\na\n",
    "matrix.npy": writeNpy(matrix, 12, 2),
  });
});

describe("columns at the command line", () => {
  test("money, percent, dates, booleans and words for no value are recognised, one notice for each column", async () => {
    const { code, notices, features, labels } = await report("--missing", "impute", "--scale", "zscore");
    expect(code).toBe(0);
    expect(features).toEqual(["price", "share", "day", "paid", "age"]);
    for (const name of features) expect(notices.filter((notice) => notice.startsWith(`Column "${name}"`))).toHaveLength(1);
    expect(labels).toEqual(orders.map((_, i) => i % 2));
  });

  test("words for no value are missing cells, and the rule about these holds", async () => {
    const refused = await report("--missing", "error");
    expect(refused.code).toBe(3);
    expect(refused.error!.message).toContain("4 cells are missing");
    const skipped = await report("--missing", "skip", "--algorithm", "average-link");
    expect(skipped.labels).toEqual(orders.map((_, i) => i % 2));
    expect(skipped.notices.join("\n")).toContain("4 missing cells in 1 column were skipped");
    const means = await report("--missing", "skip");
    expect(means.code).toBe(3);
    expect(means.error!.message).toContain("Methods that only use distances can skip missing cells");
  });

  test("types, circles and weights", async () => {
    const typed = await report(
      "--type",
      "price=nominal",
      "--type",
      "age=ignore",
      "--type",
      "paid=number",
      "--cyclic",
      "day=year,day=week",
    );
    expect(typed.features).toEqual([
      "price",
      "share",
      "day (year, cosine)",
      "day (year, sine)",
      "day (week, cosine)",
      "day (week, sine)",
      "paid",
    ]);
    const weighted = await report("--ignore", "age,day,paid,price", "--weight", "share=4");
    const plain = await report("--ignore", "age,day,paid,price");
    expect(weighted.labels).toEqual(plain.labels);
    for (const [c, centre] of weighted.centres.entries()) expect(centre[0]).toBeCloseTo(plain.centres[c]![0]!, 9);
    const weighedRows = await report("--ignore", "age,paid,price", "--row-weight", "share");
    expect(weighedRows.features).toEqual(["day"]);
    expect(weighedRows.code).toBe(0);
    const unable = await report("--features", "price", "--row-weight", "share", "--algorithm", "average-link");
    expect(unable.code).toBe(2);
    expect(unable.err).toContain("average-link cannot weigh rows (--row-weight); auto, kmeans, cop-kmeans, pck-means,");
  });

  test.each([
    [["--type", "price"], '--type is "price"; it must be COL=TYPE.'],
    [["--type", "price=nmber"], "Did you mean number?"],
    [["--type", "price=number,price=text"], 'gives the column "price" two different values'],
    [["--weight", "price=-1"], "the weight must be a number above 0"],
    [["--weight", "price=1e308"], "at most 1e+100"],
    [["--cyclic", "day=moon"], "the period must be day, week, month, year"],
    [["--sample", "0"], "a whole number of at least 1"],
  ])("%j is refused", async (args, sentence) => {
    const { code, err } = await coterie("cluster", file("orders.csv"), "-k", "2", "--missing", "impute", ...args);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
  });

  test("a sample leaves the other rows without a label", async () => {
    const { labels, notices } = await report("--ignore", "age", "--sample", "10", "--scale", "zscore");
    expect(labels).toHaveLength(24);
    expect(labels.filter((label) => label !== null)).toHaveLength(10);
    expect(notices.join()).toContain("10 rows of 24 were drawn");
    const { out } = await coterie(
      "cluster",
      file("orders.csv"),
      "-k",
      "2",
      "--ignore",
      "age",
      "--sample",
      "10",
      "--id",
      "id",
      "--out",
      "-",
      "-q",
    );
    expect(out.trim().split("\n")).toHaveLength(11);
  });

  test("a matrix takes names, classes and weights from another file", async () => {
    const args = ["-k", "2", "--columns-from", file("side.csv"), "--id", "name", "--truth", "class", "--json"];
    const { out } = await coterie("cluster", file("matrix.npy"), ...args);
    const { features, scores } = JSON.parse(out);
    expect(features).toEqual(["x0", "x1"]);
    expect(scores.adjustedRand).toBe(1);
    const { out: more } = await coterie("cluster", file("matrix.npy"), ...args, "--row-weight", "w", "--features", "x0,x1");
    expect(JSON.parse(more).features).toEqual(["x0", "x1"]);
    const short = await coterie("cluster", file("matrix.npy"), "-k", "2", "--columns-from", file("short.csv"), "--id", "name");
    expect(short.code).toBe(3);
    expect(short.err).toContain("The table has 1 rows, but");
  });
});

describe("text at the command line", () => {
  const people = ["Anna Meyer", '"Meyer, Anna"', "Anna Meier", "Bernd Schulz", '"Schulz, Bernd"', "Bernd Schultz"];
  const table = `name,city\n${people.map((name, i) => `${name},${i < 3 ? "Köln" : i === 4 ? "" : "Bremen"}`).join("\n")}\n`;

  test("by distances, by means, and in a model", async () => {
    const place = folderWith({ "people.csv": table, "new.csv": 'name,city\n"MEYER, Ana",Koeln\nB. Schulz,Bremen\n' });
    const args = ["-k", "2", "--type", "name=text,city=text", "--json"];
    const linked = await coterie("cluster", join(place, "people.csv"), ...args, "--algorithm", "ccl", "--missing", "skip");
    expect(JSON.parse(linked.out).labels).toEqual([0, 0, 0, 1, 1, 1]);
    expect(linked.out).toContain("2 columns are compared as text");
    const model = join(place, "m.json");
    const means = await coterie(
      "cluster",
      join(place, "people.csv"),
      "-k",
      "2",
      "--json",
      "--type",
      "name=text",
      "--ignore",
      "city",
      "--text-dimensions",
      "128",
      "--model",
      model,
    );
    const { labels, centres } = JSON.parse(means.out);
    expect(labels).toEqual([0, 0, 0, 1, 1, 1]);
    expect(centres[0]).toHaveLength(128);
    const placed = await coterie("predict", model, join(place, "new.csv"), "--json");
    expect(JSON.parse(placed.out).labels, placed.err).toEqual([0, 1]);
    const page = await coterie(
      "cluster",
      join(place, "people.csv"),
      ...args,
      "--missing",
      "skip",
      "-a",
      "ccl",
      "--html",
      join(place, "p.html"),
    );
    expect(page.code, page.err).toBe(0);
  });
});

test("a model reads new rows as it read its own: types, order of dates, circles, weights", async () => {
  const args = ["--missing", "impute", "--cyclic", "day=year", "--weight", "paid=3", "--scale", "zscore"];
  const { labels } = await report(...args, "--model", file("m.json"));
  const model = JSON.parse(readFileSync(file("m.json"), "utf8"));
  expect(model.sources.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`)).toEqual([
    "price number",
    "share number",
    "day date",
    "paid nominal",
    "age number",
  ]);
  const { out, code, err } = await coterie("predict", file("m.json"), file("orders.csv"), "--id", "id", "--json");
  expect(code, err).toBe(0);
  expect(JSON.parse(out).labels).toEqual(labels);
});

describe("vectors at the command line", () => {
  const angles = Array.from({ length: 16 }, (_, i) => (i < 8 ? 0.02 * i : 1.5 + 0.02 * i));
  const vectors = angles.map((angle) => [Math.cos(angle), Math.sin(angle), 0]);
  const place = () =>
    folderWith({
      "v.jsonl": vectors.map((emb, i) => JSON.stringify({ id: `r${i}`, emb })).join("\n"),
      "v.csv": `id,emb\n${vectors.map((emb, i) => `r${i},"${JSON.stringify(emb)}"`).join("\n")}\n`,
      "v.npy": writeNpy(Float64Array.from(vectors.flat()), 16, 3),
    });
  const halves = angles.map((_, i) => (i < 8 ? 0 : 1));

  test("JSON arrays and bracketed text; cosine where rows have length 1, announced", async () => {
    const folder = place();
    for (const name of ["v.jsonl", "v.csv"]) {
      const { out, err } = await coterie("cluster", join(folder, name), "-k", "2", "--id", "id", "-a", "average-link", "--json");
      const { labels, notices, features } = JSON.parse(out);
      expect(labels, err).toEqual(halves);
      expect(features).toEqual(["emb[0]", "emb[1]", "emb[2]"]);
      expect(notices.join("\n")).toContain("the distance is the cosine");
    }
  });

  test("--reduce reports the variance kept, and a model reduces new rows in the same way", async () => {
    const folder = place();
    const model = join(folder, "m.json");
    const args = ["-k", "2", "--id", "id", "--reduce", "2", "--json", "--model", model];
    const { out } = await coterie("cluster", join(folder, "v.csv"), ...args);
    const { labels, features, notices } = JSON.parse(out);
    expect(labels).toEqual(halves);
    expect(features).toEqual(["pc1", "pc2"]);
    expect(notices.join("\n")).toContain("3 columns of numbers became 2 principal components, which keep 100.0% of the variance");
    const placed = await coterie("predict", model, join(folder, "v.jsonl"), "--id", "id", "--json");
    expect(JSON.parse(placed.out).labels, placed.err).toEqual(halves);
    const matrix = await coterie("cluster", join(folder, "v.npy"), "-k", "2", "--reduce", "1", "--json");
    expect(JSON.parse(matrix.out).features).toEqual(["pc1"]);
  });
});
