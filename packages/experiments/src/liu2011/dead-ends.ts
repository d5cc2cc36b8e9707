/** Section 4.2: without ReCon's test whether a merge is compatible with the constraints, building a hierarchy runs into dead ends. */

import { type ConstraintSet, CoterieError, type Instances, randomFrom, randomTriplets, recon } from "@coterie/core/internal";
import { curvesFigure } from "@coterie/figures";
import { createSimdKernels } from "@coterie/kernels";
import { curveOf, found, meanOf, repeated, shareOf, where } from "@coterie/workbench/trials";
import { factCell, percent } from "../frame/cells.js";

import { ABOUT_IRIS, load, titleOf } from "../frame/data.js";
import type { Page, PageData, Picture, ResultTable, TrialTable } from "../frame/paper.js";
import { byCells } from "../grid.js";
import { type DataSet, SETS, setNamed } from "./sets.js";

const TRIED = SETS.filter(({ n }) => n < 1000);
const RUNS = { quick: 4, full: 50 } as const;
const kernels = createSimdKernels();

function countsOf({ n }: DataSet): readonly number[] {
  return [0.1, 0.25, 0.5, 1].map((share) => Math.round(share * n));
}

const deadEnds: TrialTable = {
  name: "dead-ends",
  keys: ["set", "count", "run"],
  values: ["clusters left, naive", "clusters left, ReCon"],
  trials: (size, seed) =>
    TRIED.flatMap((set) =>
      countsOf(set).flatMap((count) =>
        repeated(RUNS[size], seed, `liu2011 dead ends, ${set.name}, ${count}`, {
          key: { set: set.name, count },
          needs: [set.name],
          cost: (set.n / 100) ** 3 * 4,
        }),
      ),
    ),
  async measure({ key, seed }) {
    const points = await load(key.set as string);
    const known = randomTriplets(points.truth, { count: key.count as number, random: randomFrom(seed) });
    return { "clusters left, naive": naiveClustersLeft(points, known), "clusters left, ReCon": reconClustersLeft() };

    function reconClustersLeft(): number | null {
      try {
        return points.n - recon(points, known, { k: setNamed(key.set as string).k, kernels }).merges!.length;
      } catch (error) {
        if (error instanceof CoterieError) return null;
        throw error;
      }
    }
  },
};

function deadShare(
  seen: PageData,
  set: string,
  column: string,
  count: number,
): { readonly cases: number; readonly count: number } {
  const { counts, values } = curveOf(where(seen.lines(deadEnds), { set }), column);
  const own = values[counts.indexOf(count)]!;
  return { cases: own.filter((left) => left !== 1).length, count: own.length };
}

export const deadEndPage: Page = {
  name: "dead-ends",
  title: "Section 4.2: dead ends without the test of compatibility",
  kind: "extra",
  covers: ["naive"],
  tables: [deadEnds],
  protocol: ({ size }) =>
    `Centroid linkage that takes the closest pair of clusters whose merge breaks no constraint at once, beside ReCon, which also asks whether a hierarchy stays possible; ${RUNS[size]} runs with random constraints from the classes, from a tenth of the number of rows to all of it. A run is at a dead end where more than one cluster is left and every merge would break a constraint. ${ABOUT_IRIS}`,
  claims: [
    {
      id: "dead-ends.naive",
      quote:
        "though given constraints are not violated at any previous round, the hierarchical clustering algorithm runs into a dead end where any further merging violates some given constraint",
      section: "section 4.2",
      tested: "the naive linkage comes to a dead end in some run",
      published: "possible (an example of four instances)",
      about: "some",
      judge: byCells((seen) =>
        TRIED.flatMap((set) =>
          countsOf(set).map((count, i) => {
            const { cases, count: runs } = deadShare(seen, set.name, "clusters left, naive", count);
            const column = `${[10, 25, 50, 100][i]}% as many constraints as rows`;
            return factCell({ row: titleOf(set.name), column }, cases > 0, `${percent(cases / runs)} of ${runs} runs`);
          }),
        ),
      ),
    },
    {
      id: "dead-ends.recon",
      quote: "A merging step is compatible with constraints only if it does not change the existence of a complete solution.",
      section: "section 4.2",
      tested: "ReCon ends with one cluster in every run",
      published: "never a dead end",
      judge: byCells((seen) =>
        TRIED.flatMap((set) =>
          countsOf(set).map((count, i) => {
            const { cases, count: runs } = deadShare(seen, set.name, "clusters left, ReCon", count);
            const place = { row: titleOf(set.name), column: `${[10, 25, 50, 100][i]}%` };
            return factCell(place, cases === 0, `${cases} of ${runs}`, runs);
          }),
        ),
      ),
    },
  ],
  pictures: (seen) => [picture(seen)],
  results: (seen) => [tableOf(seen)],
};

function setsOf(seen: PageData): DataSet[] {
  return TRIED.filter(({ name }) => !seen.missing.includes(name));
}

