/** Work of exact searches, counted in nodes: the same on every machine, whatever its load. */
import { badOption } from "../errors.js";

/** Nodes that searches may still visit; shared by all the steps of one question. */
export interface Budget {
  left: number;
  /** The next pause is due when no more than this is left. */
  pause?: number;
}

export interface EffortOptions {
  /** Most nodes to visit; after them the answer is "undecided". */
  readonly effort?: number;
}

/** Work that pauses now and then, so that whoever drives it can show progress or leave. `drain` runs it at once. */
export type Interruptible<R> = Generator<undefined, R, void>;

export const EFFORT = 100_000;

export function budgetOf({ effort = EFFORT }: EffortOptions): Budget {
  if (!(effort >= 0)) throw badOption("effort", effort, "a number of nodes, 0 or more");
  return { left: effort };
}

/** A part of a budget. */
export function share(budget: Budget, most: number): Budget {
  const granted = Math.max(0, Math.min(budget.left, most));
  budget.left -= granted;
  return { left: granted };
}

/** Gives back what a share did not use. */
export function giveBack(budget: Budget, shared: Budget): void {
  budget.left += Math.max(0, shared.left);
}

/** Neighbours, entries or rows looked at that count as one node. In small graphs a node looks at far fewer. */
const LOOKS_PER_NODE = 4_096;

/** Charges the looks of a node beyond the node itself, so that large graphs spend no more time than small ones. */
export function chargeLooks(budget: Budget, looks: number): void {
  budget.left -= looks / LOOKS_PER_NODE;
}

/** How many looks the budget still allows. */
export function looksLeft(budget: Budget): number {
  return Math.max(0, budget.left) * LOOKS_PER_NODE;
}

/** Nodes between two pauses: some milliseconds. */
const NODES_PER_PAUSE = 500;

/** Whether a search has worked long enough to pause. */
export function pauseDue(budget: Budget): boolean {
  budget.pause ??= budget.left - NODES_PER_PAUSE;
  if (budget.left > budget.pause) return false;
  budget.pause = budget.left - NODES_PER_PAUSE;
  return true;
}

export function checkColours(k: number): void {
  if (!Number.isInteger(k) || k < 0) throw badOption("k", k, "a whole number, 0 or more");
}
