import { expect, test } from "vitest";
import type { TrialTable } from "./paper.js";
import {
  columnOf,
  distinct,
  headerOf,
  joined,
  lineOf,
  numbersOf,
  parseTrials,
  rounded,
  seedFor,
  textOf,
  where,
} from "./trials.js";

const table: TrialTable = {
  name: "some",
  keys: ["set", "run"],
  values: ["Rand", "F, held out"],
  trials: () => [],
  measure: async () => ({}),
};
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

test("tables of the same trials are joined line by line", () => {
  const other = { ...table, name: "other", values: ["NMI"] };
  const lines = new Map([
    [table, [{ set: "iris", run: 1, Rand: 0.5 }]],
    [
      other,
      [
        { set: "iris", run: 0, NMI: 0.1 },
        { set: "iris", run: 1, NMI: 0.2 },
      ],
    ],
  ]);
  const seen = { size: "full", seed: 0, missing: [], lines: (one: TrialTable) => lines.get(one) ?? [] } as const;
  expect(joined(seen, table, other)).toEqual([{ set: "iris", run: 1, Rand: 0.5, NMI: 0.2 }]);
});

test("seeds differ by words and index, and follow from the first", () => {
  const seeds = [seedFor(0, "a"), seedFor(0, "a", 1), seedFor(0, "b"), seedFor(1, "a")];
  expect(new Set(seeds).size).toBe(4);
  expect(seedFor(0, "a")).toBe(seeds[0]);
});
