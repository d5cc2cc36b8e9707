/** The six data sets of table 1. */
import { IRIS } from "../frame/data.js";
import type { Size } from "../frame/paper.js";

export interface DataSet {
  readonly name: string;
  readonly n: number;
  readonly k: number;
  readonly runs: Readonly<Record<Size, number>>;
  /** Approximate time of one hierarchy with constraints, in milliseconds, for the estimate of the remaining time. */
  readonly cost: number;
}

const SMALL = { quick: 5, full: 50 } as const;
const LARGE = { quick: 2, full: 50 } as const;

export const SETS: readonly DataSet[] = [
  { name: IRIS, n: 150, k: 3, runs: SMALL, cost: 10 },
  { name: "wine", n: 178, k: 3, runs: SMALL, cost: 12 },
  { name: "ionosphere", n: 351, k: 2, runs: SMALL, cost: 30 },
  { name: "transfusion", n: 748, k: 2, runs: SMALL, cost: 80 },
  { name: "digits-389", n: 3165, k: 3, runs: LARGE, cost: 330 },
  { name: "letters-IJLT", n: 3059, k: 4, runs: LARGE, cost: 330 },
];

export const NEEDS: readonly string[] = SETS.map(({ name }) => name);

export function setNamed(name: string): DataSet {
  const found = SETS.find((set) => set.name === name);
  if (!found) throw new Error(`There is no set ${name} here.`);
  return found;
}

export function informativeCount({ n, k }: DataSet): number {
  return (k - 1) * (n - k);
}

export function marksTo(most: number, size: Size): readonly number[] {
  const steps = 4;
  return Array.from({ length: steps + 1 }, (_, step) => Math.round((step * most) / steps)).filter(
    (_, step) => size === "full" || step % 2 === 0,
  );
}
