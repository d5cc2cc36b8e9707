/**
 * Count, mean and scatter of each large component, which no move changes. One that lies in one cluster as a whole enters every
 * sum of the E- and M-step through them, without a look at its rows.
 */
import type { Points } from "../../../../model/points.js";
import type { Metrics } from "../../../metric/metrics.js";
import type { Links } from "./links.js";
import type { Units } from "./moving-units.js";

export interface ComponentMoments {
  /** The place of each component that has moments here; -1 for the others. */
  readonly at: Int32Array;
  /** For each place: the mean of the rows, and Σ (x - mean)(x - mean)ᵀ as a diagonal or a lower triangle. */
  readonly mean: Float64Array;
  readonly scatter: Float64Array;
  readonly full: boolean;
}

/** Below this many rows a component is placed row by row as quickly. */
export const LARGE = 32;

/** Rows are taken as they lie: memory is read in order. */
export function componentMoments(
  { members, component, componentCount }: Links,
  { n, d, x }: Points,
  full: boolean,
  least = LARGE,
): ComponentMoments {
  const sizeOf = (c: number): number => members.start[c + 1]! - members.start[c]!;
  const at = new Int32Array(componentCount).fill(-1);
  let count = 0;
  for (let c = 0; c < componentCount; c++) if (sizeOf(c) >= least) at[c] = count++;
  const width = full ? d * d : d;
  const mean = new Float64Array(count * d);
  const scatter = new Float64Array(count * width);
  const delta = new Float64Array(d);
  const placeOf = (i: number): number => (component[i]! < 0 ? -1 : at[component[i]!]!);
  for (let i = 0; i < n && count > 0; i++) {
    const m = placeOf(i);
    for (let j = 0; m >= 0 && j < d; j++) mean[m * d + j]! += x[i * d + j]!;
  }
  for (let c = 0; c < componentCount; c++) for (let j = 0; at[c]! >= 0 && j < d; j++) mean[at[c]! * d + j]! /= sizeOf(c);
  for (let i = 0; i < n && count > 0; i++) {
    const m = placeOf(i);
    if (m < 0) continue;
    for (let j = 0; j < d; j++) delta[j] = x[i * d + j]! - mean[m * d + j]!;
    addSquare(delta, d, full, 1, scatter, m * width);
  }
  return { at, mean, scatter, full };
}

/** out += factor · δδᵀ, as a diagonal or a lower triangle. */
export function addSquare(delta: Float64Array, d: number, full: boolean, factor: number, out: Float64Array, at: number): void {
  for (let i = 0; i < d; i++) {
    const t = factor * delta[i]!;
    if (!full) out[at + i]! += t * delta[i]!;
    else for (let j = 0, q = at + i * d; j <= i; j++) out[q + j]! += t * delta[j]!;
  }
}

/** The cluster of each component that has moments and lies in one cluster as a whole; -1 for the others. */
export function wholeClusters({ at }: ComponentMoments, { members }: Links, labels: Int32Array): Int32Array {
  return at.map((place, c) => (place < 0 ? -1 : commonLabel(labels, members.items, members.start[c]!, members.start[c + 1]!)));
}

/** The label of all rows from … to-1 of a list, or -1. */
export function commonLabel(labels: Int32Array, rows: Int32Array, from: number, to: number): number {
  const h = labels[rows[from]!]!;
  for (let p = from; p < to; p++) if (labels[rows[p]!] !== h) return -1;
  return h;
}

/** The place of the component that a unit is the whole of, or -1. */
export function placeOfWhole({ at }: ComponentMoments, { members }: Links, { component, size }: Units, u: number): number {
  const c = component[u]!;
  return c >= 0 && size[u] === members.start[c + 1]! - members.start[c]! ? at[c]! : -1;
}

/** The scatter at a place under a metric. */
export function scatterUnder({ scatter, full }: ComponentMoments, place: number, { all, d }: Metrics, g: number): number {
  return all[g]!.scatter(scatter, place * (full ? d * d : d), full);
}
