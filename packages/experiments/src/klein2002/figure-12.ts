/**
 * Figures 1 and 12: the effect of constraints on nearby rows. According to the paper, COP-k-means moves only the constrained row, which
 * becomes an outlier in its new cluster. CCL propagates the constraint to the neighbours of the row.
 */

import {
  adjustedRandIndex,
  type ConstraintSet,
  contingency,
  emptyConstraints,
  generateConstraints,
  type Instances,
  pairCounts,
  randomFrom,
} from "@coterie/core/internal";
import { principalComponents } from "@coterie/figures";
import { curveCells, curveOf, repeated, where } from "@coterie/workbench/trials";
import { pairedCell } from "../frame/cells.js";
import { at } from "../frame/curves.js";
import { ABOUT_IRIS, IRIS, type Labelled, titleOf } from "../frame/data.js";
import type { Claim, Page, PageData, Picture, ResultTable, Size, TrialTable } from "../frame/paper.js";
import { byCells, crossed } from "../grid.js";
import { rowsOf, setNamed } from "./data-sets.js";
import { ACTIVE, activeClustering, CCL, CKM, METHODS } from "./methods.js";

const COLOURS = ["#3b6fb6", "#d1711f", "#3f9b57", "#a2519f", "#b5443f", "#6b6b6b"];

const NONE = "#b9b9b9";

const PANEL = 190;

const GAP = 16;

const TITLE = 18;

const TOP = 26;

const SETS = ["circles", "stormclouds", "xor", IRIS, "crabs"] as const;
const COUNTS: Readonly<Record<Size, readonly number[]>> = { quick: [20, 80], full: [10, 20, 40, 80] };
const RUNS = { quick: 6, full: 50 } as const;
const NEIGHBOURS = 5;
const SHOWN = [CKM, CCL, ACTIVE] as const;
type Shown = (typeof SHOWN)[number];

export const around: TrialTable = {
  name: "around-constraints",
  keys: ["set", "count", "run"],
  values: SHOWN.flatMap((method) => [`${method} outliers`, `${method} unchanged`]),
  trials: (size, seed) =>
    crossed(SETS, COUNTS[size], (set, count) =>
      repeated(RUNS[size], seed, `klein2002 figure 12, ${set}`, { key: { set, count }, needs: setNamed(set).needs, cost: 60 }),
    ).flat(),
  async measure({ key, seed }) {
    const rows = await rowsOf(setNamed(key.set as string), randomFrom(seed));
    const clusterings = clusteringsOf(key.set as string, rows, key.count as number, seed);
    const before = clusteringsOf(key.set as string, rows, 0, seed);
    return Object.fromEntries(
      SHOWN.flatMap((method) => {
        const { labels, known } = clusterings[method];
        const effect = labels && effectOf(rows, known, labels, before[method].labels!);
        return [
          [`${method} outliers`, effect ? effect.outliers : null],
          [`${method} unchanged`, effect ? effect.unchanged : null],
        ];
      }),
    );
  },
};

interface Clustered {
  readonly labels: Int32Array | null;
  readonly known: ConstraintSet;
}

function clusteringsOf(set: string, rows: Labelled, count: number, seed: number): Readonly<Record<Shown, Clustered>> {
  const { k } = setNamed(set);
  const random = randomFrom(seed).split("constraints", count);
  const known = count === 0 ? emptyConstraints(rows.n) : generateConstraints(rows.truth, { count, random });
  return {
    [CKM]: { labels: METHODS[CKM](rows, known, k, seed), known },
    [CCL]: { labels: METHODS[CCL](rows, known, k, seed), known },
    [ACTIVE]: activeClustering(rows, k, count),
  };
}

/**
 * Two measures of the effect:
 * - the share of constrained rows that are in another cluster than most of their nearest unconstrained rows;
 * - the similarity of the clusters with and without constraints, on the unconstrained rows.
 */
function effectOf(rows: Instances, { mustLinks, cannotLinks }: ConstraintSet, labels: Int32Array, before: Int32Array) {
  const constrained = new Set([...mustLinks.a, ...mustLinks.b, ...cannotLinks.a, ...cannotLinks.b]);
  const free = Array.from({ length: rows.n }, (_, row) => row).filter((row) => !constrained.has(row));
  const alone = [...constrained].filter((row) => {
    const near = nearestOf(rows, row, free);
    return 2 * near.filter((other) => labels[other] === labels[row]).length < near.length;
  });
  const of = (all: Int32Array): Int32Array => Int32Array.from(free, (row) => all[row]!);
  return {
    outliers: constrained.size === 0 ? 0 : alone.length / constrained.size,
    unchanged: adjustedRandIndex(pairCounts(contingency(of(labels), of(before)))),
  };
}

