import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const NAMES = ["ann", "bob", "cay", "dan", "eve"];
const AT = [0, 1, 3, 9, 10];
const between = (i: number, j: number) => Math.abs(AT[i]! - AT[j]!);
const square = (order: readonly number[]) =>
  `,${order.map((i) => NAMES[i]).join(",")}\n${order.map((i) => `${NAMES[i]},${order.map((j) => between(i, j)).join(",")}\n`).join("")}`;
const TABLE = `id,x,class\n${NAMES.map((name, i) => `${name},${AT[i]},${i < 3 ? "low" : "high"}`).join("\n")}\n`;
const KNOWN = "type,a,b\ncannot-link,ann,bob\n";

const folder = folderWith({
  "data.csv": TABLE,
  "ids.csv": TABLE.replace(/,\d+,/g, ",").replace(",x,", ","),
  "square.csv": square([0, 1, 2, 3, 4]),
  "shuffled.csv": square([4, 2, 0, 1, 3]),
  "short.csv": square([0, 1, 2, 3]),
  "half.csv": `distance\n${[0, 1, 2, 3, 4].flatMap((i) => [0, 1, 2, 3, 4].filter((j) => j > i).map((j) => between(i, j))).join("\n")}\n`,
  "known.csv": KNOWN,
});
const at = (name: string) => join(folder, name);

async function reportOf(...args: string[]) {
  const { code, out, err } = await coterie("cluster", "-k", "3", "--json", ...args);
  expect([code, err]).toEqual([0, expect.any(String)]);
  // Rows of a matrix have no means, so two of the scores without classes are missing there.
  const { timings: _, internal: __, ...report } = JSON.parse(out);
  return report;
}

test.each(["ccl", "complete-link", "average-link", "ward", "recon"])(
  "%s from a matrix beside the table gives what the columns give, whatever the order of the matrix",
  async (algorithm) => {
    const line = [at("data.csv"), "--id", "id", "--truth", "class", "--scale", "none", "--algorithm", algorithm];
    const known = algorithm === "ccl" ? ["--constraints", at("known.csv")] : [];
    const { notices: __, ...fromColumns } = await reportOf(...line, ...known);
    for (const matrix of ["square.csv", "shuffled.csv"]) {
      const { notices: ___, ...fromMatrix } = await reportOf(...line, ...known, "--distances", at(matrix));
      expect(fromMatrix).toEqual(fromColumns);
    }
  },
);

test("without a table the matrix names the rows; constraints, labels and page follow", async () => {
  const [labels, page] = [at("labels.csv"), at("page.html")];
  const line = ["--algorithm", "ccl", "--constraints", at("known.csv"), "--out", labels, "--html", page];
  const report = await reportOf("--distances", at("square.csv"), ...line);
  expect(report).toMatchObject({ labels: [0, 1, 1, 2, 2], features: [], instances: 5, violations: { cannotLink: [] } });
  expect(readFileSync(labels, "utf8")).toBe("id,cluster\nann,0\nbob,1\ncay,1\ndan,2\neve,2\n");
  expect(JSON.parse(readFileSync(`${labels}.source.json`, "utf8")).data).toBe(at("square.csv"));
  expect(readFileSync(page, "utf8")).toContain("square.csv");
  expect((await reportOf("--distances", at("half.csv"), "--algorithm", "complete-link")).labels).toEqual([0, 0, 1, 2, 2]);
});

test("a table of ids and classes is enough beside a matrix", async () => {
  const report = await reportOf(
    at("ids.csv"),
    "--id",
    "id",
    "--truth",
    "class",
    "--algorithm",
    "ccl",
    "--distances",
    at("square.csv"),
  );
  expect(report).toMatchObject({ features: [], labels: [0, 0, 1, 2, 2], scores: { rand: 0.8 } });
});

test("lines that make no sense are refused with the way out", async () => {
  const run = async (...args: string[]) => await coterie("cluster", "-k", "2", ...args);
  const kmeans = await run(at("data.csv"), "--id", "id", "--distances", at("square.csv"));
  expect([kmeans.code, kmeans.err]).toEqual([
    2,
    expect.stringContaining(
      "kmeans works on columns, not on distances; these take --distances: recon, ccl, density, complete-link",
    ),
  ]);
  const truth = await run("--algorithm", "ccl", "--truth", "class", "--distances", at("square.csv"));
  expect([truth.code, truth.err]).toEqual([
    2,
    expect.stringContaining("--truth is about the columns of a table: name DATA too."),
  ]);
  const both = await run("--algorithm", "ccl", "--distance", "cosine", "--distances", at("square.csv"));
  expect(both.err).toContain("Give --distance or --distances, not both.");
  const short = await run(
    at("data.csv"),
    "--id",
    "id",
    "--ignore",
    "class",
    "--algorithm",
    "ccl",
    "--distances",
    at("short.csv"),
  );
  expect([short.code, short.err]).toEqual([3, expect.stringContaining("The matrix is about 4 rows, but")]);
  expect((await run("--algorithm", "ccl")).code).toBe(2);
});
