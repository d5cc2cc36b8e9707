/**
 * Every method with every kind of column: it finds the two groups that the column separates, or refuses in a sentence. Nothing crashes, no
 * number of a report is none, and no column is passed over without a word.
 */
import { join } from "node:path";
import { catalogue, takesK } from "@coterie/core/internal";
import { beforeAll, expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const ROWS = 16;
const isOdd = (i: number): boolean => i % 2 === 1;

/** A cell of each row, by kind of column; each separates the odd rows from the even rows. */
const CELLS: Readonly<Record<string, (i: number) => string>> = {
  number: (i) => String((isOdd(i) ? 40 : 0) + (i % 5)),
  money: (i) => `"$${isOdd(i) ? "9," : "1,"}${100 + i}.50"`,
  date: (i) => `2024-${isOdd(i) ? "11" : "02"}-${10 + i}`,
  boolean: (i) => String(isOdd(i)),
  nominal: (i) => (isOdd(i) ? "north" : "south"),
  text: (i) => (isOdd(i) ? `Meyer Anna ${i % 3}` : `Okafor Benedict ${i % 3}`),
  vector: (i) => (isOdd(i) ? `"[${9 + i / 20}, 1, 0]"` : `"[0, 1, ${9 - i / 20}]"`),
  holed: (i) => (i % 4 === 3 ? "NA" : String((isOdd(i) ? 40 : 0) + (i % 5))),
  gap: (i) => (i % 8 === 4 ? "" : isOdd(i) ? "north" : "south"),
};

/** Kinds of columns, with what a line says about them. Where cells are missing, a second column knows of every row. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  number: ["--features", "number"],
  money: ["--features", "money"],
  date: ["--features", "date"],
  boolean: ["--features", "boolean"],
  nominal: ["--features", "nominal"],
  text: ["--features", "text", "--type", "text=text", "--text-dimensions", "8"],
  vector: ["--features", "vector"],
  "numbers and levels": ["--features", "number,nominal", "--scale", "minmax"],
  "missing, skipped": ["--features", "number,holed,gap", "--missing", "skip"],
  "missing, filled": ["--features", "number,holed,gap", "--missing", "impute"],
};

let folder: string;

beforeAll(() => {
  const names = Object.keys(CELLS);
  const lines = Array.from({ length: ROWS }, (_, i) => [`r${i}`, ...names.map((name) => CELLS[name]!(i))].join(","));
  folder = folderWith({
    "t.csv": `id,${names.join(",")}\n${lines.join("\n")}\n`,
    "known.csv": "type,a,b,c\nmust-link,r0,r2,\nmust-link,r1,r3,\ncannot-link,r0,r1,\nrelative,r4,r6,r5\n",
  });
});

/** Methods that cannot skip missing cells: they need means or tests. */
const NEEDS_ALL = catalogue.filter(
  ({ name, family }) =>
    (["partition", "tree"].includes(family) && name !== "auto") || /^(ward|centroid-link|median-link)$/.test(name),
);

/** A metric that three constraints teach may be any; a tree tests texts for equality, and says so. */
const mayDiffer = (kind: string, algorithm: string): boolean =>
  algorithm === "rca-kmeans" || (kind === "text" && algorithm === "clusilc");

/** Where a report holds no number: forbidden merges have no height, and rows with missing cells no means. */
function holes(value: unknown, path = ""): string[] {
  if (value === null) return [path];
  if (typeof value === "string") return /\b(NaN|undefined|Infinity)\b/.test(value) ? [path] : [];
  if (typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inside]) => holes(inside, `${path}/${key}`));
}

test.each(Object.keys(KINDS))("%s", async (kind) => {
  // Duplicates compare cells; their columns have tests of their own.
  for (const { name, options } of catalogue.filter(takesK)) {
    const line = ["cluster", join(folder, "t.csv"), "--id", "id", "-k", "2", "-a", name, ...KINDS[kind]!, "--json"];
    if ("restarts" in (options as unknown as { shape: object }).shape) line.push("--restarts", "2");
    const { code, out, err } = await coterie(...line, "--constraints", join(folder, "known.csv"));
    const cell = `${name}: ${err}`;
    const report = JSON.parse(out);
    expect(err, cell).not.toMatch(/\b(NaN|undefined|bug)\b/);
    if (kind === "missing, skipped" && NEEDS_ALL.some((method) => method.name === name)) {
      expect(code, cell).toBe(3);
      expect(report.error.message, cell).toMatch(
        /Methods that only use distances can skip missing cells; .* Drop those rows .*\.$/s,
      );
      continue;
    }
    expect(code, cell).toBe(0);
    expect(report.labels, cell).toHaveLength(ROWS);
    expect(
      holes(report).filter((path) => !/^\/merges\/\d+\/2$|^\/internal\//.test(path)),
      cell,
    ).toEqual([]);
    expect(report.features.length, cell).toBeGreaterThanOrEqual(KINDS[kind]![1]!.split(",").length);
    if (mayDiffer(kind, name)) continue;
    expect(report.labels, cell).toEqual(Array.from({ length: ROWS }, (_, i) => i % 2));
  }
});

test("a tree says that it does not see how alike texts are", async () => {
  const { out } = await coterie(
    "cluster",
    join(folder, "t.csv"),
    "-k",
    "2",
    "-a",
    "clusilc",
    ...KINDS.text!,
    "--id",
    "id",
    "--json",
  );
  expect(JSON.parse(out).notices.join()).toContain("A tree tests texts for equality alone");
});

test.each([
  ["--row-weight", "number"],
  ["--weight", "number=4"],
  ["--type", "number=nominal"],
  ["--cyclic", "number=24"],
  ["--reduce", "1"],
  ["--text-dimensions", "4"],
  ["--sample", "5"],
  ["--columns-from", "t.csv"],
  ["--missing", "skip"],
])("an engine reads columns as they are, and refuses %s", async (flag, value) => {
  for (const line of [["cluster"], ["ask", "--simulate", "--truth", "nominal"]]) {
    const { code, err } = await coterie(...line, join(folder, "t.csv"), "-k", "2", "--engine", "duckdb", flag, value);
    expect(code, err).toBe(2);
    expect(err).toContain(`Engines do not support ${flag === "--missing" ? "--missing skip" : flag}`);
  }
});
