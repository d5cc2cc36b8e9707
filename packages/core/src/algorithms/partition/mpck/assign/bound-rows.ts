/**
 * The E-step for bound rows. Greedy moves of single rows alone (bilenko2004, section 3.2) get stuck: rows that hang together
 * cannot leave one by one, and rows that the first metric misplaced hold each other there. So a sweep over single units is followed
 * by one over blocks, and once nothing moves all are also placed afresh; the better of the two answers stands. Every choice lowers
 * the same objective, which therefore still never rises.
 */
import { upTo } from "../../../../linalg/indices.js";
import type { Random } from "../../../../random/index.js";
import type { Steps } from "../../../../steps/index.js";
import { matricesOf, traceOfProduct } from "../../../metric/linear-maps.js";
import { squareBetween } from "../../../metric/metrics.js";
import { wholeClusters } from "../constraints/component-moments.js";
import { violatedSums, violationCosts } from "../constraints/violations.js";
import { blocksOf, blockTable } from "./blocks.js";
import { writeWhole } from "./distance-table.js";
import type { SweepState } from "./state.js";
import { openSweep, sweepSteps } from "./sweep.js";

/** A new placement must be better by this share, or rounding could make two equal ones take turns. */
const BETTER = 1e-9;

/** The paper's: one sweep over single rows from where they are. Rewrites labels; returns how many units moved. */
export function* moveOneByOneSteps(state: SweepState, random: Random): Steps<number> {
  return yield* sweepSteps(openSweep(state), orderOf(state.units.count, random));
}

/** Places all bound rows as if none were placed yet; returns how many rows moved. */
export function* placeSteps(state: SweepState, random: Random): Steps<number> {
  const { units, labels } = state;
  if (state.penalty === "none") return yield* moveOneByOneSteps(state, random);
  const fresh = forgotten(state);
  yield* assignSteps({ ...state, labels: fresh }, random);
  return adopt(units, fresh, labels);
}

/**
 * Moves that lower the objective; returns how many units or rows moved. `others`: how many free rows moved. Only when nothing moves
 * any more are bound rows also placed afresh.
 */
export function* improveSteps(state: SweepState, random: Random, others: number): Steps<number> {
  const moved = yield* assignSteps(state, random);
  if (state.penalty === "none" || moved + others > 0 || isLeast(state)) return moved;
  return yield* afreshSteps(state, random.split("afresh"));
}

/** Whether nothing can be better: every unit is in its nearest cluster, and nothing is violated. */
function isLeast(state: SweepState): boolean {
  const { table, units, labels } = state;
  if (!table) return false;
  const { distances, violations } = boundParts(state);
  let gain = violations;
  for (let u = 0; u < units.count; u++) {
    const h = labels[units.rows.items[units.rows.start[u]!]!]!;
    if (h === table.nearest[u]) continue;
    gain += table.costIn(u, h) - table.costIn(u, table.nearest[u]!);
  }
  return gain <= BETTER * Math.abs(distances + violations - gain);
}

/** A sweep over all units, then one over blocks of them. */
function* assignSteps(state: SweepState, random: Random): Steps<number> {
  return yield* sweepAndBlocksSteps(state, orderOf(state.units.count, random), random);
}

/** The same with units in a given order. */
export function* sweepAndBlocksSteps(state: SweepState, order: Int32Array, random: Random): Steps<number> {
  const sweep = openSweep(state);
  const moved = yield* sweepSteps(sweep, order);
  if (state.penalty === "none") return moved;
  const blocks = blocksOf(state);
  if (blocks.units.count === 0) return moved;
  const turns = orderOf(blocks.units.count, random);
  const table = state.table && blockTable(state, blocks, state.table);
  const second = openSweep({ ...state, units: blocks.units, table }, sweep.tallies);
  return moved + (yield* sweepSteps(second, turns));
}

function orderOf(count: number, random: Random): Int32Array {
  const order = upTo(count);
  random.shuffle(order);
  return order;
}

/** Labels in which no bound row is placed, but for those that hard cannot-links keep apart. */
function forgotten({ units, labels }: SweepState): Int32Array {
  const fresh = labels.slice();
  for (let u = 0; u < units.count; u++) {
    if (units.apart.start[u + 1]! > units.apart.start[u]!) continue;
    for (let p = units.rows.start[u]!; p < units.rows.start[u + 1]!; p++) fresh[units.rows.items[p]!] = -1;
  }
  return fresh;
}

/** Takes the labels of bound rows over; returns how many differ. */
function adopt({ rows }: SweepState["units"], fresh: Int32Array, labels: Int32Array): number {
  let moved = 0;
  for (const row of rows.items) {
    if (labels[row] !== fresh[row]) moved++;
    labels[row] = fresh[row]!;
  }
  return moved;
}

/** Places all bound rows anew, if that is better than where they are. */
function* afreshSteps(state: SweepState, random: Random): Steps<number> {
  const other = { ...state, labels: forgotten(state) };
  yield* assignSteps(other, random.split("first"));
  yield* assignSteps(other, random.split("second"));
  const before = boundObjective(state);
  if (!(boundObjective(other) < before - BETTER * Math.abs(before))) return 0;
  return adopt(state.units, other.labels, state.labels);
}

/** What bound rows add to the objective: the part that an E-step can change once free rows are placed. */
interface BoundParts {
  /** Distances to their centres under the metrics. */
  readonly distances: number;
  readonly violations: number;
}

export function boundObjective(state: SweepState): number {
  const { distances, violations } = boundParts(state);
  return distances + violations;
}

function boundParts(state: SweepState): BoundParts {
  const { links, penalty, x, d, k, metrics, farthest, labels, moments } = state;
  const { maps } = metrics;
  const whole = moments && wholeClusters(moments, links, labels);
  const distances = distancesOf(state, whole);
  if (penalty === "none") return { distances, violations: 0 };
  if (penalty === "cost") return { distances, violations: violationCosts(links, labels, k) };
  const full = maps.kind === "full";
  const { sums, farthestShare } = violatedSums(links, labels, x, d, k, maps.maps.length, full, moments, whole);
  let violations = 0;
  matricesOf(maps, d).forEach((a, g) => {
    violations += traceOfProduct(a, sums[g]!, d, full) + (farthestShare[g]! > 0 ? farthestShare[g]! * farthest[g]! : 0);
  });
  return { distances, violations };
}

/** `whole`: the cluster of components whose moments stand for their rows. */
function distancesOf(state: SweepState, whole: Int32Array | null): number {
  const { units, x, d, rowWeights, k, metrics, centres, labels, table, moments } = state;
  const z = new Float64Array(d);
  let sum = 0;
  if (table) {
    const costs = new Float64Array(k);
    whole?.forEach((h, c) => {
      if (h < 0) return;
      writeWhole(state, moments!, c, costs, 0);
      sum += costs[h]!;
    });
    for (let u = 0; u < units.count; u++) {
      if (whole && whole[units.component[u]!]! >= 0) continue;
      sum += table.costIn(u, labels[units.rows.items[units.rows.start[u]!]!]!);
    }
    return sum;
  }
  for (const row of units.rows.items) {
    const h = labels[row]!;
    const metric = metrics.all[metrics.of(h)]!;
    metric.map(x, row * d, z, 0);
    sum += (rowWeights?.[row] ?? 1) * squareBetween(z, 0, centres, h * d, d, -metric.logDet);
  }
  return sum;
}
