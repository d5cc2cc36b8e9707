import { askFromLabels, finish } from "@coterie/core/internal";
import { readTable } from "@coterie/data";
import { expect, test } from "vitest";
import { coterie } from "./testing/console.js";

const LINE = ["cluster", "iris-fisher", "-k", "3", "--truth", "class", "--active", "20", "--simulate"];

async function reportOf(...more: string[]) {
  const { code, out, err } = await coterie(...LINE, "--json", ...more);
  expect([code, err]).toEqual([0, expect.stringMatching(/\d+ questions were asked/)]);
  return JSON.parse(out);
}

test("ccl with questions is the paper's active complete linkage", async () => {
  const report = await reportOf("--algorithm", "ccl");
  const points = await readTable("iris-fisher", { truth: "class" });
  const { constraints, outcome } = askFromLabels({
    points,
    strategy: "active-ccl",
    k: 3,
    budget: 20,
    truth: points.truth!.codes,
  });
  const result = finish({ points, constraints }, outcome);
  expect(report.labels).toEqual([...result.labels]);
  expect(report.questions).toMatchObject({ strategy: "active-ccl", budget: 20, unsure: 0 });
  expect(report.questions.asked).toBe(constraints.mustLinks.a.length + constraints.cannotLinks.a.length);
  expect(report.violations).toMatchObject({ mustLink: [], cannotLink: [] });
  expect(report.merges.length).toBe(149);
  expect(report.merges.map((merge: number[]) => merge[3])).toEqual(result.merges!.map((merge) => merge[3]));
});

test("the hierarchy of the dialogue is written like any other", async () => {
  const { code, out } = await coterie(...LINE, "--algorithm", "ccl", "--newick", "-");
  expect(code).toBe(0);
  expect(out.trim()).toMatch(/^\(.*;$/);
  expect(out.split(",").length).toBe(150);
});

test("any other method clusters with what was answered", async () => {
  for (const more of [
    ["--algorithm", "cop-kmeans"],
    ["--algorithm", "ccl", "--strategy", "explore-consolidate"],
  ]) {
    const report = await reportOf(...more);
    expect(report.questions.asked).toBe(20);
    expect(report.violations).toMatchObject({ mustLink: [], cannotLink: [] });
  }
  expect((await reportOf("--algorithm", "ccl", "--strategy", "explore-consolidate")).merges.length).toBe(149);
});

test.each([
  [["-k", "3", "--active", "5"], "add --simulate"],
  [["-k", "3", "--active", "5", "--simulate"], "name their column with --truth"],
  [["-k", "3", "--simulate"], "--simulate goes with --active Q"],
  [["-k", "3", "--active", "2.5", "--simulate", "--truth", "class"], "--active"],
  [
    ["--height", "2", "--algorithm", "ccl", "--active", "5", "--simulate", "--truth", "class"],
    "--active needs the number of clusters",
  ],
])("%j is refused", async (more, sentence) => {
  const { code, err } = await coterie("cluster", "iris-fisher", ...more);
  expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
});
