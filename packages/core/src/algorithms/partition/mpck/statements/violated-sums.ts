/**
 * The sums of equations 7 and 8 over violated constraints, given and entailed, without listing entailed pairs.
 *
 * Each violated pair adds a multiple of (x - y)(x - y)ᵀ, and a violated cannot-link also the farthest pair's. For two sets of
 * rows P and Q with counts p and q, means m and scatter matrices,
 *     Σ (x - y)(x - y)ᵀ = q·scatter(P) + p·scatter(Q) + p·q·(m_P - m_Q)(m_P - m_Q)ᵀ,
 * so a pass over slots finds the factor of each slot's scatter, and a pass over the rows of slots with a factor adds them up.
 *
 * Both halves of f_M (equation 4) are here: one for each of the two clusters' metrics. With a single metric both fall on it, so
 * a violated must-link has weight 1, as the minimiser of equation 6 has, and not the ½ of equation 7 as printed.
 */
import { type Bulk, wholeClusters } from "../components/moments.js";
import type { Links } from "./links.js";
import { addTo, emptySlots, type Slots, slotOf } from "./tallies.js";

export interface ViolatedSums {
  /** For each metric: d numbers, or d × d of which the lower triangle counts; without the farthest pair's share. */
  readonly sums: readonly Float64Array[];
  /** For each metric, the weight of violated cannot-links: how often the farthest pair's outer product is to be added. */
  readonly farthestShare: Float64Array;
}

interface Sink {
  readonly d: number;
  readonly full: boolean;
  readonly sums: readonly Float64Array[];
  readonly farthestShare: Float64Array;
  /** The metric of cluster h. */
  readonly metricOf: (h: number) => number;
}

export function violatedSums(
  links: Links,
  labels: Int32Array,
  x: Float64Array,
  d: number,
  k: number,
  metrics: number, // in: 1 or k
  full: boolean,
  bulk: Bulk | null = null,
  whole: Int32Array | null = bulk && wholeClusters(bulk, links, labels),
): ViolatedSums {
  const sink: Sink = {
    d,
    full,
    sums: Array.from({ length: metrics }, () => new Float64Array(full ? d * d : d)),
    farthestShare: new Float64Array(metrics),
    metricOf: (h) => (metrics === 1 ? 0 : h),
  };
  if (!links.hasPenalties) return sink;
  const slots = slotsOf(links, labels, x, d, k, bulk, whole);
  const factor = new Float64Array(slots.cluster.length);
  addMustLinks(links, slots, x, factor, sink);
  addEdges(links, slots, factor, sink);
  addCliques(links, slots, factor, sink);
  addScatters(links, slots, labels, x, factor, sink, bulk, whole);
  addPairs(links, labels, x, sink);
  return sink;
}

/** All bound rows in the slots of their groups, in the space of the points. */
export function slotsOf(
  links: Links,
  labels: Int32Array,
  x: Float64Array,
  d: number,
  k: number,
  bulk: Bulk | null = null,
  whole: Int32Array | null = null, // in: the cluster of components whose moments stand for their rows
): Slots {
  const slots = emptySlots(links, k, d);
  for (let c = 0; c < links.componentCount; c++) {
    if (whole && whole[c]! >= 0) {
      const size = links.members.start[c + 1]! - links.members.start[c]!;
      const mean = d === 0 ? 0 : bulk!.at[c]! * d;
      addTo(slots, c, whole[c]!, size, bulk!.mean, mean, 0);
      for (let e = links.cliques.of.start[c]!; e < links.cliques.of.start[c + 1]!; e++)
        addTo(slots, links.componentCount + links.cliques.of.items[e]!, whole[c]!, size, bulk!.mean, mean, 0);
      continue;
    }
    for (let p = links.members.start[c]!; p < links.members.start[c + 1]!; p++) {
      const row = links.members.items[p]!;
      addTo(slots, c, labels[row]!, 1, x, row * d, 0);
      for (let e = links.cliques.of.start[c]!; e < links.cliques.of.start[c + 1]!; e++) {
        addTo(slots, links.componentCount + links.cliques.of.items[e]!, labels[row]!, 1, x, row * d, 0);
      }
    }
  }
  return slots;
}

