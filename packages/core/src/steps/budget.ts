/** Work of exact searches, counted in nodes. The count is the same on every machine and does not depend on the load of the machine. */
import { badOption } from "../errors.js";

/** Number of nodes that searches may still visit; all steps of one question share it. */
export interface Budget {
  left: number;
  /** The search pauses when the remaining nodes fall to this number. */
  pause?: number;
}

export interface EffortOptions {
  /** Maximum number of nodes to visit; then the answer is "undecided". */
  readonly effort?: number;
}

/** Work that pauses regularly, so that its driver can show progress or cancel. `drain` runs it without pausing. */
export type Interruptible<R> = Generator<undefined, R, void>;

export const EFFORT = 100_000;

export function budgetOf({ effort = EFFORT }: EffortOptions): Budget {
  if (!(effort >= 0)) throw badOption("effort", effort, "a number of nodes, 0 or more");
  return { left: effort };
}

/** Takes up to `most` nodes from a budget and returns them as a new budget. */
export function share(budget: Budget, most: number): Budget {
  const granted = Math.max(0, Math.min(budget.left, most));
  budget.left -= granted;
  return { left: granted };
}

export function giveBack(budget: Budget, shared: Budget): void {
  budget.left += Math.max(0, shared.left);
}

/** This many looks count as one node. A look reads one neighbour, entry or row. */
const LOOKS_PER_NODE = 4_096;

/** Charges looks to the budget as nodes, so that large graphs take no more time than small graphs. */
export function chargeLooks(budget: Budget, looks: number): void {
  budget.left -= looks / LOOKS_PER_NODE;
}

export function looksLeft(budget: Budget): number {
  return Math.max(0, budget.left) * LOOKS_PER_NODE;
}

/** Number of search nodes between two pauses: a few milliseconds of work. */
const NODES_PER_PAUSE = 500;

export function pauseDue(budget: Budget): boolean {
  budget.pause ??= budget.left - NODES_PER_PAUSE;
  if (budget.left > budget.pause) return false;
  budget.pause = budget.left - NODES_PER_PAUSE;
  return true;
}

export function checkColours(k: number): void {
  if (!Number.isInteger(k) || k < 0) throw badOption("k", k, "a whole number, 0 or more");
}
