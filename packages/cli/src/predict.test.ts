/** Models at the command line: saved by `cluster`, used by `predict`. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

/** Two clouds, a nominal column that follows them, some holes. */
const rows = Array.from({ length: 40 }, (_, i) => {
  const far = i % 2 === 0 ? 0 : 20;
  const hole = i % 13 === 5;
  return {
    id: `r${i}`,
    x: hole ? "" : String(far + ((i * 37) % 11) / 3),
    y: String(100 * far + ((i * 53) % 7)),
    kind: far ? "b" : "a",
  };
});
const csv = (list: readonly (typeof rows)[number][]) =>
  `id,x,y,kind\n${list.map(({ id, x, y, kind }) => `${id},${x},${y},${kind}`).join("\n")}\n`;

let folder: string;
const file = (name: string) => join(folder, name);
const cluster = (...args: string[]) =>
  coterie("cluster", file("data.csv"), "-k", "2", "--id", "id", "--missing", "impute", "--quiet", ...args);
const predict = (model: string, data: string, ...args: string[]) =>
  coterie("predict", file(model), file(data), "--id", "id", ...args);

beforeAll(async () => {
  folder = folderWith({
    "data.csv": csv(rows),
    "moved.csv": `kind,extra,y,id,x\n${rows
      .toReversed()
      .map(({ id, x, y, kind }) => `${kind},?,${y},${id},${x}`)
      .join("\n")}\n`,
    "complete.csv": `id,x,y,kind,class\n${rows
      .filter(({ x }) => x !== "")
      .map(({ id, x, y, kind }) => `${id},${x},${y},${kind},class of ${kind}`)
      .join("\n")}\n`,
    "unseen.csv": csv([{ id: "new", x: "1", y: "3", kind: "c" }]),
    "few.csv": "id,x,kind\na,1,a\n",
    "text.csv": "id,x,y,kind\na,one,2,a\n",
    "known.csv": "type,a,b\nmust-link,r0,r1\n",
  });
  const models: [string, string[]][] = [
    ["kmeans.json", []],
    ["scaled.json", ["--scale", "zscore"]],
    ["mpck.json", ["--algorithm", "mpck-means", "--metrics", "multiple", "--matrix", "full"]],
    ["tree.json", ["--algorithm", "clusilc", "--scale", "minmax"]],
  ];
  for (const [name, args] of models) {
    const { code, err } = await cluster("--model", file(name), "--out", file(`${name}.labels.csv`), ...args);
    expect([code, err]).toEqual([0, ""]);
  }
});

describe("the rows that the model was made from", () => {
  test.each(["kmeans.json", "scaled.json", "mpck.json", "tree.json"])(
    "%s gives them their labels, holes and all",
    async (model) => {
      const { code, out } = await predict(model, "data.csv");
      expect(code).toBe(0);
      expect(out).toBe(readFileSync(file(`${model}.labels.csv`), "utf8"));
    },
  );

  test.each(["kmeans.json", "scaled.json", "mpck.json", "tree.json"])(
    "%s: other orders of rows and columns do not matter",
    async (model) => {
      const { out } = await predict(model, "moved.csv", "--quiet");
      const [head, ...lines] = readFileSync(file(`${model}.labels.csv`), "utf8")
        .trim()
        .split("\n");
      expect(out.trim().split("\n")).toEqual([head, ...lines.toReversed()]);
    },
  );
});

test("a model is one JSON file that says where it comes from", () => {
  const model = JSON.parse(readFileSync(file("scaled.json"), "utf8"));
  expect(model).toMatchObject({
    format: "coterie-model",
    formatVersion: 1,
    algorithm: "kmeans",
    k: 2,
    missing: "impute",
    reproduces: 40,
  });
  expect(model.columns.map(({ name, kind }: { name: string; kind: string }) => `${name} ${kind}`)).toEqual([
    "x numeric",
    "y numeric",
    "kind nominal",
  ]);
  expect(model.columns[2]).toMatchObject({ levels: ["a", "b"], fill: "a" });
  expect(model.scaling.factor).toHaveLength(3);
  expect(model.data).toEqual({ file: file("data.csv"), sha256: expect.stringMatching(/^[0-9a-f]{64}$/), rows: 40 });
});

