import type { Instances } from "@coterie/core/internal";
import { expect, test } from "vitest";
import { reportOf } from "../testing/samples.js";
import { htmlReport } from "./report-html.js";

const texts = [
  "green tea and <b>honey</b>",
  `green tea ${"🍵 leaf ".repeat(60)}`,
  "a cup of green tea",
  "ink for a blue pen",
  "the blue pen leaks & drips",
];
const labels = Int32Array.of(0, 0, 0, 1, 1);
const instances: Instances = {
  n: 5,
  d: 2,
  x: Float64Array.of(0, 0, 1, 1, 0, 2, 9, 3, 8, 4),
  names: ["x", "comment"],
  nominal: Uint8Array.of(0, 1),
  levels: [null, texts],
};
const words = [
  ["green tea", "honey"],
  ["blue pen", "<i>"],
];
const sectionOf = (more: Parameters<typeof reportOf>[2], names?: readonly string[]) =>
  /<h2>Words.*?<\/section>/s.exec(
    htmlReport({ report: reportOf(instances, labels, more), instances, ...(names ? { names } : {}) }),
  )?.[0];

test("words and typical texts of each cluster, escaped; long texts are cut between characters", () => {
  const section = sectionOf({ words }, ["drinks", ""])!;
  expect(section).toContain("0 drinks");
  expect(section).toContain("green tea, honey");
  expect(section).toContain("blue pen, &lt;i&gt;");
  expect(section).toContain("&lt;b&gt;honey&lt;/b&gt;");
  expect(section).not.toContain("<b>");
  expect(section).not.toContain("doubtful");
  const [cut] = section.match(/<li>green tea 🍵[^<]*<\/li>/)!;
  expect(Array.from(cut).length).toBeLessThanOrEqual(160 + "<li></li>".length);
  expect(cut).toContain("…");
  expect(cut).not.toMatch(/\p{Cs}/u);
});

test("with probabilities: the doubtful texts, the least probable first", () => {
  const section = sectionOf({ words, ownProbabilities: Float64Array.of(0.7, 0.99, 0.6, 0.95, 1) })!;
  const doubtful = [...section.matchAll(/<li>([^<]*) <span class="dim">\((.*?)\)<\/span>/g)].map(([, text, share]) => [
    text,
    share,
  ]);
  expect(doubtful).toEqual([
    ["a cup of green tea", "60.0%"],
    ["green tea and &lt;b&gt;honey&lt;/b&gt;", "70.0%"],
  ]);
  expect(sectionOf({ words, ownProbabilities: new Float64Array(5).fill(1) })).not.toContain("doubtful");
});

test("no section without words", () => {
  expect(sectionOf({})).toBeUndefined();
});
