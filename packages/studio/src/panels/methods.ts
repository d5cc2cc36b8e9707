/** Which answers a method looks at. */
import type { Info, Standing } from "@coterie/workbench/protocol";

type Method = Info["methods"][number];

export interface Counts {
  readonly mustLink: number;
  readonly cannotLink: number;
  readonly relative: number;
  readonly labels: number;
  readonly exclusive: number;
}

export function countsOfKinds(constraints: readonly Standing[]): Counts {
  const counts = { mustLink: 0, cannotLink: 0, relative: 0, labels: 0, exclusive: 0 };
  for (const { constraint, counts: does } of constraints) {
    if (!does) continue;
    if (constraint.type === "must-link") counts.mustLink++;
    else if (constraint.type === "cannot-link") counts.cannotLink++;
    else if (constraint.type === "relative") counts.relative++;
    else if (constraint.type === "label") counts.labels++;
    else if (constraint.type === "exclusive") counts.exclusive++;
  }
  return counts;
}

export function usedBy({ treats }: Pick<Method, "treats">, counts: Counts): { readonly used: number; readonly given: number } {
  let [used, given] = [0, 0];
  for (const kind of Object.keys(counts) as (keyof Counts)[]) {
    given += counts[kind];
    if (treats[kind] !== "ignored") used += counts[kind];
  }
  return { used, given };
}

const SIGNS: readonly (readonly [keyof Counts, string])[] = [
  ["mustLink", "="],
  ["cannotLink", "≠"],
  ["relative", "ab|c"],
  ["labels", "label"],
];

/** "= ≠ label" */
export function usesSigns({ treats }: Pick<Method, "treats">): string {
  return SIGNS.filter(([kind]) => treats[kind] !== "ignored")
    .map(([, sign]) => sign)
    .join(" ");
}
