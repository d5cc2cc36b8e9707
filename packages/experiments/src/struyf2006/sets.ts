/** The twelve data sets of table 1, with the numbers of constraints that we chose. */
import { IRIS } from "../frame/data.js";
import type { Size } from "../frame/paper.js";

export interface DataSet {
  readonly name: string;
  readonly counts: Readonly<Record<Size, readonly number[]>>;
  /**
   * Number of runs for each number of constraints, both for scores on all rows and for cross-validation. Each run has its own constraint
   * set.
   */
  readonly runs: Readonly<Record<Size, number>>;
  readonly published: "better" | "comparable" | "worse";
  /** Approximate time of one trial, in milliseconds, for the estimate of the remaining time. */
  readonly cost: number;
}

/**
 * The paper averages over 60 constraint sets. In cross-validation, there are six random partitions into ten folds, and one set for each
 * fold.
 */
const RUNS = { quick: 6, full: 60 } as const;
const SMALL = { quick: [50, 200, 500], full: [50, 100, 200, 300, 400, 500] } as const;
const LARGE = { quick: [100, 800], full: [100, 200, 400, 800] } as const;

export const SETS: readonly DataSet[] = [
  { name: IRIS, counts: SMALL, runs: RUNS, published: "comparable", cost: 60 },
  { name: "hayes-roth", counts: SMALL, runs: RUNS, published: "comparable", cost: 200 },
  { name: "wine", counts: SMALL, runs: RUNS, published: "better", cost: 250 },
  { name: "glass", counts: SMALL, runs: RUNS, published: "comparable", cost: 150 },
  { name: "heart-statlog", counts: SMALL, runs: RUNS, published: "comparable", cost: 400 },
  { name: "ecoli", counts: SMALL, runs: RUNS, published: "better", cost: 150 },
  { name: "liver-disorders", counts: SMALL, runs: RUNS, published: "comparable", cost: 500 },
  { name: "ionosphere", counts: SMALL, runs: RUNS, published: "better", cost: 700 },
  {
    name: "balance",
    counts: { quick: [50, 200, 800], full: [50, 100, 200, 400, 800] },
    runs: RUNS,
    published: "better",
    cost: 500,
  },
  { name: "yeast", counts: LARGE, runs: { quick: 2, full: 60 }, published: "worse", cost: 1200 },
  { name: "image", counts: LARGE, runs: { quick: 2, full: 60 }, published: "better", cost: 1600 },
  {
    name: "pendig",
    counts: { quick: [500, 2000], full: [500, 1000, 2000] },
    runs: { quick: 2, full: 60 },
    published: "better",
    cost: 8000,
  },
];

export function setNamed(name: string): DataSet {
  const found = SETS.find((set) => set.name === name);
  if (!found) throw new Error(`There is no set ${name} here.`);
  return found;
}
