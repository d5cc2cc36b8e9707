/**
 * Large must-link components whose rows mostly go where the others go. A kernel has their rows and finds the nearest clusters;
 * bounds then settle most components without a sum over pairs, and one that lies in one cluster as a whole enters every sum of
 * the E- and M-step through its count, mean and scatter, without a look at its rows. There are two kinds:
 *
 * Lone ones: nothing binds their rows but the uniform must-links among them. They matter to nobody else and nobody to them.
 * Tied ones: statements keep them apart from others, or some of their must-links weigh more.
 */

import type { Arena, Kernels } from "../../../../kernels/index.js";
import type { Points } from "../../../../model/points.js";
import type { Lists } from "../../../../structures/components.js";
import type { LinearMaps } from "../../../metric/linear-maps.js";
import { type KernelRows, kernelRows } from "../assign/kernel-rows.js";
import type { Learning } from "../estimate/learn-metrics.js";
import { type ComponentMoments, LARGE, scatterUnder } from "../statements/component-moments.js";
import type { Links } from "../statements/links.js";

export interface LargeComponents {
  readonly count: number;
  /** Weight of the must-links of each component. */
  readonly weight: Float64Array;
  /** Component c, by its number here, has the rows at the places start[c] … start[c + 1] - 1 of `kernel.rows`, ascending. */
  readonly start: Int32Array;
  readonly kernel: KernelRows;
  readonly mean: Float64Array;
  /** Σ (x - mean)(x - mean)ᵀ of each component: d numbers, or d × d of which the lower triangle counts. */
  readonly scatter: Float64Array;
  readonly full: boolean;
}

/** Where components are: a cluster, or one of the two below. */
export interface Placement {
  readonly cluster: Int32Array;
  /** Cluster of each row; that of a component's row counts where the component is split. */
  readonly labels: Int32Array;
}

export const SPLIT = -1;
export const UNPLACED = -2;

/** The lone components, ascending. */
export function findLone(links: Links, least = LARGE): Int32Array {
  const { members, edges, cliques, componentCount } = links;
  const found: number[] = [];
  for (let c = 0; c < componentCount; c++) {
    if (members.start[c + 1]! - members.start[c]! < least || links.mustWeight[c] === 0) continue;
    if (edges.start[c + 1]! > edges.start[c]! || cliques.of.start[c + 1]! > cliques.of.start[c]!) continue;
    if (hasPlainRows(links, c)) found.push(c);
  }
  return Int32Array.from(found);
}

/** The tied components: held by one weight of must-links at least, and by nothing hard. `alone`: the lone ones. */
export function findTied(links: Links, alone: Int32Array, least = LARGE): Int32Array {
  const { members, componentCount, component, pairs, hard } = links;
  const isOut = new Uint8Array(componentCount);
  for (const c of alone) isOut[c] = 1;
  for (let s = 0; s < pairs.a.length; s++) {
    const c = component[pairs.a[s]!]!;
    if (pairs.must[s] === 0 && c === component[pairs.b[s]!]) isOut[c] = 1;
  }
  const isHard = (row: number): boolean =>
    hard !== null && (hard.sizes[hard.component[row]!]! > 1 || hard.degree(hard.component[row]!) > 0);
  const found: number[] = [];
  for (let c = 0; c < componentCount; c++) {
    const rows = members.items.subarray(members.start[c]!, members.start[c + 1]!);
    if (isOut[c] === 0 && rows.length >= least && links.mustWeight[c]! > 0 && !rows.some(isHard)) found.push(c);
  }
  return Int32Array.from(found);
}

/** Whether no row of a component is in a hard statement or in a given pair with a weight of its own. */
function hasPlainRows({ members, pairs, hard }: Links, c: number): boolean {
  if (pairs.a.length === 0 && !hard) return true;
  for (let p = members.start[c]!; p < members.start[c + 1]!; p++) {
    const row = members.items[p]!;
    if (pairs.of.start[row + 1]! > pairs.of.start[row]!) return false;
    if (hard && (hard.sizes[hard.component[row]!]! > 1 || hard.degree(hard.component[row]!) > 0)) return false;
  }
  return true;
}