/** sums[g] += factor · (a - b)(a - b)ᵀ for d numbers of a from p on and of b from q on. */
function addOuter(
  { sums, d, full }: Sink,
  g: number,
  factor: number,
  a: Float64Array,
  p: number,
  b: Float64Array,
  q: number,
): void {
  const sum = sums[g]!;
  if (!full) {
    for (let j = 0; j < d; j++) {
      const t = a[p + j]! - b[q + j]!;
      sum[j]! += factor * t * t;
    }
    return;
  }
  for (let i = 0; i < d; i++) {
    const t = factor * (a[p + i]! - b[q + i]!);
    for (let j = 0; j <= i; j++) sum[i * d + j]! += t * (a[p + j]! - b[q + j]!);
  }
}

/**
 * A slot h of a component of N rows (mean m, scatter matrix T): its pairs with the rest of the component add up to
 * (N - 2·N_h)·scatter_h + N_h·T + N_h·N·(m_h - m)(m_h - m)ᵀ, of which its metric takes half.
 */
function addMustLinks(
  { members, mustWeight, componentCount }: Links,
  slots: Slots,
  x: Float64Array,
  factor: Float64Array,
  sink: Sink,
): void {
  const { d } = sink;
  const mean = new Float64Array(d);
  const whole: Sink = { ...sink, sums: [new Float64Array(sink.full ? d * d : d)] };
  for (let c = 0; c < componentCount; c++) {
    const size = members.start[c + 1]! - members.start[c]!;
    if (mustWeight[c] === 0 || size < 2 || !isSplit(slots, c, size)) continue;
    mean.fill(0);
    for (let s = slots.start[c]!; s < slots.start[c + 1]!; s++) {
      for (let j = 0; j < d; j++) mean[j]! += (slots.count[s]! / size) * slots.mean[s * d + j]!;
    }
    whole.sums[0]!.fill(0);
    for (let p = members.start[c]!; p < members.start[c + 1]!; p++) addOuter(whole, 0, 1, x, members.items[p]! * d, mean, 0);
    for (let s = slots.start[c]!; s < slots.start[c + 1]!; s++) {
      if (slots.cluster[s]! < 0) continue;
      const g = sink.metricOf(slots.cluster[s]!);
      const half = 0.5 * mustWeight[c]!;
      const count = slots.count[s]!;
      factor[s]! += half * (size - 2 * count);
      addOuter(sink, g, half * count * size, slots.mean, s * d, mean, 0);
      const target = sink.sums[g]!;
      for (let j = 0; j < target.length; j++) target[j]! += half * count * whole.sums[0]![j]!;
    }
  }
}

/** Whether the rows of a group are in more than one cluster. */
export function isSplit({ start, count }: Slots, group: number, size: number): boolean {
  for (let s = start[group]!; s < start[group + 1]!; s++) if (count[s] === size) return false;
  return true;
}

function addEdges({ edges, componentCount }: Links, slots: Slots, factor: Float64Array, sink: Sink): void {
  const { d } = sink;
  for (let a = 0; a < componentCount; a++) {
    for (let e = edges.start[a]!; e < edges.start[a + 1]!; e++) {
      const b = edges.other[e]!;
      const weight = edges.weight[e]!;
      if (b < a || weight === 0) continue;
      for (let s = slots.start[a]!; s < slots.start[a + 1]!; s++) {
        const h = slots.cluster[s]!;
        const t = h < 0 ? -1 : slotOf(slots, b, h);
        if (t < 0) continue;
        const [p, q] = [slots.count[s]!, slots.count[t]!];
        const g = sink.metricOf(h);
        sink.farthestShare[g]! += weight * p * q;
        addOuter(sink, g, -weight * p * q, slots.mean, s * d, slots.mean, t * d);
        factor[s]! -= weight * q;
        factor[t]! -= weight * p;
      }
    }
  }
}