function nearestOf({ d, x }: Instances, row: number, among: readonly number[]): number[] {
  const distance = (other: number): number => {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += (x[row * d + j]! - x[other * d + j]!) ** 2;
    return sum;
  };
  const distances = new Map(among.map((other) => [other, distance(other)]));
  return [...among].sort((a, b) => distances.get(a)! - distances.get(b)! || a - b).slice(0, NEIGHBOURS);
}

function compared(
  id: string,
  what: "outliers" | "unchanged",
  count: number,
  head: Pick<Claim, "quote" | "section" | "tested" | "published">,
): Claim {
  return {
    id,
    ...head,
    judge: byCells(
      (seen) =>
        SETS.map((set) => {
          const lines = where(seen.lines(around), { set });
          const side = (method: Shown) => at(curveOf(lines, `${method} ${what}`), count);
          return pairedCell({ row: titleOf(set), column: `CKM less CCL, ${count} constraints` }, side(CKM), side(CCL));
        }),
      what === "outliers"
        ? "on crabs both methods part rows that lie side by side, for the classes do; a run of CKM without a clustering has no outliers to count."
        : "on iris both methods find nearly the same clusters before and after.",
    ),
  };
}

export const figure12: Page = {
  name: "figure-12",
  title: "Figures 1 and 12: what constraints do to the rows around them",
  kind: "figure",
  covers: ["figure-1"],
  tables: [around],
  protocol: ({ size }) =>
    `All five sets of figure 12, ${COUNTS[size].join(", ")} random constraints, ${RUNS[size]} runs; CKM is the paper's COP-k-means from one random start (runs without a clustering are left out), CCL the paper's, active CCL asks as many questions. A constrained row is an *outlier* if most of its ${NEIGHBOURS} nearest rows without constraints are in another cluster. Clusters are *unchanged* by as much as the adjusted Rand index says, over rows without constraints, between the clusters with constraints and those of the same method from the same start without: 1 is no change. ${ABOUT_IRIS}`,
  claims: [
    compared("figure-12.outliers", "outliers", 20, {
      quote:
        "CKM can satisfy instance-level constraints by assigning them to a different cluster from their close neighbors, essentially creating outliers",
      section: "section 5.2; figure 1",
      tested: "share of constrained rows that are outliers, with 20 constraints",
      published: "pictures",
    }),
    compared("figure-12.unchanged", "unchanged", 20, {
      quote: "in the middle of qualitatively unchanged clusters",
      section: "section 5.2",
      tested: "likeness to the clusters without constraints, with 20 constraints",
      published: "pictures",
    }),
    compared("figure-12.persists", "outliers", 80, {
      quote: "This behavior persists even with large numbers of constraints.",
      section: "section 5.2",
      tested: "share of constrained rows that are outliers, with 80 constraints",
      published: "pictures",
    }),
  ],
  pictures: (seen) => SETS.filter((set) => !seen.missing.includes(set)).map((set) => picture(seen, set)),
  results: (seen) => (["outliers", "unchanged"] as const).map((what) => tableOf(seen, what)),
};

function picture(seen: PageData, set: string): Picture {
  const counts = [0, ...COUNTS[seen.size]];
  const plane = set === "crabs" ? "the second and third principal components" : "the first two principal components";
  return {
    name: set,
    caption: `${titleOf(set)}${setNamed(set).needs.length > 0 ? `, on ${plane}` : ""}: CKM, CCL and active CCL with ${counts.join(", ")} constraints, the first run. Must-links are lines, cannot-links dashed; grey dots: no clustering.`,
    async svg() {
      const { seed } = around.trials("quick", seen.seed).find(({ key }) => key.set === set && key.run === 0)!;
      const rows = await rowsOf(setNamed(set), randomFrom(seed));
      const panels = counts.map((count) => {
        const clusterings = clusteringsOf(set, rows, count, seed);
        return SHOWN.map((method) => ({ title: `${method}, ${count}`, ...clusterings[method] }));
      });
      return scatterPanels(titleOf(set), [placesOf(set, rows)], panels);
    },
  };
}

