/** The six sets of table 1, and how often runs are repeated on them. */
import type { Instances, Labelling } from "@coterie/core";
import { readTable } from "@coterie/data";

export interface SetOf {
  readonly name: string;
  readonly k: number;
  /** Rows by the thousand: fewer runs. */
  readonly large: boolean;
}

export const SETS: readonly SetOf[] = [
  { name: "iris", k: 3, large: false },
  { name: "wine", k: 3, large: false },
  { name: "ionosphere", k: 2, large: false },
  { name: "transfusion", k: 2, large: false },
  { name: "digits-389", k: 3, large: true },
  { name: "letters-IJLT", k: 4, large: true },
];

export type Loaded = Instances & { readonly truth: Labelling };

export async function load(name: string): Promise<Loaded> {
  const { truth, ...rest } = await readTable(name, { truth: "class" });
  if (!truth) throw new Error(`${name} has no classes.`);
  return { ...rest, truth };
}

/** Full runs: 50 as in the paper, 6 where rows go by the thousand. */
export function runsOn({ large }: SetOf, quick: boolean): number {
  if (quick) return large ? 2 : 5;
  return large ? 6 : 50;
}

/** Some whole numbers from 0 to most, evenly. */
export function marksTo(most: number, steps: number): readonly number[] {
  return Array.from({ length: steps + 1 }, (_, step) => Math.round((step * most) / steps));
}
