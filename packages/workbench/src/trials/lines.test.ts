import { expect, test } from "vitest";
import {
  columnOf,
  distinct,
  headerOf,
  lineOf,
  numbersOf,
  parseTrials,
  rounded,
  seedFor,
  sortedLines,
  textOf,
  where,
} from "./lines.js";
import type { TrialColumns } from "./trial.js";

const table: TrialColumns = { name: "some", keys: ["set", "run"], values: ["Rand", "F, held out"] };
const trial = (set: string, run: number) => ({ key: { set, run }, seed: 7, needs: [], cost: 1 });

test("a line comes back as it was written, with seven digits; no clustering is an empty cell", () => {
  const text = headerOf(table) + textOf(table, trial("iris", 0), { Rand: 1 / 3, "F, held out": null });
  expect(text).toBe('set,run,seed,Rand,"F, held out"\niris,0,7,0.3333333,\n');
  const kept = parseTrials(table, text, "some.csv");
  expect(lineOf(table, trial("iris", 0), kept.get("iris,0")!)).toEqual({
    set: "iris",
    run: 0,
    Rand: 0.3333333,
    "F, held out": null,
  });
  expect([rounded(1e-9 / 3), rounded(Number.NaN), rounded(Number.POSITIVE_INFINITY)]).toEqual([3.333333e-10, null, null]);
});

test("a trial that forgets a value is a mistake", () => {
  expect(() => textOf(table, trial("iris", 0), { Rand: 1 })).toThrow("has no F, held out");
});

test("a line that was cut off is left out, a line that is not a trial is an error with its number", () => {
  const whole = `${headerOf(table)}iris,0,7,0.5,1\n`;
  expect([...parseTrials(table, `${whole}iris,1,7,0.`, "some.csv").keys()]).toEqual(["iris,0"]);
  expect(() => parseTrials(table, `${whole}iris,1,7,rubbish,1\n`, "some.csv")).toThrow(
    'some.csv, line 3: This line is not a trial: "iris,1,',
  );
  expect(() => parseTrials(table, "set,run,seed,Rand\n", "some.csv")).toThrow(
    "some.csv, line 1: The columns differ from the trials",
  );
});

test("lines are chosen by their columns", () => {
  const lines = [
    { set: "iris", run: 0, Rand: 0.5 },
    { set: "iris", run: 1, Rand: null },
    { set: "wine", run: 0, Rand: 0.7 },
  ];
  expect(columnOf(where(lines, { set: "iris" }), "Rand")).toEqual([0.5, null]);
  expect(numbersOf(where(lines, { set: "iris" }), "Rand")).toEqual([0.5]);
  expect(distinct(lines, "set")).toEqual(["iris", "wine"]);
});

test("a remark is the last cell, with commas and quotes, on one line", () => {
  const remarked = { ...table, remark: "failure" };
  const said = 'no "legal" cluster,\nfor row 3';
  const text = headerOf(remarked) + textOf(remarked, trial("iris", 0), { Rand: null, "F, held out": null }, said);
  expect(text).toBe('set,run,seed,Rand,"F, held out",failure\niris,0,7,,,"no ""legal"" cluster, for row 3"\n');
  expect(parseTrials(remarked, text, "some.csv").get("iris,0")).toMatchObject({
    values: { Rand: null },
    remark: 'no "legal" cluster, for row 3',
  });
  const plain = headerOf(remarked) + textOf(remarked, trial("iris", 0), { Rand: 1, "F, held out": 1 });
  expect(parseTrials(remarked, plain, "some.csv").get("iris,0")!.remark).toBe("");
});

test("lines are sorted by their trials; others follow or are dropped", () => {
  const line = (run: number) => `iris,${run},7,0.5,1\n`;
  const kept = parseTrials(table, headerOf(table) + line(2) + line(9) + line(0), "some.csv");
  const trials = [trial("iris", 0), trial("iris", 1), trial("iris", 2)];
  expect(sortedLines(table, kept, trials, "keep")).toBe(headerOf(table) + line(0) + line(2) + line(9));
  expect(sortedLines(table, kept, trials, "drop")).toBe(headerOf(table) + line(0) + line(2));
});

test("seeds differ by words and index, and follow from the first", () => {
  const seeds = [seedFor(0, "a"), seedFor(0, "a", 1), seedFor(0, "b"), seedFor(1, "a")];
  expect(new Set(seeds).size).toBe(4);
  expect(seedFor(0, "a")).toBe(seeds[0]);
});
