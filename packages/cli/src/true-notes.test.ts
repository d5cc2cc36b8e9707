/** Notes and scores that would say what is not so. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

/** One column of far the largest variance, and one of texts. */
const LOUD = ["loud,soft,kind", ...Array.from({ length: 24 }, (_, i) => `${1000 * (i % 7)},${i % 3},${"ab"[i % 2]}`), ""].join(
  "\n",
);
const DOMINATES =
  'Feature "loud" holds 100.0% of the total variance, so it almost alone determines the distances; consider --scale zscore.';

describe("a column that dominates", () => {
  const folder = folderWith({
    "t.csv": LOUD,
    "links.csv": "type,a,b\nmust-link,0,3\nmust-link,1,4\nmust-link,2,5\nmust-link,6,9\nmust-link,7,13\n",
    "triples.csv": "type,a,b,c\nrelative,0,3,1\nrelative,1,4,2\nrelative,2,5,0\n",
  });
  const numbers = ["--ignore", "kind"];
  const links = ["--constraints", join(folder, "links.csv")];
  const triples = ["--constraints", join(folder, "triples.csv")];
  const notices = async (algorithm: string, ...more: string[]): Promise<string[]> => {
    const line = [
      "cluster",
      join(folder, "t.csv"),
      "-k",
      "2",
      "--scale",
      "none",
      "--algorithm",
      algorithm,
      "--json",
      "--quiet",
      ...more,
    ];
    const { code, out, err } = await coterie(...line);
    expect(code, err).toBe(0);
    return JSON.parse(out).notices;
  };

  test.each([
    ["kmeans", numbers],
    ["average-link", numbers],
    ["average-link", [...numbers, "--distance", "sqeuclidean"]],
    ["ward", []],
    ["clusilc", []],
    ["rca-kmeans", numbers],
    ["svm-kmeans", numbers],
    ["ward", [...numbers, "--learned-metric", "rca"]],
  ] as const)("%s %j: said, for distances go by units, also where there was nothing to learn from", async (name, more) => {
    expect(await notices(name, ...more)).toContain(DOMINATES);
  });

  test.each([
    ["average-link", []],
    ["recon", ["--linkage", "complete"]],
    ["average-link", ["--distance", "gower"]],
    ["average-link", ["--distance", "hamming"]],
    ["average-link", [...numbers, "--distance", "cosine"]],
    ["pck-means", [...numbers, "--distance", "cosine"]],
    ["mpck-means", numbers],
    ["mk-means", numbers],
    ["rca-kmeans", [...numbers, ...links]],
    ["svm-kmeans", [...numbers, ...triples]],
    ["ward", [...numbers, ...links, "--learned-metric", "rca"]],
    ["kmeans", [...numbers, ...triples, "--learned-metric", "svm"]],
  ] as const)("%s %j: not said", async (name, more) => {
    expect((await notices(name, ...more)).join()).not.toContain("of the total variance");
  });
});

describe("scores", () => {
  const folder = folderWith({
    "none.csv": "x,class\n1,\n2,\n3,\n9,\n",
    "one.csv": "x,class\n1,\n2,a\n3,\n9,\n",
    "two.csv": "x,class\n1,b\n2,a\n3,\n9,\n",
    "labels.csv": "id,cluster\n0,p\n1,p\n2,p\n3,q\n",
    "known.csv": "type,a,b\nmust-link,0,1\n",
    "part.csv": "id,cluster\n0,p\n2,p\n3,q\n",
  });
  const evaluate = (labels: string, table: string) =>
    coterie("evaluate", join(folder, labels), "--data", join(folder, table), "--truth", "class", "--json");

  test.each([
    ["labels.csv", "none.csv", "No row has a known class: there are no scores."],
    ["labels.csv", "one.csv", "Only one row has a known class: there are no scores."],
    ["part.csv", "one.csv", "No row has both a cluster and a known class: there are no scores."],
    ["part.csv", "two.csv", "Only one row has both a cluster and a known class: there are no scores."],
  ])("evaluate %s on %s says what is missing, not 1", async (labels, table, notice) => {
    const { code, out, err } = await evaluate(labels, table);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ scores: null, violations: { mustLink: [] } });
    expect(err).toContain(`Note: ${notice}`);
  });

  test("two known classes are enough, and so they were before", async () => {
    const { code, out } = await evaluate("labels.csv", "two.csv");
    expect(code).toBe(0);
    expect(JSON.parse(out).scores.rand).toBe(0);
  });

  test("predict says the same, scores are null", async () => {
    const model = join(folder, "model.json");
    expect((await coterie("cluster", join(folder, "two.csv"), "-k", "2", "--truth", "class", "--model", model)).code).toBe(0);
    const { code, out, err } = await coterie("predict", model, join(folder, "none.csv"), "--truth", "class", "--json");
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ scores: null, notices: ["No row has a known class: there are no scores."] });
    expect(err).not.toContain("Against the known classes");
  });

  test("diagnose compares nothing where there is nothing to score", async () => {
    const known = join(folder, "known.csv");
    const line = ["diagnose", join(folder, "none.csv"), "--truth", "class", "-k", "2", "--constraints", known, "--json"];
    const { code, out, err } = await coterie(...line);
    expect(code, err).toBe(0);
    const report = JSON.parse(out);
    expect(report).not.toHaveProperty("withAndWithout");
    expect(report.notices).toContain("No row has a known class: there are no scores.");
  });

  test("cluster says the same, scores are null", async () => {
    const { code, out, err } = await coterie("cluster", join(folder, "none.csv"), "-k", "2", "--truth", "class", "--json");
    expect(code).toBe(0);
    const report = JSON.parse(out);
    expect(report.scores).toBeNull();
    expect(report.notices).toContain("No row has a known class: there are no scores.");
    expect(err).not.toContain("Against the known classes");
  });
});
