import { expect, test } from "vitest";
import { joined, type Page, type PageData, type Paper, type TrialTable } from "./paper.js";
import { claimsPage, frontPage, type PageRecord, pageText, pageRecord as recordOf } from "./reproduce.js";

const table: TrialTable = {
  name: "curves",
  keys: ["set"],
  values: ["Rand"],
  trials: () => [{ key: { set: "protein" }, seed: 1, needs: ["protein"], cost: 1 }],
  measure: async () => ({ Rand: 1 }),
};
const page: Page = {
  name: "figure-1",
  title: "Curves",
  kind: "figure",
  tables: [table],
  protocol: () => "Ten runs.",
  claims: [
    {
      id: "figure-1.helps",
      quote: "a|b helps",
      section: "section 2",
      published: "0.9",
      about: "every",
      needs: [],
      judge: () => ({
        cells: [
          { row: "iris", column: "CKM", kind: "fact", holds: true, said: "0.91" },
          { row: "iris", column: "PKM", kind: "fact", holds: false, said: "0.2" },
        ],
        because: "fewer rows",
      }),
    },
    {
      id: "figure-1.ours",
      section: "beyond the paper",
      tested: "it ends",
      published: "–",
      about: "every",
      needs: ["protein"],
      judge: () => ({ cells: [] }),
    },
  ],
  pictures: () => [{ name: "iris", caption: "Rand on iris", svg: () => "<svg/>" }],
  results: () => [{ title: "Means", columns: ["set", "Rand"], rows: [["iris", 0.123456]] }],
};
const paper: Paper = {
  name: "someone2001",
  title: "Someone (2001)",
  pages: [page, { ...page, name: "figure-2", title: "More" }],
};
const seen: PageData = { size: "quick", seed: 3, lines: () => [], missing: ["protein"] };
const made = { curves: [{ commit: "abc", version: "0.1.0", node: "20.1.0", trials: 3 }] };
const record = recordOf(paper, page, seen, made);

test("a page says which command, commit, versions and seed made it, and where the raw numbers are", () => {
  const text = pageText(paper, page, seen, record);
  expect(text).toContain(
    "Made by `coterie reproduce someone2001 figure-1 --quick --seed 3` (Coterie 0.1.0, commit abc, Node 20.1.0). Raw numbers, with the seed of each trial: [curves.csv](curves.csv). **A quick run**: 0 of the 1 trials that the page is meant for; `coterie reproduce someone2001 figure-1 --seed 3`, with the same `--out`, runs the others.",
  );
  const twice = {
    ...record,
    made: { curves: [...made.curves, { commit: "def", version: "0.1.0", node: "20.1.0", trials: 1200 }] },
  };
  expect(pageText(paper, page, seen, twice)).toContain("3 trials by Coterie 0.1.0, commit abc, Node 20.1.0; 1,200 trials by");
});

test("a claim has its words and section, what was published, ours, a verdict, its cells with a mark each, and the cause", () => {
  const text = pageText(paper, page, seen, record);
  expect(text).toContain("### figure-1.helps: does not hold\n\n> “a|b helps” (section 2)");
  expect(text).toContain("| 0.9 | 1 of 2 cells ✓, 1 ✗, 0 ○ | **does not hold** |");
  expect(text).toContain("|  | CKM | PKM |\n|---|---|---|\n| iris | ✓ 0.91 | ✗ 0.2 |");
  expect(text).toContain("Cause: fewer rows");
  expect(text).toContain("### figure-1.ours: not judged\n\n**Ours** (beyond the paper): it ends");
  expect(text).toContain("![Rand on iris](figure-1-iris.svg)");
  expect(text).toContain("| iris | 0.1235 |");
  expect(text).toContain("**Data that are not here**: protein.");
});

test("the front page counts verdicts by paper, ours apart, and lists what needs data", () => {
  const find = (_: string, name: string): PageRecord | null => (name === "figure-1" ? record : null);
  const front = frontPage([paper], find, [{ name: "protein", remedy: "Put it there." }]);
  expect(front).toContain("| someone2001 | 0 | 0 | 1 | 1 | 2 more of ours |");
  expect(front).toContain("| [Curves](someone2001/figure-1.md) | 1 does not hold, 1 not judged | quick run |");
  expect(front).toContain("| More | 2 not judged | not run |");
  expect(front).toContain("- `protein`: Put it there. For: someone2001 figure-1, figure-2.");
  expect(front).toContain("Holm's correction");
  const claims = claimsPage([paper], find);
  expect(claims).toContain("*[Curves](someone2001/figure-1.md) (quick run)*");
  expect(claims).toContain("*More*: not run.\n\n- figure-1.helps: “a|b helps”\n- figure-1.ours: it ends");
});

test("tables of the same trials are joined line by line", () => {
  const one: TrialTable = { ...table, name: "one", keys: ["set", "run"] };
  const other: TrialTable = { ...one, name: "other" };
  const lines = new Map([
    [one, [{ set: "iris", run: 1, Rand: 0.5 }]],
    [
      other,
      [
        { set: "iris", run: 0, NMI: 0.1 },
        { set: "iris", run: 1, NMI: 0.2 },
      ],
    ],
  ]);
  const seen = { size: "full", seed: 0, missing: [], lines: (of: TrialTable) => lines.get(of) ?? [] } as const;
  expect(joined(seen, one, other)).toEqual([{ set: "iris", run: 1, Rand: 0.5, NMI: 0.2 }]);
});