/** Pairs of a clique in one cluster: all pairs of its rows there, less those inside one component. */
function addCliques({ cliques, componentCount }: Links, slots: Slots, factor: Float64Array, sink: Sink): void {
  cliques.weight.forEach((weight, q) => {
    for (let s = slots.start[componentCount + q]!; s < slots.start[componentCount + q + 1]!; s++) {
      const h = slots.cluster[s]!;
      if (h < 0) continue;
      const all = slots.count[s]!;
      let pairs = all * all;
      factor[s]! -= weight * all;
      for (let p = cliques.components.start[q]!; p < cliques.components.start[q + 1]!; p++) {
        const t = slotOf(slots, cliques.components.items[p]!, h);
        if (t < 0) continue;
        pairs -= slots.count[t]! * slots.count[t]!;
        factor[t]! += weight * slots.count[t]!;
      }
      sink.farthestShare[sink.metricOf(h)]! += (weight * pairs) / 2;
    }
  });
}

/** Each slot's scatter matrix times its factor. */
function addScatters(
  links: Links,
  slots: Slots,
  labels: Int32Array,
  x: Float64Array,
  factor: Float64Array,
  sink: Sink,
  bulk: Bulk | null,
  whole: Int32Array | null,
): void {
  const { d } = sink;
  const { members, cliques, componentCount } = links;
  const addRow = (group: number, row: number): void => {
    const h = labels[row]!;
    const s = slotOf(slots, group, h);
    if (factor[s] !== 0 && slots.count[s]! > 1) addOuter(sink, sink.metricOf(h), factor[s]!, x, row * d, slots.mean, s * d);
  };
  // About a slot's mean, the rows of a component have its own scatter and that of its mean, as often as it has rows.
  const addWhole = (group: number, c: number): void => {
    const h = whole![c]!;
    const s = slotOf(slots, group, h);
    if (factor[s] === 0) return;
    const target = sink.sums[sink.metricOf(h)]!;
    const from = bulk!.at[c]! * target.length;
    for (let j = 0; j < target.length; j++) target[j]! += factor[s]! * bulk!.scatter[from + j]!;
    const size = members.start[c + 1]! - members.start[c]!;
    if (group !== c) addOuter(sink, sink.metricOf(h), factor[s]! * size, bulk!.mean, bulk!.at[c]! * d, slots.mean, s * d);
  };
  for (let c = 0; c < componentCount; c++) {
    if (whole && whole[c]! >= 0) {
      addWhole(c, c);
      for (let e = cliques.of.start[c]!; e < cliques.of.start[c + 1]!; e++) addWhole(componentCount + cliques.of.items[e]!, c);
      continue;
    }
    for (let p = members.start[c]!; p < members.start[c + 1]!; p++) {
      addRow(c, members.items[p]!);
      for (let e = cliques.of.start[c]!; e < cliques.of.start[c + 1]!; e++) {
        addRow(componentCount + cliques.of.items[e]!, members.items[p]!);
      }
    }
  }
}

function addPairs({ pairs }: Links, labels: Int32Array, x: Float64Array, sink: Sink): void {
  const { d } = sink;
  for (let s = 0; s < pairs.a.length; s++) {
    const [i, j, weight] = [pairs.a[s]!, pairs.b[s]!, pairs.weight[s]!];
    const [g, other] = [sink.metricOf(labels[i]!), sink.metricOf(labels[j]!)];
    if (pairs.must[s] === 1 && labels[i] !== labels[j]) {
      addOuter(sink, g, 0.5 * weight, x, i * d, x, j * d);
      addOuter(sink, other, 0.5 * weight, x, i * d, x, j * d);
    } else if (pairs.must[s] === 0 && labels[i] === labels[j]) {
      sink.farthestShare[g]! += weight;
      addOuter(sink, g, -weight, x, i * d, x, j * d);
    }
  }
}
