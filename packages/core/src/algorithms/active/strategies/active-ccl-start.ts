/**
 * The start of active complete linkage: runs complete linkage without questions up to a height alpha. The dialogue then only needs the
 * remaining clusters, their distances, and the total distances of rows to them.
 */

import { closeConstraints, type Lists } from "../../../constraints/index.js";
import type { Arena, F32, F64, Kernels, Metric } from "../../../kernels/index.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { Instances } from "../../../model/points.js";
import type { Merge } from "../../../model/result.js";
import type { Step, Steps } from "../../../steps/index.js";
import { listsByKey } from "../../../structures/components.js";
import { distanceMatrixSteps } from "../../distance.js";
import { constrainSteps } from "../../hierarchical/ccl/constrain-proximities.js";
import { expandMerges } from "../../hierarchical/ccl/constrained-linkage.js";
import { labelsAfter } from "../../hierarchical/cut/merges.js";
import { mergeSteps, prepareLinkage } from "../../hierarchical/linkage.js";

export interface ReducedStart {
  /** Merges from this height on are asked about. */
  readonly alpha: number;
  /** The merges below alpha, over all rows, and the rows of each cluster after them. */
  readonly merges: readonly Merge[];
  readonly rows: Lists;
  /** m × m distances between these clusters, flags of barred pairs, and the offset of barred entries. */
  readonly distances: Float64Array;
  readonly bars: Uint8Array;
  readonly barred: number;
  /** n × m: the total distance from each row to each cluster's rows. */
  readonly totals: Float64Array;
  readonly notices: readonly string[];
}

/** `merges`: number of merges, down to k clusters, to leave for questions. */
export function* reduceSteps(
  points: Instances,
  constraints: ConstraintSet,
  { k, merges: left, distance }: { readonly k: number; readonly merges: number; readonly distance: Metric | undefined },
  kernels: Kernels,
): Steps<ReducedStart> {
  const closure = closeConstraints(constraints);
  const { metric, storage, notices } = prepareLinkage("complete", points, { distance });
  const constrained = function* <R>(work: (matrix: F64 | F32, arena: Arena) => Steps<R>): Steps<R> {
    const arena = kernels.arena();
    try {
      return yield* work(yield* distanceMatrixSteps(points, metric, storage, kernels, arena), arena);
    } finally {
      arena.release();
    }
  };
  const { alpha, below } = yield* constrained(function* (matrix, arena) {
    const barred = yield* constrainSteps(matrix, closure, kernels, arena);
    const merges = yield* mergeSteps("complete", matrix, closure.componentCount, kernels, arena);
    const alpha = alphaOf(merges, barred, k, left);
    return { alpha, below: merges.filter((merge) => merge[2] < alpha) };
  });
  const ofComponents = labelsAfter(below, closure.componentCount, () => true);
  const labels = closure.component.map((c) => ofComponents[c]!);
  const rows = listsByKey(labels, 1 + labels.reduce((most, label) => Math.max(most, label), -1));
  return yield* constrained(function* (matrix, arena) {
    const totals = yield* totalsTo(matrix, labels, rows);
    const barred = yield* constrainSteps(matrix, closure, kernels, arena);
    const reduced = yield* reduce(matrix, barred, ofComponents, rows);
    return { alpha, merges: expandMerges(below, closure), rows, totals, barred, ...reduced, notices };
  });
}

/** The height of the first of the last `left` merges before k clusters are reached, without barred merges. */
function alphaOf(merges: readonly Merge[], barred: number, k: number, left: number): number {
  const free = merges.findIndex((merge) => merge[2] >= barred);
  const last = Math.min(free < 0 ? merges.length : free, merges.length + 1 - k);
  return merges[Math.max(0, last - left)]?.[2] ?? Infinity;
}

function* totalsTo(matrix: F64 | F32, labels: Int32Array, { start }: Lists): Generator<Step, Float64Array, void> {
  const n = labels.length;
  const m = start.length - 1;
  const totals = new Float64Array(n * m);
  const d = matrix.view();
  for (let i = 0; i < n; i++) {
    if (i % 512 === 0) yield { phase: "roots", done: i, total: n };
    for (let j = 0; j < n; j++) totals[i * m + labels[j]!]! += d[i * n + j]!;
  }
  return totals;
}

/** The largest distance between the must-link components of two clusters, and whether any two of the components are barred. */
function* reduce(
  matrix: F64 | F32,
  barred: number,
  labels: Int32Array,
  { start }: Lists,
): Generator<Step, { readonly distances: Float64Array; readonly bars: Uint8Array }, void> {
  const n = labels.length;
  const m = start.length - 1;
  const distances = new Float64Array(m * m);
  const bars = new Uint8Array(m * m);
  const d = matrix.view();
  for (let i = 0; i < n; i++) {
    if (i % 512 === 0) yield { phase: "clusters' distances", done: i, total: n };
    const row = labels[i]! * m;
    for (let j = 0; j < n; j++) {
      const entry = d[i * n + j]!;
      const at = row + labels[j]!;
      if (entry >= barred) bars[at] = 1;
      const distance = entry >= barred ? entry - barred : entry;
      if (distance > distances[at]!) distances[at] = distance;
    }
  }
  return { distances, bars };
}
