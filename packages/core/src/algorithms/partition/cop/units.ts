/**
 * The units that COP-k-means moves. A must-link component moves as one unit, because a legal clustering never separates it.
 *
 * A component is a unit if it has several rows or a cannot-link. All other rows are free, and are assigned to their nearest centre. Units
 * with cannot-links come first, with the numbers of their vertices in the constraint graph. So the labels of these units are a colouring of
 * the graph.
 */

import { type ConstraintGraph, constraintGraph } from "../../../colouring/graphs/graph.js";
import type { Closure } from "../../../constraints/closure.js";
import { CHUNK_ROWS, type Kernels } from "../../../kernels/kernels.js";
import type { Points } from "../../../model/points.js";
import type { Steps } from "../../../steps/index.js";
import type { Lists } from "../../../structures/components.js";
import { PLACING } from "../../placement/work.js";

export interface Units {
  readonly count: number;
  /** Units 0 … graph.vertices - 1 are the vertices of the graph. */
  readonly graph: ConstraintGraph;
  /** Rows of each unit, ascending. */
  readonly rows: Lists;
  readonly sizes: Int32Array;
  /** Total weight of the rows of each unit; its size if rows have no weights. */
  readonly weights: Int32Array | Float64Array;
  /** count × d: the mean of each unit's rows. */
  readonly means: Float64Array;
  /** Sum of squared distances of each unit's rows to their mean. It is part of the objective, and no assignment changes it. */
  readonly scatter: Float64Array;
  /** The free rows, which are in no unit, ascending. */
  readonly freeRows: Int32Array;
}

export function unitsOf(closure: Closure, points: Points): Units {
  const graph = constraintGraph(closure);
  const blocks: number[] = [];
  let free = 0;
  for (let c = 0; c < closure.componentCount; c++) {
    if (graph.vertexOf[c]! >= 0) continue;
    if (closure.sizes[c]! > 1) blocks.push(c);
    else free++;
  }
  const components = Int32Array.from([...graph.component, ...blocks]);
  const freeRows = new Int32Array(free);
  for (let i = 0, f = 0; i < closure.n; i++) {
    const c = closure.component[i]!;
    if (graph.vertexOf[c]! < 0 && closure.sizes[c] === 1) freeRows[f++] = i;
  }
  const rows = rowsOfAll(closure, components);
  const sizes = components.map((c) => closure.sizes[c]!);
  const weights = points.rowWeights ? sumsOfLists(points.rowWeights, rows) : sizes;
  return { count: components.length, graph, rows, sizes, weights, freeRows, ...momentsOf(points, rows, weights) };
}

function rowsOfAll({ members, n }: Closure, components: Int32Array): Lists {
  const start = new Int32Array(components.length + 1);
  const items = new Int32Array(n);
  components.forEach((c, u) => {
    const rows = members.items.subarray(members.start[c]!, members.start[c + 1]!);
    items.set(rows, start[u]!);
    start[u + 1] = start[u]! + rows.length;
  });
  return { start, items: items.slice(0, start[components.length]!) };
}

function sumsOfLists(values: Float64Array, { start, items }: Lists): Float64Array {
  const sums = new Float64Array(start.length - 1);
  for (let u = 0; u < sums.length; u++) for (let p = start[u]!; p < start[u + 1]!; p++) sums[u]! += values[items[p]!]!;
  return sums;
}

function momentsOf(
  { d, x, rowWeights }: Points,
  { start, items }: Lists,
  weights: Units["weights"],
): Pick<Units, "means" | "scatter"> {
  const weightOf = (row: number): number => (rowWeights ? rowWeights[row]! : 1);
  const count = start.length - 1;
  const means = new Float64Array(count * d);
  const scatter = new Float64Array(count);
  for (let u = 0; u < count; u++) {
    const size = start[u + 1]! - start[u]!;
    for (let j = 0; j < d; j++) {
      let sum = 0;
      for (let p = start[u]!; p < start[u + 1]!; p++) sum += weightOf(items[p]!) * x[items[p]! * d + j]!;
      means[u * d + j] = size === 1 ? x[items[start[u]!]! * d + j]! : sum / weights[u]!;
    }
    if (size === 1) continue;
    for (let p = start[u]!; p < start[u + 1]!; p++)
      scatter[u]! += weightOf(items[p]!) * squaredDistance(x, items[p]! * d, means, u * d, d);
  }
  return { means, scatter };
}

/**
 * The cost of each unit in each cluster, count × k: weight times the squared distance between its mean and the centre. The scatter of the
 * unit is not included.
 */
export function* unitCosts(
  { count, weights, means }: Units,
  centres: Float64Array,
  k: number,
  d: number,
  kernels: Kernels,
): Steps<Float64Array> {
  const costs = new Float64Array(count * k);
  for (let from = 0; from < count; from += CHUNK_ROWS) {
    const to = Math.min(count, from + CHUNK_ROWS);
    costs.set(kernels.squares(means.subarray(from * d, to * d), to - from, centres, k, d), from * k);
    for (let u = from; u < to; u++) for (let c = 0; c < k; c++) costs[u * k + c]! *= weights[u]!;
    yield PLACING;
  }
  return costs;
}

/** Squared distance between d numbers of `a` from index p and d numbers of `b` from index q. */
export function squaredDistance(a: Float64Array, p: number, b: Float64Array, q: number, d: number): number {
  let sum = 0;
  for (let j = 0; j < d; j++) {
    const t = a[p + j]! - b[q + j]!;
    sum += t * t;
  }
  return sum;
}
