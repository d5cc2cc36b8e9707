/**
 * The E-step for bound rows. Greedy moves of single rows alone (bilenko2004, section 3.2) get stuck: rows that hang together
 * cannot leave one by one, and rows that the first metric misplaced hold each other there. So a sweep over single units is followed
 * by one over blocks, and from the second iteration on all bound rows are also placed afresh, as in the first sweep; the better of
 * the two answers stands. Every choice lowers the same objective, which therefore still never rises.
 */
import type { Random } from "../../../random/index.js";
import type { Steps } from "../../../steps/index.js";
import { blocksOf, blockTable } from "./blocks.js";
import { boundObjective } from "./bound-objective.js";
import { type SweepState, sweepSteps } from "./sweep.js";

/** A new placement must be better by this share, or rounding could make two equal ones take turns. */
const BETTER = 1e-9;

/** Placements afresh that may fail in a row before they are tried only when nothing else moves. */
const MOST_FAILURES = 2;

/** What the E-steps of a run remember: placements afresh that were no better, since the last that was. */
export interface AssignMemory {
  failures: number;
}

/** Rewrites labels; returns how many units or rows moved. `others`: how many free rows moved. */
export function* assignBoundSteps(
  state: SweepState,
  random: Random,
  iteration: number,
  others: number,
  memory: AssignMemory,
): Steps<number> {
  const moved = yield* settleSteps(state, random);
  if (state.penalty === "none" || iteration === 1) return moved;
  if (memory.failures >= MOST_FAILURES && moved + others > 0) return moved;
  if (isLeast(state)) return moved;
  const placed = yield* afreshSteps(state, random.split("afresh"));
  memory.failures = placed > 0 ? 0 : memory.failures + 1;
  return moved + placed;
}

/** Whether nothing can be better: every unit is in its nearest cluster, and nothing is violated. */
function isLeast(state: SweepState): boolean {
  const { table, units, k } = state;
  if (!table) return false;
  let least = 0;
  for (let u = 0; u < units.count; u++) {
    let nearest = table[u * k]!;
    for (let h = 1; h < k; h++) nearest = Math.min(nearest, table[u * k + h]!);
    least += nearest;
  }
  return boundObjective(state) <= least + BETTER * Math.abs(least);
}

/** A sweep over all units, then one over blocks of them. */
function* settleSteps(state: SweepState, random: Random): Steps<number> {
  const { links, units, x, d, k, labels, penalty, table } = state;
  const order = Int32Array.from({ length: units.count }, (_, u) => u);
  random.shuffle(order);
  const moved = yield* sweepSteps(state, order);
  if (penalty === "none") return moved;
  const blocks = blocksOf(links, units, x, d, k, labels);
  if (blocks.several.length === 0) return moved;
  random.shuffle(blocks.several);
  const sums = table && blockTable(blocks.units, units, table, k);
  return moved + (yield* sweepSteps({ ...state, units: blocks.units, table: sums }, blocks.several));
}

/** Forgets where bound rows are, but for those that hard cannot-links keep apart, and places them again. */
function* afreshSteps(state: SweepState, random: Random): Steps<number> {
  const { units, labels } = state;
  const fresh = labels.slice();
  for (let u = 0; u < units.count; u++) {
    if (units.apart.start[u + 1]! > units.apart.start[u]!) continue;
    for (let p = units.rows.start[u]!; p < units.rows.start[u + 1]!; p++) fresh[units.rows.items[p]!] = -1;
  }
  const other = { ...state, labels: fresh };
  yield* settleSteps(other, random.split("first"));
  yield* settleSteps(other, random.split("second"));
  const before = boundObjective(state);
  if (!(boundObjective(other) < before - BETTER * Math.abs(before))) return 0;
  let moved = 0;
  for (const row of units.rows.items) if (labels[row] !== fresh[row]) moved++;
  labels.set(fresh);
  return moved;
}
