import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as measures from "./library/measures.js";
import { coterie, folderWith } from "./testing/console.js";

const ROWS = [0, 1, 2, 3, 40, 41, 42, 43, 90, 91, 92, 93, 400];
const FILES = {
  "line.csv": `name,x\n${ROWS.map((x, i) => `r${i},${x}`).join("\n")}\n`,
  "known.csv": "type,a,b\nmust-link,r0,r12\ncannot-link,r1,r12\ncannot-link,r0,r5\n",
};

test("noise is -1 in report and labels, breaks must-links, keeps cannot-links, and comes back by evaluate", async () => {
  const folder = folderWith(FILES);
  const [data, known] = [join(folder, "line.csv"), join(folder, "known.csv")];
  const [out, page] = [join(folder, "l.csv"), join(folder, "p.html")];
  const line = ["cluster", data, "--id", "name", "-a", "single-link", "--min-cluster-size", "2", "--constraints", known];
  const { code, out: json, err } = await coterie(...line, "--json", "--out", out, "--html", page);
  expect(code).toBe(0);
  const report = JSON.parse(json);
  expect(report.labels).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, -1]);
  expect([report.k, report.noise, report.sizes]).toEqual([3, 1, [4, 4, 4]]);
  expect(report.violations.mustLink).toEqual([["r0", "r12"]]);
  expect(report.violations.cannotLink).toEqual([]);
  expect(report.chosen).toMatchObject({ k: 3, by: expect.stringContaining("best cut") });
  expect(report.chosen.evidence.map((each: { k: number }) => each.k)).toContain(3);
  expect(err).toContain("into 3 clusters; 1 row is noise.");
  expect(readFileSync(out, "utf8")).toContain("r11,2\nr12,-1\n");
  expect(readFileSync(page, "utf8")).toContain("1 row is in no cluster");

  const evaluated = await coterie("evaluate", out, "--data", data, "--id", "name", "--constraints", known, "--json");
  expect(JSON.parse(evaluated.out)).toMatchObject({ noise: 1, violations: report.violations });
  expect(evaluated.err).toContain("1 of 13 rows are noise");
});

test("--cut best also with -k; --cut height needs a height; wrong pairs are usage errors", async () => {
  const folder = folderWith(FILES);
  const line = ["cluster", join(folder, "line.csv"), "--id", "name", "-a", "ward", "--scale", "none"];
  const two = await coterie(...line, "-k", "2", "--cut", "best", "--min-cluster-size", "2", "--json");
  expect(JSON.parse(two.out)).toMatchObject({ k: 2 });
  const high = await coterie(...line, "--cut", "height", "--height", "10", "--json");
  expect(JSON.parse(high.out)).toMatchObject({ k: 4, noise: 0 });
  for (const wrong of [
    ["--cut", "height"],
    ["--cut", "k"],
    ["-k", "2", "--min-cluster-size", "3"],
    ["--cut", "low"],
  ]) {
    expect((await coterie(...line, ...wrong)).code).toBe(2);
  }
});

test("noise rows count as clusters of their own in the scores, and a second set of scores leaves them out: report, terminal, page, evaluate, library", async () => {
  // Two dense groups, and 8 rows of both kinds far from everything: a method that leaves these out is right about the others alone.
  const xs = [
    ...Array.from({ length: 24 }, (_, i) => (i % 2) * 50 + i * 0.1),
    ...Array.from({ length: 8 }, (_, i) => 200 + 60 * i),
  ];
  const folder = folderWith({
    "t.csv": `name,x,kind\n${xs.map((x, i) => `r${i},${x},${i % 2 === 0 ? "a" : "b"}`).join("\n")}\n`,
  });
  const [data, out, page] = [join(folder, "t.csv"), join(folder, "l.csv"), join(folder, "p.html")];
  const table = ["--id", "name", "--truth", "kind"];
  const line = ["cluster", data, ...table, "-a", "single-link", "--min-cluster-size", "10"];
  const { out: json, err } = await coterie(...line, "--json", "--out", out, "--html", page);
  const { noise, scores, scoresOverClustered, labels } = JSON.parse(json);
  expect(noise).toBe(8);
  expect(scoresOverClustered).toMatchObject({ adjustedRand: 1, rows: 24 });
  expect(scores.adjustedRand).toBeLessThan(0.8);
  expect(scores.rows).toBeUndefined();
  expect(err.replace(/\s+/g, " ")).toContain(
    "each noise row as a cluster of its own; over the 24 clustered rows alone: adjusted Rand 1",
  );
  expect(readFileSync(page, "utf8")).toContain("24 clustered rows");
  const evaluated = await coterie("evaluate", out, "--data", data, ...table, "--json");
  expect(JSON.parse(evaluated.out)).toMatchObject({ scores, scoresOverClustered });
  expect((await coterie("evaluate", out, "--data", data, ...table)).out).toMatch(/all rows +24 clustered rows/);
  const kinds = Int32Array.from(xs, (_, i) => i % 2);
  expect(measures.scores(Int32Array.from(labels), kinds)).toEqual(scores);
  expect(measures.scoresOverClustered(Int32Array.from(labels), kinds)).toEqual(scoresOverClustered);
  expect(measures.adjustedRandIndex(Int32Array.from(labels), kinds)).toBe(scores.adjustedRand);
});
