import { expect, test } from "vitest";
import { indexOf, pageOf, type Record } from "./page.js";

const record: Record = {
  paper: "someone2001",
  paperTitle: "Someone (2001)",
  figure: "figure-1",
  title: "Curves",
  quick: false,
  seed: 3,
  findings: [
    { claim: "a|b helps", published: "0.9", ours: "0.8", verdict: "does not hold", because: "fewer rows" },
    { claim: "it ends", published: "yes", ours: "yes", verdict: "holds" },
  ],
};

test("a page names its command, its claims with verdicts, its pictures and its tables", () => {
  const page = pageOf(record, {
    protocol: "Ten runs.",
    findings: record.findings,
    pictures: [{ name: "iris", caption: "Rand on iris", svg: "<svg/>" }],
    tables: [{ title: "Means", columns: ["set", "Rand"], rows: [["iris", 0.123456]] }],
  });
  expect(page).toContain("`npm run experiment -- someone2001 figure-1 --seed 3`");
  expect(page).toContain("| a\\|b helps | 0.9 | 0.8 | **does not hold**: fewer rows |");
  expect(page).toContain("![Rand on iris](figure-1-iris.svg)");
  expect(page).toContain("| iris | 0.1235 |");
});

test("the index lists every claim under its paper with the verdict", () => {
  const index = indexOf([record, { ...record, figure: "figure-2", title: "More", findings: [], quick: true }]);
  expect(index.match(/## Someone \(2001\)/g)).toHaveLength(1);
  expect(index).toContain("### [Curves](someone2001/figure-1.md)\n\n- **does not hold**: a|b helps\n- **holds**: it ends");
  expect(index).toContain("### [More](someone2001/figure-2.md) (quick run)");
});
