import { expect, test } from "vitest";
import { keptOf } from "../bench/history.mjs";

test("of a bench report the ratios are kept, with the commit; failures and plain times are not", () => {
  const row = { case: "linkage", title: "", held: "ratio", figure: 0.33333, bar: 0.5, busy: 0.1 };
  const report = {
    command: "npm run bench",
    date: "2026-01-02T03:04:05Z",
    quick: false,
    seed: 1,
    machine: { cpu: "x", cores: 2 },
    versions: { node: "20.0.0" },
    notices: [],
    cases: [
      { ...row, row: "complete" },
      { ...row, row: "alone", figure: null },
      { ...row, row: "peak", held: "amount" },
      { case: "csv", row: null, failure: "no peer" },
    ],
  } as unknown as Parameters<typeof keptOf>[0];
  expect(keptOf(report, "abc", "0.2.0")).toEqual({
    release: "0.2.0",
    commit: "abc",
    date: report.date,
    command: "npm run bench",
    machine: "2 cores, x",
    node: "20.0.0",
    rows: { "linkage/complete": { ratio: 0.333, bar: 0.5, busy: 0.1 } },
  });
});
