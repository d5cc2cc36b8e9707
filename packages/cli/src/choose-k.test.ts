import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cluster } from "./index.js";
import { readConstraints, readTable } from "./library/data.js";
import { coterie, folderWith } from "./testing/console.js";

test("-k A..B chooses by the silhouette where there are no constraints, and shows why", async () => {
  const page = join(folderWith({}), "p.html");
  const { code, out, err } = await coterie("cluster", "iris-fisher", "-k", "2..6", "--json", "--html", page);
  expect(code).toBe(0);
  const { k, chosen, sizes } = JSON.parse(out);
  expect(chosen).toMatchObject({ k, by: "silhouette" });
  expect(chosen.evidence.map((each: { k: number }) => each.k)).toEqual([2, 3, 4, 5, 6]);
  expect(sizes).toHaveLength(k);
  expect([2, 3]).toContain(k);
  expect(err).toContain("The number of clusters was chosen (silhouette).");
  expect(readFileSync(page, "utf8")).toContain("Number of clusters");
});

test("enough constraints are held out, and decide: in the library as at the command line", async () => {
  const known = join(folderWith({}), "known.csv");
  const made = await coterie("constraints", "generate", "iris-fisher", "--truth", "class", "--count", "100", "--out", known);
  expect(made.code).toBe(0);
  for (const algorithm of ["pck-means", "kmeans", "ccl"] as const) {
    const { code, out } = await coterie(
      "cluster",
      "iris-fisher",
      "-a",
      algorithm,
      "-k",
      "2..6",
      "--constraints",
      known,
      "--json",
    );
    expect(code).toBe(0);
    const { chosen } = JSON.parse(out);
    expect(chosen.by).toBe("held-out constraints, then silhouette");
    const points = await readTable("iris-fisher", { truth: "class" });
    const options = { algorithm, k: [2, 6] as const };
    expect(cluster(points, await readConstraints(known, points), options).chosen).toEqual(chosen);
    expect([2, 3, 4]).toContain(chosen.k);
  }
});

test("ranges that are none are usage errors; more clusters than rows are bad input", async () => {
  for (const wrong of ["5..2", "0..3", "2...4", "a..b", "2.."])
    expect((await coterie("cluster", "iris-fisher", "-k", wrong)).code).toBe(2);
  expect((await coterie("cluster", "iris-fisher", "-k", "2..151")).code).toBe(3);
  const file = join(folderWith({ "t.csv": "x\n1\n2\n9\n" }), "t.csv");
  for (const more of [
    ["--engine", "duckdb"],
    ["--engine", "memory"],
  ]) {
    const { code, err } = await coterie("cluster", file, "-k", "2..3", ...more);
    expect(code).toBe(2);
    expect(err).toContain("one number of clusters, not a range");
  }
});