function placesOf(set: string, rows: Instances): Places {
  const column = (values: Float64Array, width: number, j: number): Float64Array =>
    Float64Array.from({ length: rows.n }, (_, row) => values[row * width + j]!);
  if (rows.d === 2) return { x: column(rows.x, 2, 0), y: column(rows.x, 2, 1) };
  const { scores } = principalComponents(rows, 3);
  const first = set === "crabs" ? 1 : 0;
  return { x: column(scores, 3, first), y: column(scores, 3, first + 1) };
}

function tableOf(seen: PageData, what: "outliers" | "unchanged"): ResultTable {
  const title =
    what === "outliers" ? "Share of constrained rows that are outliers" : "Likeness to the clusters without constraints";
  return {
    title: `${title}, mean ± standard error`,
    columns: ["data", "method", ...COUNTS[seen.size].map(String)],
    rows: crossed(
      SETS.filter((set) => !seen.missing.includes(set)),
      SHOWN,
      (set, method) => [titleOf(set), method, ...curveCells(curveOf(where(seen.lines(around), { set }), `${method} ${what}`))],
    ),
  };
}

/*
 * Draws small scatter plots side by side. Rows are dots in the colour of their cluster; must-links are solid lines, cannot-links dashed
 * lines.
 */

interface ScatterPanel {
  readonly title: string;
  readonly labels: Int32Array | null;
  readonly known: ConstraintSet | null;
}

interface Places {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

export function scatterPanels(title: string, places: readonly Places[], panels: readonly (readonly ScatterPanel[])[]): string {
  const columns = Math.max(...panels.map((row) => row.length));
  const width = GAP + columns * (PANEL + GAP);
  const height = TOP + panels.length * (PANEL + TITLE + GAP);
  const drawn = panels.flatMap((row, r) =>
    row.map((panel, c) => {
      const [left, top] = [GAP + c * (PANEL + GAP), TOP + r * (PANEL + TITLE + GAP)];
      return `<g transform="translate(${left} ${top})">${panelMarks(panel, places[r * columns + c] ?? places[0]!)}</g>`;
    }),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="#1c1c1c"><title>${title}</title><rect width="100%" height="100%" fill="#ffffff"/><text x="${GAP}" y="17" font-weight="600">${title}</text>${drawn.join("")}</svg>\n`;
}

function panelMarks({ title, labels, known }: ScatterPanel, { x, y }: Places): string {
  const at = scaled(x, y);
  const clusters = labels ? [...new Set(labels)].sort((a, b) => a - b) : [-1];
  const dots = clusters.map((cluster) => {
    const rows = Array.from(x.keys()).filter((row) => labels === null || labels[row] === cluster);
    const colour = labels === null ? NONE : COLOURS[cluster % COLOURS.length];
    return `<path d="${rows.map((row) => `M${at(row)}h0`).join("")}" stroke="${colour}" stroke-width="4" stroke-linecap="round"/>`;
  });
  const links = (pairs: ConstraintSet["mustLinks"], dash: string): string =>
    `<path d="${Array.from(pairs.a, (a, s) => `M${at(a)}L${at(pairs.b[s]!)}`).join("")}" fill="none" stroke="#1c1c1c" stroke-opacity="0.55" stroke-width="0.9"${dash}/>`;
  const lines = known ? links(known.mustLinks, "") + links(known.cannotLinks, ' stroke-dasharray="3 3"') : "";
  return `<text y="12">${title}</text><rect y="${TITLE}" width="${PANEL}" height="${PANEL}" fill="none" stroke="#d9d9d9"/><g transform="translate(0 ${TITLE})">${dots.join("")}${lines}</g>`;
}

function scaled(x: Float64Array, y: Float64Array): (row: number) => string {
  const range = (values: Float64Array): [number, number] => [Math.min(...values), Math.max(...values)];
  const [[left, right], [low, high]] = [range(x), range(y)];
  const unit = (PANEL - 12) / Math.max(right - left, high - low, 1e-12);
  const [dx, dy] = [(PANEL - unit * (right - left)) / 2, (PANEL - unit * (high - low)) / 2];
  return (row) => `${(dx + unit * (x[row]! - left)).toFixed(1)} ${(dy + unit * (high - y[row]!)).toFixed(1)}`;
}
