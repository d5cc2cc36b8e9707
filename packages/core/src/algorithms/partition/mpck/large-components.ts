/**
 * Large must-link components. All rows of a component move as one unit, unless a single row could leave. Then the component is split into
 * single rows for another sweep.
 *
 * A bound decides whether a row could leave, without a sum over pairs. Let all rows of the component be in cluster h. A row that leaves
 * pays the penalty of its must-links. It gains at most its distance to h minus its distance to the nearest cluster. The squared distances
 * of a row to a set of rows add up to at least the scatter of the set. So all rows stay if:
 *
 *     weight · scatter under the metric of h  >  max over rows of (distance to h - distance to the nearest cluster)
 */
import type { Arena, Kernels } from "../../../kernels/index.js";
import type { Points } from "../../../model/points.js";
import type { Random } from "../../../random/index.js";
import type { Steps } from "../../../steps/index.js";
import { squareBetween } from "../../metric/metrics.js";
import { improveSteps, type KernelRows, kernelRows, type Learning, placeSteps, sweepAndBlocksSteps } from "./assign.js";
import { type ComponentMoments, commonLabel, LARGE, type Links, scatterUnder, type Units } from "./links.js";
import { CLEARLY, distanceTable, type EStep, type SweepState } from "./sweep.js";

export interface LargeComponents {
  /** For each large component: its component number. */
  readonly components: Int32Array;
  /** For each component: its index in `components`; -1 if it is not large. */
  readonly of: Int32Array;
  /** Component e has the rows start[e] … start[e + 1] - 1 of `kernel.rows`, ascending. */
  readonly start: Int32Array;
  readonly kernel: KernelRows;
  readonly moments: ComponentMoments;
}

/** Cluster number of a component whose rows are in several clusters. */
export const SPLIT = -1;

/**
 * Finds the large components. They have at least `least` rows, must-links of a weight above 0, no hard constraints, and no cannot-links
 * inside.
 */
