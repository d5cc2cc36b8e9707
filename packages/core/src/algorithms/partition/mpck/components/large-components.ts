/**
 * Crowds: large components whose rows nothing binds but the uniform must-links among them. They matter to nobody else and nobody
 * to them, so each is placed by itself; one that lies in one cluster as a whole enters every sum of the E- and M-step through
 * its count, mean and scatter, without a look at its rows.
 */
import type { Lists } from "../../../../constraints/components.js";
import type { Arena, Kernels } from "../../../../kernels/index.js";
import type { Points } from "../../../../model/points.js";
import { type LinearMaps, matricesOf, traceOfProduct } from "../../../metric/linear-maps.js";
import { type KernelRows, kernelRows } from "../assign/kernel-rows.js";
import type { Learning } from "../estimate/learn-metrics.js";
import type { Links } from "../statements/links.js";

export interface Crowds {
  readonly count: number;
  /** Weight of the must-links of each crowd. */
  readonly weight: Float64Array;
  /** Crowd c has the rows at the places start[c] … start[c + 1] - 1 of `kernel.rows`, ascending. */
  readonly start: Int32Array;
  readonly kernel: KernelRows;
  readonly mean: Float64Array;
  /** Σ (x - mean)(x - mean)ᵀ of each crowd: d numbers, or d × d of which the lower triangle counts. */
  readonly scatter: Float64Array;
  readonly full: boolean;
}

/** Where crowds are: a cluster, or one of the two below. */
export interface Placement {
  readonly cluster: Int32Array;
  /** Cluster of each row; that of a crowd's row counts where the crowd is split. */
  readonly labels: Int32Array;
}

export const SPLIT = -1;
export const UNPLACED = -2;

/** Below this many rows a component is placed row by row as quickly. */
export const LARGE = 32;

/** The components that are crowds, ascending. */
export function crowdComponents(links: Links, least = LARGE): Int32Array {
  const { members, edges, cliques, componentCount } = links;
  const found: number[] = [];
  for (let c = 0; c < componentCount; c++) {
    if (members.start[c + 1]! - members.start[c]! < least || links.mustWeight[c] === 0) continue;
    if (edges.start[c + 1]! > edges.start[c]! || cliques.of.start[c + 1]! > cliques.of.start[c]!) continue;
    if (hasPlainRows(links, c)) found.push(c);
  }
  return Int32Array.from(found);
}

/**
 * Other large components whose rows are held by one weight of must-links at least, and by nothing hard: statements keep them apart
 * from others, or some of their must-links weigh more.
 */