test("writes labels with their source, distances, and JSON", async () => {
  const { code, out, err } = await predict(
    "kmeans.json",
    "complete.csv",
    "--out",
    file("l.csv"),
    "--centre-distances",
    file("d.csv"),
    "--json",
    "--truth",
    "class",
  );
  expect(code).toBe(0);
  const { labels, sizes, scores, unseen } = JSON.parse(out);
  expect(sizes[0] + sizes[1]).toBe(labels.length);
  expect(unseen).toEqual([]);
  expect(scores.adjustedRand).toBe(1);
  expect(readFileSync(file("l.csv"), "utf8").split("\n")[1]).toBe("r0,0");
  expect(existsSync(file("l.csv.source.json"))).toBe(true);
  const lines = readFileSync(file("d.csv"), "utf8").trim().split("\n");
  expect(lines[0]).toBe("id,0,1");
  lines.slice(1).forEach((line, i) => {
    const [, first, second] = line.split(",").map(Number);
    expect(first! < second! ? 0 : 1).toBe(labels[i]);
  });
  expect(err).toContain("The kmeans model put 37 rows into its 2 clusters (0: ");
  expect(err).toContain("adjusted Rand 1.000");
});

test("rows dropped for missing cells are null in JSON and have no line", async () => {
  const { out } = await predict("kmeans.json", "data.csv", "--missing", "drop", "--json", "--quiet");
  const { labels } = JSON.parse(out);
  expect(labels.map((label: number | null, i: number) => (label === null ? i : -1)).filter((i: number) => i >= 0)).toEqual([
    5, 18, 31,
  ]);
});

test("a row with an unseen level gets a cluster, with a notice", async () => {
  const { code, out, err } = await predict("kmeans.json", "unseen.csv");
  expect([code, out]).toEqual([0, "id,cluster\nnew,0\n"]);
  expect(err).toContain('The model has not seen "c" in the column "kind" (1 row)');
});

test("rows that constraints hold elsewhere are counted when the model is saved", async () => {
  const args = [
    "--algorithm",
    "cop-kmeans",
    "--constraints",
    file("known.csv"),
    "--ignore",
    "class",
    "--model",
    file("cop.json"),
  ];
  const { code, err } = await coterie("cluster", file("complete.csv"), "-k", "2", "--id", "id", ...args);
  expect(code).toBe(0);
  expect(err).toContain("the model would put 1 of 37 rows into another cluster");
  expect(err).toContain(`Written: ${file("cop.json")}`);
});

test("a tree needs the columns that it tests, also with holes in others", async () => {
  const args = ["--describe", "y", "--algorithm", "clusilc", "--model", file("y.json"), "--out", file("y.csv")];
  expect((await cluster(...args)).code).toBe(0);
  writeFileSync(file("lone.csv"), `id,y\n${rows.map(({ id, y }) => `${id},${y}`).join("\n")}\n`);
  const { code, out } = await predict("y.json", "lone.csv", "--quiet");
  expect([code, out]).toEqual([0, readFileSync(file("y.csv"), "utf8")]);
});

test("a metric that was learned first is in the report and in the model", async () => {
  const known = file("links.csv");
  writeFileSync(known, "type,a,b\nmust-link,r0,r2\nmust-link,r4,r6\nmust-link,r1,r3\nmust-link,r7,r9\n");
  const args = [
    "-a",
    "kmeans",
    "--learned-metric",
    "rca",
    "--constraints",
    known,
    "--ignore",
    "class",
    "--model",
    file("rca.json"),
    "--json",
  ];
  const { code, out } = await coterie("cluster", file("complete.csv"), "-k", "2", "--id", "id", ...args);
  expect(code).toBe(0);
  const report = JSON.parse(out);
  expect(report.metric).toMatchObject({ kind: "full", matrices: [{ length: 4 }] });
  expect(report.metricColumns).toEqual(["x", "y", "kind=a", "kind=b"]);
  expect(report.notices.join()).not.toContain("does not look at");
  const predicted = await predict("rca.json", "complete.csv", "--json");
  expect(JSON.parse(predicted.out).labels).toEqual(report.labels);
});