export function findLarge(links: Links, least = LARGE): Int32Array {
  const { members, componentCount, component, pairs, hard } = links;
  const isOut = new Uint8Array(componentCount);
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

export function largeComponentsOf(
  links: Links,
  components: Int32Array,
  moments: ComponentMoments,
  points: Points,
  k: number,
  learning: Learning | null,
  kernels: Kernels,
  arena: Arena,
): LargeComponents {
  const { members } = links;
  const start = new Int32Array(components.length + 1);
  const of = new Int32Array(links.componentCount).fill(-1);
  components.forEach((c, e) => {
    start[e + 1] = start[e]! + members.start[c + 1]! - members.start[c]!;
    of[c] = e;
  });
  const rows = new Int32Array(start[components.length]!);
  components.forEach((c, e) => {
    rows.set(members.items.subarray(members.start[c]!, members.start[c + 1]!), start[e]!);
  });
  // Rows are copied in table order, because the rows of one component are far apart in memory.
  const inOrder = (x: Float64Array, _: Int32Array, d: number, out: Float64Array): void => {
    const next = start.slice();
    for (let i = 0; i < links.component.length; i++) {
      const e = links.component[i]! < 0 ? -1 : of[links.component[i]!]!;
      if (e < 0) continue;
      for (let j = 0, p = i * d, q = next[e]!++ * d; j < d; j++) out[q + j] = x[p + j]!;
    }
  };
  return { components, of, start, kernel: kernelRows(points, rows, k, learning, kernels, arena, inOrder), moments };
}

export function sizeOf({ start }: LargeComponents, e: number): number {
  return start[e + 1]! - start[e]!;
}

export function clusterOfAll({ start, kernel: { rows } }: LargeComponents, e: number, labels: Int32Array): number {
  return commonLabel(labels, rows, start[e]!, start[e + 1]!);
}

/** The rows of each split large component, one array per component, ascending. */
export function rowsOfSplit({ start, kernel: { rows } }: LargeComponents, cluster: Int32Array): Int32Array[] {
  return Array.from(cluster.keys())
    .filter((e) => cluster[e] === SPLIT)
    .map((e) => rows.subarray(start[e]!, start[e + 1]!));
}

interface Joined {
  readonly units: Units;
  readonly first: Int32Array;
}

/** The units of `base` and of the large components. Large component e is one unit, or single rows if apart[e] is 1. */
export function unitsWithLarge(base: Units, large: LargeComponents, apart: Uint8Array, x: Float64Array, d: number): Joined {
  const { components, moments } = large;
  const { rows } = large.kernel;
  const first = new Int32Array(components.length + 1);
  first[0] = base.count;
  for (let e = 0; e < components.length; e++) first[e + 1] = first[e]! + (apart[e] === 1 ? sizeOf(large, e) : 1);
  const count = first[components.length]!;
  const start = new Int32Array(count + 1);
  start.set(base.rows.start);
  const items = new Int32Array(base.rows.items.length + rows.length);
  items.set(base.rows.items);
  items.set(rows, base.rows.items.length);
  const of = base.of.slice();
  const size = new Float64Array(count).fill(1);
  size.set(base.size);
  const mean = new Float64Array(count * d);
  mean.set(base.mean);
  const component = new Int32Array(count);
  component.set(base.component);
  for (let e = 0; e < components.length; e++) {
    component.fill(components[e]!, first[e], first[e + 1]);
    for (let f = large.start[e]!; f < large.start[e + 1]!; f++) {
      const u = first[e]! + (apart[e] === 1 ? f - large.start[e]! : 0);
      of[rows[f]!] = u;
      start[u + 1] = base.rows.items.length + f + 1;
      if (apart[e] === 1) for (let j = 0; j < d; j++) mean[u * d + j] = x[rows[f]! * d + j]!;
    }
    if (apart[e] === 1) continue;
    const place = moments.at[components[e]!]! * d;
    size[first[e]!] = sizeOf(large, e);
    for (let j = 0; j < d; j++) mean[first[e]! * d + j] = moments.mean[place + j]!;
  }
  const neighbours = new Int32Array(count + 1).fill(base.apart.items.length);
  neighbours.set(base.apart.start);
  const apartFrom = { ...base.apart, start: neighbours };
  return { units: { count, of, rows: { start, items }, size, weight: size, mean, component, apart: apartFrom }, first };
}

/**
 * The E-step for all constrained rows, if there are large components. Updates `cluster`, the cluster of each large component. nearest: the
 * nearest cluster of each row of large components.
 */
export function* assignWithLargeSteps(
  large: LargeComponents,
  nearest: Int32Array,
  base: Omit<SweepState, "table">,
  cluster: Int32Array,
  random: Random,
  how: "place" | "improve",
  others: number,
): Steps<number> {
  const stateWith = (apart: Uint8Array): { readonly state: SweepState; readonly first: Int32Array } => {
    const { units, first } = unitsWithLarge(base.units, large, apart, base.x, base.d);
    const state = { ...base, units };
    return { state: { ...state, table: distanceTable(state) }, first };
  };
  const note = (): void => {
    for (let e = 0; e < cluster.length; e++) cluster[e] = clusterOfAll(large, e, base.labels);
  };
  const split = Uint8Array.from(cluster, (h) => (how === "improve" && h === SPLIT ? 1 : 0));
  const { state } = stateWith(split);
  const moved = yield* how === "place" ? placeSteps(state, random) : improveSteps(state, random, others);
  note();
  const unstable = unstableComponents(large, nearest, base, cluster).filter((e) => split[e] === 0);
  if (unstable.length === 0) return moved;
  const apart = split.slice();
  for (const e of unstable) apart[e] = 1;
  const again = stateWith(apart);
  const order = Int32Array.from(unstable.flatMap((e) => Array.from({ length: sizeOf(large, e) }, (_, p) => again.first[e]! + p)));
  const draws = random.split("loose");
  draws.shuffle(order);
  const more = yield* sweepAndBlocksSteps(again.state, order, draws);
  note();
  return moved + more;
}

export function unstableComponents(
  large: LargeComponents,
  nearest: Int32Array,
  state: Pick<SweepState, keyof EStep | "links" | "labels">,
  cluster: Int32Array,
): number[] {
  const isAlone = meetsNoNeighbour(large, state.links, cluster, state.labels);
  return Array.from(cluster.keys()).filter(
    (e) => cluster[e]! >= 0 && (isAlone[e] === 0 || !isStable(large, nearest, state, e, cluster[e]!)),
  );
}

/** Whether the bound proves that no single row would leave large component e. All its rows are in cluster h. */
function isStable(
  large: LargeComponents,
  nearest: Int32Array,
  { penalty, metrics, centres, x, d, links }: Pick<SweepState, keyof EStep | "links">,
  e: number,
  h: number,
): boolean {
  const z = new Float64Array(d);
  /** ‖x - μ‖² - log det A between the row at index f and centre `to`. */
  const distanceTo = (f: number, to: number): number => {
    const metric = metrics.all[metrics.of(to)]!;
    metric.map(x, large.kernel.rows[f]! * d, z, 0);
    return squareBetween(z, 0, centres, to * d, d, -metric.logDet);
  };
  let most = 0;
  for (let f = large.start[e]!; f < large.start[e + 1]!; f++) {
    if (nearest[f] === h) continue;
    const gain = distanceTo(f, h) - distanceTo(f, nearest[f]!);
    if (!(gain <= most)) most = gain;
  }
  if (most === 0) return true;
  const c = large.components[e]!;
  const plain = penalty === "cost";
  // With several metrics, half of the penalty of a must-link uses the metric of h. The other half depends on the new cluster of the row.
  const share = metrics.several && !plain ? 0.5 : 1;
  const squares = plain ? sizeOf(large, e) - 1 : scatterUnder(large.moments, large.moments.at[c]!, metrics, metrics.of(h));
  return share * links.mustWeight[c]! * squares > CLEARLY * most;
}

/** For each large component: 1 if all its rows are in one cluster and no row of this cluster has a cannot-link to the component. */
function meetsNoNeighbour(
  { components, of }: LargeComponents,
  links: Links,
  cluster: Int32Array,
  labels: Int32Array,
): Uint8Array {
  const { members, edges, cliques } = links;
  /** Calls `visit` with the cluster of each row of a component. Calls it only once if the component is known to be in one cluster. */
  const eachCluster = (c: number, visit: (h: number) => void): void => {
    if (of[c]! >= 0 && cluster[of[c]!]! >= 0) visit(cluster[of[c]!]!);
    else for (let p = members.start[c]!; p < members.start[c + 1]!; p++) visit(labels[members.items[p]!]!);
  };
  const isAlone = new Uint8Array(components.length).fill(1);
  components.forEach((c, e) => {
    for (let p = edges.start[c]!; p < edges.start[c + 1]!; p++) {
      eachCluster(edges.other[p]!, (h) => {
        if (h === cluster[e]) isAlone[e] = 0;
      });
    }
  });
  const holder = new Map<number, number>();
  for (let q = 0; q < cliques.weight.length; q++) {
    const inside = cliques.components.items.subarray(cliques.components.start[q]!, cliques.components.start[q + 1]!);
    if (!inside.some((c) => of[c]! >= 0)) continue;
    holder.clear();
    for (const c of inside) eachCluster(c, (h) => holder.set(h, holder.has(h) && holder.get(h) !== c ? -1 : c));
    for (const c of inside) if (of[c]! >= 0 && holder.get(cluster[of[c]!]!) !== c) isAlone[of[c]!] = 0;
  }
  return isAlone;
}
