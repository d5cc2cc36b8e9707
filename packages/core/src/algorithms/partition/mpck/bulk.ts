/**
 * Count, mean and scatter of each large component that is no crowd, which no move changes. One that lies in one cluster as a
 * whole enters every sum of the E- and M-step through them, without a look at its rows.
 */
import type { Points } from "../../../model/points.js";
import type { LinearMaps } from "../../metric/linear-maps.js";
import { LARGE } from "./crowds.js";
import type { Links } from "./links.js";
import type { Units } from "./units.js";

export interface Bulk {
  /** The place of each component that has moments here; -1 for the others. */
  readonly at: Int32Array;
  /** For each place: the mean of the rows, and Σ (x_j - mean_j)² for each column. */
  readonly mean: Float64Array;
  readonly scatter: Float64Array;
}

/** Rows are taken as they lie, not component by component: memory is read in order. */
export function bulkOf(links: Links, { n, d, x }: Points, least = LARGE): Bulk {
  const { members, component, componentCount } = links;
  const sizeOf = (c: number): number => members.start[c + 1]! - members.start[c]!;
  const at = new Int32Array(componentCount).fill(-1);
  let count = 0;
  for (let c = 0; c < componentCount; c++) if (sizeOf(c) >= least) at[c] = count++;
  const mean = new Float64Array(count * d);
  const scatter = new Float64Array(count * d);
  for (let i = 0; i < n && count > 0; i++) {
    const m = component[i]! < 0 ? -1 : at[component[i]!]! * d;
    for (let j = 0; m >= 0 && j < d; j++) mean[m + j]! += x[i * d + j]!;
  }
  for (let c = 0; c < componentCount; c++) for (let j = 0; at[c]! >= 0 && j < d; j++) mean[at[c]! * d + j]! /= sizeOf(c);
  for (let i = 0; i < n && count > 0; i++) {
    const m = component[i]! < 0 ? -1 : at[component[i]!]! * d;
    for (let j = 0; m >= 0 && j < d; j++) {
      const t = x[i * d + j]! - mean[m + j]!;
      scatter[m + j]! += t * t;
    }
  }
  return { at, mean, scatter };
}

/** The cluster of each component that has moments and lies in one cluster as a whole; -1 for the others. */
export function wholeClusters({ at }: Bulk, { members }: Links, labels: Int32Array): Int32Array {
  return at.map((place, c) => {
    const h = labels[members.items[members.start[c]!]!]!;
    for (let p = members.start[c]!; place >= 0 && p < members.start[c + 1]!; p++) if (labels[members.items[p]!] !== h) return -1;
    return place < 0 ? -1 : h;
  });
}

/** The place of the component that a unit is the whole of, or -1. */
export function placeOfWhole({ at }: Bulk, { members }: Links, { component, size }: Units, u: number): number {
  const c = component[u]!;
  return c >= 0 && size[u] === members.start[c + 1]! - members.start[c]! ? at[c]! : -1;
}

/** The scatter at a place under an identical or diagonal metric. */
export function scatterUnder({ scatter }: Bulk, place: number, { kind, maps }: LinearMaps, g: number, d: number): number {
  const r = maps[g]!;
  let sum = 0;
  for (let j = 0; j < d; j++) sum += kind === "identity" ? scatter[place * d + j]! : r[j]! * r[j]! * scatter[place * d + j]!;
  return sum;
}