/** What is left to all others: lone components stay as empty ones. */
export function withoutLone(links: Links, components: Int32Array): Links {
  const { members, componentCount } = links;
  const component = links.component.slice();
  const start = new Int32Array(componentCount + 1);
  const items = new Int32Array(members.items.length);
  let [length, next] = [0, 0];
  for (let c = 0; c < componentCount; c++) {
    const rows = members.items.subarray(members.start[c]!, members.start[c + 1]!);
    if (components[next] === c) {
      next++;
      for (let p = 0; p < rows.length; p++) component[rows[p]!] = -1;
    } else {
      items.set(rows, length);
      length += rows.length;
    }
    start[c + 1] = length;
  }
  return { ...links, component, members: { start, items: items.subarray(0, length) } };
}

export function largeComponentsOf(
  links: Links,
  components: Int32Array,
  { at, mean, scatter, full }: ComponentMoments,
  points: Points,
  k: number,
  learning: Learning | null,
  kernels: Kernels,
  arena: Arena,
): LargeComponents {
  const { members, mustWeight } = links;
  const count = components.length;
  const start = new Int32Array(count + 1);
  components.forEach((c, e) => {
    start[e + 1] = start[e]! + members.start[c + 1]! - members.start[c]!;
  });
  const rows = new Int32Array(start[count]!);
  components.forEach((c, e) => {
    rows.set(members.items.subarray(members.start[c]!, members.start[c + 1]!), start[e]!);
  });
  const numberOf = new Int32Array(links.componentCount).fill(-1);
  components.forEach((c, e) => {
    numberOf[c] = e;
  });
  const inOrder = (x: Float64Array, _: Int32Array, d: number, out: Float64Array): void =>
    copyInOrder(x, d, links.component, numberOf, start, out);
  const kernel = kernelRows(points, rows, k, learning, kernels, arena, inOrder);
  const { d } = points;
  return {
    count,
    weight: Float64Array.from(components, (c) => mustWeight[c]!),
    start,
    kernel,
    mean: gathered(mean, d, at, components),
    scatter: gathered(scatter, full ? d * d : d, at, components),
    full,
  };
}

/** Copies rows to their places as they lie: to read them component by component would cost a page of memory for each. */
function copyInOrder(
  x: Float64Array,
  d: number,
  component: Int32Array,
  numberOf: Int32Array,
  start: Int32Array,
  out: Float64Array,
): void {
  const next = start.slice();
  for (let i = 0; i < component.length; i++) {
    const c = component[i]! < 0 ? -1 : numberOf[component[i]!]!;
    if (c < 0) continue;
    for (let j = 0, p = i * d, q = next[c]!++ * d; j < d; j++) out[q + j] = x[p + j]!;
  }
}

/** `width` numbers for each of some components. */
function gathered(values: Float64Array, width: number, at: Int32Array, components: Int32Array): Float64Array {
  const out = new Float64Array(components.length * width);
  components.forEach((c, e) => {
    out.set(values.subarray(at[c]! * width, (at[c]! + 1) * width), e * width);
  });
  return out;
}

export function sizeOf({ start }: LargeComponents, c: number): number {
  return start[c + 1]! - start[c]!;
}

/** The scatter of each component under each metric: that of component c under metric g is at c·metrics + g. */
export function scattersUnder(large: LargeComponents, maps: LinearMaps, d: number): Float64Array {
  const metrics = maps.maps.length;
  return Float64Array.from({ length: large.count * metrics }, (_, p) =>
    scatterUnder(large, Math.floor(p / metrics), maps, p % metrics, d),
  );
}

/** Writes the labels of a component's rows. */
export function writeLabels({ start, kernel: { rows } }: LargeComponents, c: number, h: number, labels: Int32Array): void {
  for (let f = start[c]!; f < start[c + 1]!; f++) labels[rows[f]!] = h;
}

/** The cluster of all rows of a component, or SPLIT. */
export function clusterOfAll({ start, kernel: { rows } }: LargeComponents, c: number, labels: Int32Array): number {
  const h = labels[rows[start[c]!]!]!;
  for (let f = start[c]!; f < start[c + 1]!; f++) if (labels[rows[f]!] !== h) return SPLIT;
  return h;
}

/** The rows of some components, one component after the other. */
export function rowsOfComponents({ start, kernel: { rows } }: LargeComponents, large: readonly number[]): Lists {
  const ends = new Int32Array(large.length + 1);
  large.forEach((c, e) => {
    ends[e + 1] = ends[e]! + start[c + 1]! - start[c]!;
  });
  const items = new Int32Array(ends[large.length]!);
  large.forEach((c, e) => {
    items.set(rows.subarray(start[c]!, start[c + 1]!), ends[e]!);
  });
  return { start: ends, items };
}
