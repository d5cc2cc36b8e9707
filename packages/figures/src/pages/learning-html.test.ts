import { expect, test } from "vitest";
import { type HtmlLearningOptions, htmlLearning, learningFigure } from "./learning-html.js";

const EVIL = '<script>alert("1")</script>&';

const options: HtmlLearningOptions = {
  title: `${EVIL}.csv`,
  headline: `${EVIL} has the highest mean score, 0.900.`,
  sentences: [`${EVIL} gave no clusters in 1 run. The first reason: ${EVIL}`],
  facts: [["rows", "40"]],
  series: [
    { name: EVIL, points: [0, 15, 30].map((x) => ({ x, y: 0.5 + x / 100, error: 0.02 })) },
    { name: "other", points: [{ x: 0, y: 0.4, error: 0.1 }] },
  ],
  scoreName: "adjusted Rand index",
  scoring: "The score is the adjusted Rand index.",
  counts: [0, 15, 30],
  scores: [{ method: EVIL, cells: ["0.5", "0.65", "0.8 (10% without)"], mean: "0.725" }],
  tests: [{ better: EVIL, other: "other", difference: "0.1 ± 0.0", p: "0.0100", isCertain: true }],
  command: `coterie compare ${EVIL}.csv --out /home/ann/compared`,
  notices: [`The column ${EVIL} is text.`],
  version: "1.2.3",
};

test("names, reasons and notices from data are text, in the page and in the figure", () => {
  const page = htmlLearning(options);
  expect(page).not.toContain("<script");
  expect(page.match(/&lt;script&gt;alert/g)!.length).toBeGreaterThan(8);
  expect(page).not.toContain("/home/ann");
  const picture = learningFigure(options);
  expect(picture).not.toContain("<script");
  expect(picture).toContain("&lt;script&gt;");
});

test("the page has the curves with a band for each method, all scores, all tests and the command", () => {
  const page = htmlLearning({ ...options, title: "wine.csv" });
  expect(page.match(/fill-opacity="0.16"/g)).toHaveLength(2);
  expect(page).toContain("0.8 (10% without)");
  expect(page).toContain("All 1 tests");
  expect(page).toContain("coterie compare");
  expect(page).not.toContain("NaN");
});

test("without tests there is no table of tests, and without sentences no section about them", () => {
  const page = htmlLearning({ ...options, tests: [], sentences: [] });
  expect(page).not.toContain("Which differences are real");
  expect(htmlLearning({ ...options, tests: [] })).not.toContain("corrected");
});
