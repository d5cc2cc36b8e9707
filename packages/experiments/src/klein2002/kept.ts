/** Our claim: constraints drawn from the true classes are satisfiable, and our methods satisfy them. */

import { type ConstraintSet, generateConstraints, randomFrom, violationCount, violationsOf } from "@coterie/core/internal";
import { distinct, numbersOf, repeated, where } from "@coterie/workbench/trials";
import { factCell } from "../frame/cells.js";
import { ABOUT_IRIS, IRIS, type Labelled, load, titleOf } from "../frame/data.js";
import type { Claim, Page, PageData, ResultTable, Size, TrialTable } from "../frame/paper.js";
import { timed } from "../frame/thread-time.js";
import { byCells, crossed } from "../grid.js";
import { CCL, CCL_OURS, CKM, CKM_OURS, METHODS, type Passive } from "./methods.js";

const SETS = [IRIS, "wine", "digits", "soybean-562"] as const;
const COUNTS: Readonly<Record<Size, readonly number[]>> = { quick: [50, 200, 500], full: [50, 100, 200, 300, 400, 500] };
const RUNS: Readonly<Record<string, Readonly<Record<Size, number>>>> = {
  [IRIS]: { quick: 10, full: 100 },
  wine: { quick: 10, full: 100 },
  digits: { quick: 2, full: 30 },
  "soybean-562": { quick: 3, full: 30 },
};
const COST: Readonly<Record<string, number>> = { [IRIS]: 15, wine: 20, digits: 2000, "soybean-562": 400 };
const PAIRS = [
  [CCL, CCL_OURS],
  [CKM, CKM_OURS],
] as const;
const TESTED = PAIRS.flat() as readonly Passive[];

const kept: TrialTable = {
  name: "kept",
  keys: ["set", "count", "run"],
  values: [...TESTED, ...TESTED.map((method) => `${method}, ms`)],
  timed: TESTED.map((method) => `${method}, ms`),
  trials: (size, seed) =>
    crossed(SETS, COUNTS[size], (set, count) =>
      repeated(RUNS[set]![size], seed, `klein2002 kept, ${set}, ${count}`, {
        key: { set, count },
        needs: [set],
        cost: COST[set]!,
      }),
    ).flat(),
  async measure({ key, seed }) {
    const rows = await load(key.set as string);
    const known = generateConstraints(rows.truth, { count: key.count as number, random: randomFrom(seed).split("constraints") });
    return Object.fromEntries(
      TESTED.flatMap((method) => {
        const { result, milliseconds } = timed(() => keeps(method, rows, known, seed));
        return [
          [method, result ? 1 : 0],
          [`${method}, ms`, milliseconds],
        ];
      }),
    );
  },
};

export function keeps(method: Passive, rows: Labelled, known: ConstraintSet, seed: number): boolean {
  const k = rows.truth.names.length;
  const labels = METHODS[method](rows, known, k, seed);
  return labels !== null && new Set(labels).size === k && violationCount(violationsOf(known, labels)) === 0;
}

function linesOf(seen: PageData, set: string, count: number) {
  return where(seen.lines(kept), { set, count });
}

function allKept(id: string, method: Passive, tested: string): Claim {
  return {
    id,
    section: "beyond the paper",
    tested,
    judge: byCells((seen) =>
      crossed(SETS, COUNTS[seen.size], (set, count) => {
        const values = numbersOf(linesOf(seen, set, count), method);
        const held = values.reduce((sum, value) => sum + value, 0);
        const place = { row: titleOf(set), column: String(count) };
        return factCell(place, held === values.length, `${held} of ${values.length}`, values.length);
      }),
    ),
  };
}

export const keptPage: Page = {
  name: "kept",
  title: "Beyond the paper: correct constraints are kept",
  kind: "extra",
  covers: ["promises"],
  tables: [kept],
  protocol: () =>
    `Pairs of rows at random, must-linked or cannot-linked as the classes say; k is the number of classes. A set is kept if the result has k clusters and breaks nothing. *CCL* and *CKM* are the papers', *(ours)* are the methods as they are here. Times are processor time of one thread. ${ABOUT_IRIS}`,
  claims: [
    allKept("kept.ccl", CCL_OURS, "`ccl` ends in k clusters that break nothing, in every set at every number of constraints"),
    allKept(
      "kept.cop-kmeans",
      CKM_OURS,
      "`cop-kmeans` ends in k clusters that break nothing, in every set at every number of constraints",
    ),
  ],
  results: (seen) => PAIRS.map(([paper, ours]) => tableOf(seen, paper, ours)),
};

function tableOf(seen: PageData, paper: Passive, ours: Passive): ResultTable {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    title: `Sets kept by ${paper} and by ${ours}, and milliseconds a set`,
    columns: ["data", "constraints", "sets", paper, ours, `${paper}, ms`, `${ours}, ms`],
    rows: crossed(distinct<string>(seen.lines(kept), "set"), COUNTS[seen.size], (set, count) => {
      const lines = linesOf(seen, set, count);
      const of = (column: string): number => sum(numbersOf(lines, column));
      return [
        titleOf(set),
        String(count),
        String(lines.length),
        String(of(paper)),
        String(of(ours)),
        ...[paper, ours].map((method) => (of(`${method}, ms`) / lines.length).toFixed(1)),
      ];
    }),
  };
}