function picture(seen: PageData): Picture {
  return {
    name: "shares",
    caption: `Share of ${RUNS[seen.size]} runs at a dead end, by the number of random constraints over the number of rows; bars are standard errors.`,
    svg: () =>
      curvesFigure({
        title: "Runs at a dead end",
        panels: setsOf(seen).map((set) => ({
          title: titleOf(set.name),
          series: ["naive", "ReCon"].map((name) => ({
            name,
            points: countsOf(set).map((count) => {
              const { cases, count: runs } = deadShare(seen, set.name, `clusters left, ${name}`, count);
              const { mean, error } = shareOf(cases, runs);
              return { x: count / set.n, y: mean, error };
            }),
          })),
        })),
        xLabel: "constraints per row",
        yLabel: "runs at a dead end",
        yDomain: [-0.02, 1.02],
        columns: 4,
      }),
  };
}

function tableOf(seen: PageData): ResultTable {
  return {
    title: "Clusters left by the naive linkage, mean over the runs at a dead end",
    columns: ["set", "constraints", "runs at a dead end", "clusters left"],
    rows: setsOf(seen).flatMap((set) => {
      const { counts, values } = curveOf(where(seen.lines(deadEnds), { set: set.name }), "clusters left, naive");
      return counts.map((count, i) => {
        const stuck = found(values[i]!).filter((left) => left > 1);
        return [
          titleOf(set.name),
          String(count),
          `${stuck.length} of ${values[i]!.length}`,
          stuck.length === 0 ? "–" : meanOf(stuck).mean.toFixed(1),
        ];
      });
    }),
  };
}

/*
 * Section 4.2: ReCon without its test of compatibility. Each step merges the closest pair of clusters by centroid linkage, and skips merges
 * that break a constraint immediately. If every possible merge breaks a constraint, the method has reached a dead end.
 */

/** A constraint ab|c, by the numbers of the clusters that hold the rows a, b and c. */
type RelativeConstraint = readonly [a: number, b: number, c: number];

/** Builds a hierarchy and returns the number of clusters that remain: 1 if it is complete, more if it reached a dead end. */
export function naiveClustersLeft({ n, d, x }: Instances, { relative }: ConstraintSet): number {
  const sizes = new Float64Array(n).fill(1);
  const alive = Array.from({ length: n }, (_, row) => row);
  const squares = squaredDistances(x, n, d);
  let constraints = Array.from(relative.a, (a, s): RelativeConstraint => [a, relative.b[s]!, relative.c[s]!]);
  while (alive.length > 1) {
    const pair = closestAllowed(alive, squares, n, barredBy(constraints, n));
    if (!pair) break;
    merge(pair, alive, sizes, squares, n);
    const [i, j] = pair;
    // Cluster j is now part of cluster i. Constraints with a and b in the same cluster are satisfied and no longer needed.
    const now = (cluster: number): number => (cluster === j ? i : cluster);
    constraints = constraints.map(([a, b, c]): RelativeConstraint => [now(a), now(b), now(c)]).filter(([a, b]) => a !== b);
  }
  return alive.length;
}

/** Pairs of clusters that must not merge. For a constraint ab|c, neither a nor b can merge with c before a and b are together. */
function barredBy(constraints: readonly RelativeConstraint[], n: number): Set<number> {
  const barred = new Set<number>();
  for (const [a, b, c] of constraints) for (const near of [a, b]) barred.add(Math.min(near, c) * n + Math.max(near, c));
  return barred;
}

function closestAllowed(
  alive: readonly number[],
  squares: Float64Array,
  n: number,
  barred: ReadonlySet<number>,
): [number, number] | null {
  let best: [number, number] | null = null;
  let least = Infinity;
  for (let p = 0; p < alive.length; p++) {
    for (let q = p + 1; q < alive.length; q++) {
      const place = alive[p]! * n + alive[q]!;
      if (squares[place]! < least && !barred.has(place)) {
        least = squares[place]!;
        best = [alive[p]!, alive[q]!];
      }
    }
  }
  return best;
}

function merge([i, j]: readonly [number, number], alive: number[], sizes: Float64Array, squares: Float64Array, n: number): void {
  const at = (p: number, q: number): number => Math.min(p, q) * n + Math.max(p, q);
  const [a, b] = [sizes[i]!, sizes[j]!];
  const between = squares[at(i, j)]!;
  alive.splice(alive.indexOf(j), 1);
  for (const other of alive) {
    if (other === i) continue;
    const moved = (a * squares[at(i, other)]! + b * squares[at(j, other)]!) / (a + b) - (a * b * between) / (a + b) ** 2;
    squares[at(i, other)] = Math.max(0, moved);
  }
  sizes[i] = a + b;
}

function squaredDistances(x: Float64Array, n: number, d: number): Float64Array {
  const squares = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      let sum = 0;
      for (let c = 0; c < d; c++) sum += (x[i * d + c]! - x[j * d + c]!) ** 2;
      squares[i * n + j] = sum;
    }
  }
  return squares;
}