export function jointComponents(links: Links, alone: Int32Array, least = LARGE): Int32Array {
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

/** What is left to all others: the crowds' components stay as empty ones. */
export function withoutCrowds(links: Links, components: Int32Array): Links {
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

export function crowdsOf(
  links: Links,
  components: Int32Array,
  points: Points,
  k: number,
  learning: Learning | null,
  kernels: Kernels,
  arena: Arena,
): Crowds {
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
  const crowdOf = new Int32Array(links.componentCount).fill(-1);
  components.forEach((c, e) => {
    crowdOf[c] = e;
  });
  const inOrder = (x: Float64Array, _: Int32Array, d: number, out: Float64Array): void =>
    copyInOrder(x, d, links.component, crowdOf, start, out);
  const kernel = kernelRows(points, rows, k, learning, kernels, arena, inOrder);
  const full = learning?.matrix === "full";
  const moments = momentsOf(kernel.x.view(), points.d, start, full);
  return { count, weight: Float64Array.from(components, (c) => mustWeight[c]!), start, kernel, ...moments, full };
}

/** Copies the rows of crowds to their places as they lie: to read them crowd by crowd would cost a page of memory for each. */
function copyInOrder(
  x: Float64Array,
  d: number,
  component: Int32Array,
  crowdOf: Int32Array,
  start: Int32Array,
  out: Float64Array,
): void {
  const next = start.slice();
  for (let i = 0; i < component.length; i++) {
    const c = component[i]! < 0 ? -1 : crowdOf[component[i]!]!;
    if (c < 0) continue;
    for (let j = 0, p = i * d, q = next[c]!++ * d; j < d; j++) out[q + j] = x[p + j]!;
  }
}

function momentsOf(x: Float64Array, d: number, start: Int32Array, full: boolean): Pick<Crowds, "mean" | "scatter"> {
  const count = start.length - 1;
  const width = full ? d * d : d;
  const mean = new Float64Array(count * d);
  const scatter = new Float64Array(count * width);
  for (let c = 0; c < count; c++) {
    const [m, from, to] = [c * d, start[c]! * d, start[c + 1]! * d];
    for (let p = from; p < to; p += d) for (let j = 0; j < d; j++) mean[m + j]! += x[p + j]!;
    for (let j = 0; j < d; j++) mean[m + j]! /= start[c + 1]! - start[c]!;
    for (let p = from; p < to; p += d) {
      if (full) addTriangle(x, p, mean, m, d, scatter, c * width);
      else {
        for (let j = 0; j < d; j++) {
          const t = x[p + j]! - mean[m + j]!;
          scatter[m + j]! += t * t;
        }
      }
    }
  }
  return { mean, scatter };
}

function addTriangle(
  x: Float64Array,
  p: number,
  mean: Float64Array,
  m: number,
  d: number, // in: a row and its mean
  out: Float64Array,
  at: number, // out: d × d numbers
): void {
  for (let i = 0; i < d; i++) {
    const t = x[p + i]! - mean[m + i]!;
    for (let j = 0, q = at + i * d; j <= i; j++) out[q + j]! += t * (x[p + j]! - mean[m + j]!);
  }
}

export function sizeOf({ start }: Crowds, c: number): number {
  return start[c + 1]! - start[c]!;
}

/** The scatter of each crowd under each metric: that of crowd c under metric g is at c·metrics + g. */
export function scattersUnder({ count, scatter, full }: Crowds, maps: LinearMaps, d: number): Float64Array {
  const metrics = maps.maps.length;
  const width = full ? d * d : d;
  const found = new Float64Array(count * metrics);
  const matrices = maps.kind === "identity" && full ? null : matricesOf(maps, d);
  for (let c = 0; c < count; c++) {
    const s = scatter.subarray(c * width, (c + 1) * width);
    for (let g = 0; g < metrics; g++) {
      if (matrices) found[c * metrics + g] = traceOfProduct(matrices[g]!, s, d, full);
      else for (let j = 0; j < d; j++) found[c * metrics + g]! += s[j * d + j]!;
    }
  }
  return found;
}

/** Writes the labels of a crowd's rows. */
export function writeLabels({ start, kernel: { rows } }: Crowds, c: number, h: number, labels: Int32Array): void {
  for (let f = start[c]!; f < start[c + 1]!; f++) labels[rows[f]!] = h;
}

/** The cluster of all rows of a crowd, or SPLIT. */
export function clusterOfAll({ start, kernel: { rows } }: Crowds, c: number, labels: Int32Array): number {
  const h = labels[rows[start[c]!]!]!;
  for (let f = start[c]!; f < start[c + 1]!; f++) if (labels[rows[f]!] !== h) return SPLIT;
  return h;
}

/** The rows of some crowds, one crowd after the other. */
export function rowsOfCrowds({ start, kernel: { rows } }: Crowds, crowds: readonly number[]): Lists {
  const ends = new Int32Array(crowds.length + 1);
  crowds.forEach((c, e) => {
    ends[e + 1] = ends[e]! + start[c + 1]! - start[c]!;
  });
  const items = new Int32Array(ends[crowds.length]!);
  crowds.forEach((c, e) => {
    items.set(rows.subarray(start[c]!, start[c + 1]!), ends[e]!);
  });
  return { start: ends, items };
}