describe("what is wrong", () => {
  test("a hierarchy has no model, and says so before anything is read", async () => {
    const args = ["--algorithm", "ward", "--model", file("w.json")];
    const { code, err } = await coterie("cluster", file("nothere.csv"), "-k", "2", ...args);
    expect(code).toBe(2);
    expect(err).toContain('--algorithm is "ward"; it must be one of auto, kmeans, cop-kmeans,');
    expect(err).toContain("ward has no rule for new rows");
  });

  test.each([
    ["few.csv", /few\.csv: There is no column "y" \(the model needs it\)\..* The columns are id, x, kind\./],
    ["text.csv", /text\.csv: The column "x" holds text; the model was made with numbers there\./],
    ["gone.csv", /gone\.csv: There is no such file\./],
  ])("%s is bad input", async (data, message) => {
    const { code, err, out } = await predict("kmeans.json", data);
    expect(err).toMatch(message);
    expect([code, out]).toEqual([3, ""]);
  });

  test("a model that is none, damaged, newer, or not there", async () => {
    const good = readFileSync(file("kmeans.json"), "utf8");
    writeFileSync(file("cut.json"), good.slice(0, 200));
    writeFileSync(file("newer.json"), good.replace('"formatVersion":1', '"formatVersion":9'));
    writeFileSync(file("bad.json"), good.replace('"k":2,"sizes"', '"k":3,"sizes"'));
    for (const [name, message] of [
      ["cut.json", "cut.json: This is no model: it is not JSON."],
      ["newer.json", "newer.json: The model has the format 9 of a newer Coterie"],
      ["bad.json", "bad.json: The model is damaged: it has k = 3 clusters and 2 sizes."],
      ["data.csv", "data.csv: This is no model"],
      ["nothere.json", "nothere.json: There is no such file. Save a model first"],
    ] as const) {
      const { code, err } = await predict(name, "data.csv");
      expect(err).toContain(message);
      expect(code).toBe(3);
    }
  });

  test("errors about a model's columns have remedies that work with a model", async () => {
    await cluster("--missing", "drop", "--model", file("dropped.json"));
    writeFileSync(file("mixed.csv"), "id,x,y,kind\na,1,2,a\nb,one,2,a\nc,3,4,b\n");
    const mixed = await predict("kmeans.json", "mixed.csv");
    expect(mixed.err).toMatch(/mixes numbers and text.* Correct the cells: the model needs this column with the same type\./s);
    const strict = await predict("kmeans.json", "data.csv", "--missing", "error");
    expect(strict.err).toMatch(
      /cells are missing.*Drop those rows \(--missing drop\), or fill the cells \(--missing impute\)\./s,
    );
    const hard = await predict("dropped.json", "data.csv", "--missing", "error");
    expect(hard.err).toMatch(/cells are missing.*Drop those rows \(--missing drop\)\./s);
    expect([mixed.code, strict.code, hard.code]).toEqual([3, 3, 3]);
  });

  test("usage", async () => {
    expect((await coterie("predict", file("kmeans.json"))).code).toBe(2);
    expect((await coterie("predict", "-", file("data.csv"))).code).toBe(2);
    expect((await predict("kmeans.json", "data.csv", "--scale", "zscore")).err).toContain("There is no option --scale");
    expect((await predict("tree.json", "data.csv", "--centre-distances", file("t.csv"))).code).toBe(2);
    await cluster("--missing", "drop", "--model", file("drop.json"));
    const { code, err } = await predict("drop.json", "data.csv", "--missing", "impute");
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("the model was made with --missing drop and has no values to fill in"),
    ]);
  });
});

test("a model of categories with missing cells places its own rows, and the report has all its centre columns", async () => {
  const lines = Array.from({ length: 40 }, (_, i) => `${i % 2 === 0 ? 0 : 20},${["a", "b", ""][i % 3]}`);
  const folder = folderWith({ "data.csv": `x,kind\n${lines.join("\n")}\n` });
  const [data, saved] = [join(folder, "data.csv"), join(folder, "model.json")];
  const clustered = await coterie("cluster", data, "-k", "2", "--model", saved, "--json", "--quiet");
  const { labels, centres, centreColumns } = JSON.parse(clustered.out);
  expect(centreColumns).toEqual(["x", "kind=a", "kind=b"]);
  expect(centres[0]).toHaveLength(3);
  const predicted = await coterie("predict", saved, data, "--json", "--quiet");
  expect(JSON.parse(predicted.out).labels).toEqual(labels);
});
