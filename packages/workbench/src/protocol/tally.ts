/** Counts constraints. The server and the page use the same functions, so that all numbers on a screen agree. */
import type { Info } from "./info.js";
import type { Constraint, Standing } from "./knowledge.js";

export interface Tally {
  /** Number of all constraints, including unsure answers, bounds on sizes, and constraints that do not count. */
  readonly all: number;
  /** The number of constraints of each kind. Together they give `all`. */
  readonly of: Readonly<Record<Constraint["type"], number>>;
  readonly checkable: number;
}

export function tallyOf(constraints: readonly Standing[]): Tally {
  const of = { "must-link": 0, "cannot-link": 0, relative: 0, label: 0, unsure: 0, exclusive: 0, sizes: 0 };
  for (const { constraint } of constraints) of[constraint.type]++;
  const counting = constraints.filter(({ counts }) => counts);
  return { all: constraints.length, of, checkable: checkableOf(counting) };
}

export function checkableOf(counting: Parameters<typeof usedOf>[1]): number {
  return usedOf(ALL, counting);
}

/** Number of constraints that an exported file holds. Exclusive columns, bounds on sizes and unsure answers cannot be in it. */
export function exportedOf(constraints: readonly Standing[]): number {
  return usedOf(
    { ...ALL, exclusive: "ignored" },
    constraints.filter(({ counts }) => counts),
  );
}

type Treats = Pick<Info["methods"][number]["treats"], "mustLink" | "cannotLink" | "relative" | "labels" | "exclusive">;

const ALL: Treats = { mustLink: "soft", cannotLink: "soft", relative: "soft", labels: "soft", exclusive: "soft" };
const KINDS = {
  "must-link": "mustLink",
  "cannot-link": "cannotLink",
  relative: "relative",
  label: "labels",
  exclusive: "exclusive",
} as const;

export function usedOf(treats: Treats, counting: readonly { readonly constraint: Constraint }[]): number {
  return counting.filter(({ constraint }) => {
    if (constraint.type === "unsure" || constraint.type === "sizes") return false;
    const treatment = treats[KINDS[constraint.type]];
    const isHard = "weight" in constraint && constraint.weight === "inf";
    return treatment === "hard-only" ? isHard : treatment !== "ignored";
  }).length;
}
