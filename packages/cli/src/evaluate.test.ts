/** What `coterie evaluate` says about a clustering that somebody hands in. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const folder = folderWith({
  "t.csv": `id,x\n${Array.from({ length: 20 }, (_, i) => `r${i},${i}`).join("\n")}\n`,
  "l.csv": `id,cluster\n${Array.from({ length: 20 }, (_, i) => `r${i},${i < 3 ? -1 : i < 15 ? "loyal" : "new"}`).join("\n")}\n`,
  "many.csv": `id,cluster\n${Array.from({ length: 20 }, (_, i) => `r${i},c${i % 15}`).join("\n")}\n`,
});
const evaluate = (labels: string, ...more: string[]) =>
  coterie("evaluate", join(folder, labels), "--data", join(folder, "t.csv"), "--id", "id", ...more);

test("without classes and constraints: rows, clusters by size, noise, and nothing about what was not given", async () => {
  const { code, out, err } = await evaluate("l.csv");
  expect(code).toBe(0);
  expect(out.split("\n").map((line) => line.split(/\s{2,}/).join("|"))).toEqual([
    "rows|20",
    "clusters|2",
    "noise|3",
    "|cluster loyal|12",
    "|cluster new|5",
    expect.stringMatching(/^Without known classes: silhouette .*, Davies-Bouldin .*, Calinski-Harabasz /),
    "",
  ]);
  expect(err).toContain("3 of 20 rows are noise");
  expect(out).not.toMatch(/violations|Rand/);
});

test("as JSON the same numbers, all clusters, and no scores", async () => {
  const report = JSON.parse((await evaluate("l.csv", "--json")).out);
  expect(report).toMatchObject({
    instances: 20,
    k: 2,
    noise: 3,
    clusters: [
      { cluster: "loyal", size: 12 },
      { cluster: "new", size: 5 },
    ],
  });
  expect(report).not.toHaveProperty("scores");
  const many = await evaluate("many.csv");
  expect(many.out).toContain("  and 3 smaller clusters (--json lists all)\n");
  expect(JSON.parse((await evaluate("many.csv", "--json")).out).clusters).toHaveLength(15);
});
