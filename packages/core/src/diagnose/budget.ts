/** Work of exact searches, counted in nodes: the same on every machine, whatever its load. */
import { badOption } from "../errors.js";

/** Nodes that searches may still visit; shared by all the steps of one question. */
export interface Budget {
  left: number;
}

export interface EffortOptions {
  /** Most nodes to visit; after them the answer is "undecided". */
  readonly effort?: number;
}

export const EFFORT = 100_000;

export function budgetOf({ effort = EFFORT }: EffortOptions): Budget {
  if (!(effort >= 0)) throw badOption("effort", effort, "a number of nodes, 0 or more");
  return { left: effort };
}

/** A part of a budget, and a way to give back what it did not use. */
export function share(budget: Budget, most: number): Budget & { readonly granted: number } {
  const granted = Math.min(budget.left, most);
  budget.left -= granted;
  return { granted, left: granted };
}

export function checkColours(k: number): void {
  if (!Number.isInteger(k) || k < 0) throw badOption("k", k, "a whole number, 0 or more");
}
