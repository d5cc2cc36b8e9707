/**
 * The penalties of violated constraints, given and implied: the penalty terms of equation 1 (bilenko2004), and the sums of equations 7 and
 * 8. Implied pairs are never listed.
 *
 * Each violated pair adds a multiple of (x - y)(x - y)ᵀ. A violated cannot-link also adds the outer product of the farthest pair. For two
 * sets of rows P and Q with counts p and q, means m and scatter matrices:
 *
 *     Σ (x - y)(x - y)ᵀ = q·scatter(P) + p·scatter(Q) + p·q·(m_P - m_Q)(m_P - m_Q)ᵀ
 *
 * There are two passes. A pass over the tallies computes the factor of the scatter of each tally. A pass over the rows then adds the
 * scatters.
 *
 * f_M (equation 4) has two halves, one for the metric of each cluster. With a single metric both halves use this metric, so a violated
 * must-link has weight 1. This minimises equation 6; the ½ printed in equation 7 does not.
 */
import { addTo, type ComponentMoments, emptyTallies, type Links, type Tallies, tallyOf, wholeClusters } from "./links.js";

export interface ViolatedSums {
  /**
   * By metric: the sum over violated pairs, without the term of the farthest pair. A diagonal of d numbers, or d × d numbers of which only
   * the lower triangle is set.
   */
  readonly sums: readonly Float64Array[];
  /** By metric: the total weight of violated cannot-links. It is the factor of the outer product of the farthest pair. */
  readonly farthestShare: Float64Array;
}

interface Sink {
  readonly d: number;
  readonly full: boolean;
  readonly sums: readonly Float64Array[];
  readonly farthestShare: Float64Array;
  readonly metricOf: (h: number) => number;
}

export function violatedSums(
  links: Links,
  labels: Int32Array,
  x: Float64Array,
  d: number,
  k: number,
  metrics: number, // number of metrics: 1 or k
  full: boolean,
  moments: ComponentMoments | null = null,
  whole: Int32Array | null = moments && wholeClusters(moments, links, labels),
): ViolatedSums {
  const sink: Sink = {
    d,
    full,
    sums: Array.from({ length: metrics }, () => new Float64Array(full ? d * d : d)),
    farthestShare: new Float64Array(metrics),
    metricOf: (h) => (metrics === 1 ? 0 : h),
  };
  // If nothing is violated, all sums are 0. Not used with cliques, because rounding errors could make the cost differ from 0.
  if (links.cliques.weight.length === 0 && violationCosts(links, labels, k, whole) === 0) return sink;
  const tallies = talliesOf(links, labels, x, d, k, moments, whole);
  const factor = new Float64Array(tallies.cluster.length);
  addMustLinks(links, tallies, x, factor, sink);
  addEdges(links, tallies, factor, sink);
  addCliques(links, tallies, factor, sink);
  addScatters(links, tallies, labels, x, factor, sink, moments, whole);
  addPairs(links, labels, x, sink);
  return sink;
}

function talliesOf(
  links: Links,
  labels: Int32Array,
  x: Float64Array,
  d: number, // columns of x; 0 if only counts matter
  k: number,
  moments: ComponentMoments | null,
  whole: Int32Array | null, // by component: its cluster if its moments represent it, else -1
): Tallies {
  const { members, cliques, componentCount } = links;
  const tallies = emptyTallies(links, k, d, true);
  const add = (c: number, h: number, count: number, mean: Float64Array, p: number): void => {
    addTo(tallies, c, h, count, mean, p, 0);
    for (let e = cliques.of.start[c]!; e < cliques.of.start[c + 1]!; e++) {
      addTo(tallies, componentCount + cliques.of.items[e]!, h, count, mean, p, 0);
    }
  };
  for (let c = 0; c < componentCount; c++) {
    if (whole && whole[c]! >= 0) {
      add(c, whole[c]!, members.start[c + 1]! - members.start[c]!, moments?.mean ?? x, (moments?.at[c] ?? 0) * d);
      continue;
    }
    for (let p = members.start[c]!; p < members.start[c + 1]!; p++) {
      const row = members.items[p]!;
      add(c, labels[row]!, 1, x, row * d);
    }
  }
  return tallies;
}

/** Adds factor · (a - b)(a - b)ᵀ to sums[g], for the d numbers of a from index p and the d numbers of b from index q. */
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
 * A component has N rows with mean m and scatter matrix T. For its tally in cluster h, the pairs of a row in the tally and a row outside
 * add up to (N - 2·N_h)·scatter_h + N_h·T + N_h·N·(m_h - m)(m_h - m)ᵀ. Half of this sum belongs to the metric of h.
 */
function addMustLinks(
  { members, mustWeight, componentCount }: Links,
  tallies: Tallies,
  x: Float64Array,
  factor: Float64Array,
  sink: Sink,
): void {
  const { d } = sink;
  const mean = new Float64Array(d);
  const whole: Sink = { ...sink, sums: [new Float64Array(sink.full ? d * d : d)] };
  for (let c = 0; c < componentCount; c++) {
    const size = members.start[c + 1]! - members.start[c]!;
    if (mustWeight[c] === 0 || size < 2 || !isSplit(tallies, c, size)) continue;
    mean.fill(0);
    for (let s = tallies.start[c]!; s < tallies.start[c + 1]!; s++) {
      if (tallies.cluster[s]! < 0) continue;
      for (let j = 0; j < d; j++) mean[j]! += (tallies.count[s]! / size) * tallies.mean[s]![tallies.at[s]! + j]!;
    }
    whole.sums[0]!.fill(0);
    for (let p = members.start[c]!; p < members.start[c + 1]!; p++) addOuter(whole, 0, 1, x, members.items[p]! * d, mean, 0);
    for (let s = tallies.start[c]!; s < tallies.start[c + 1]!; s++) {
      if (tallies.cluster[s]! < 0) continue;
      const g = sink.metricOf(tallies.cluster[s]!);
      const half = 0.5 * mustWeight[c]!;
      const count = tallies.count[s]!;
      factor[s]! += half * (size - 2 * count);
      addOuter(sink, g, half * count * size, tallies.mean[s]!, tallies.at[s]!, mean, 0);
      const target = sink.sums[g]!;
      for (let j = 0; j < target.length; j++) target[j]! += half * count * whole.sums[0]![j]!;
    }
  }
}

function isSplit({ start, count }: Tallies, group: number, size: number): boolean {
  for (let s = start[group]!; s < start[group + 1]!; s++) if (count[s] === size) return false;
  return true;
}

function addEdges({ edges, componentCount }: Links, tallies: Tallies, factor: Float64Array, sink: Sink): void {
  for (let a = 0; a < componentCount; a++) {
    for (let e = edges.start[a]!; e < edges.start[a + 1]!; e++) {
      const b = edges.other[e]!;
      const weight = edges.weight[e]!;
      if (b < a || weight === 0) continue;
      for (let s = tallies.start[a]!; s < tallies.start[a + 1]!; s++) {
        const h = tallies.cluster[s]!;
        const t = h < 0 ? -1 : tallyOf(tallies, b, h);
        if (t < 0) continue;
        const [p, q] = [tallies.count[s]!, tallies.count[t]!];
        const g = sink.metricOf(h);
        sink.farthestShare[g]! += weight * p * q;
        addOuter(sink, g, -weight * p * q, tallies.mean[s]!, tallies.at[s]!, tallies.mean[t]!, tallies.at[t]!);
        factor[s]! -= weight * q;
        factor[t]! -= weight * p;
      }
    }
  }
}

/** Adds the violated cannot-links of cliques: all pairs of rows of a clique in one cluster, without pairs inside a component. */
function addCliques({ cliques, componentCount }: Links, tallies: Tallies, factor: Float64Array, sink: Sink): void {
  cliques.weight.forEach((weight, q) => {
    for (let s = tallies.start[componentCount + q]!; s < tallies.start[componentCount + q + 1]!; s++) {
      const h = tallies.cluster[s]!;
      if (h < 0) continue;
      const all = tallies.count[s]!;
      let pairs = all * all;
      factor[s]! -= weight * all;
      for (let p = cliques.components.start[q]!; p < cliques.components.start[q + 1]!; p++) {
        const t = tallyOf(tallies, cliques.components.items[p]!, h);
        if (t < 0) continue;
        pairs -= tallies.count[t]! * tallies.count[t]!;
        factor[t]! += weight * tallies.count[t]!;
      }
      sink.farthestShare[sink.metricOf(h)]! += (weight * pairs) / 2;
    }
  });
}

function addScatters(
  links: Links,
  tallies: Tallies,
  labels: Int32Array,
  x: Float64Array,
  factor: Float64Array,
  sink: Sink,
  moments: ComponentMoments | null,
  whole: Int32Array | null,
): void {
  const { d } = sink;
  const { members, cliques, componentCount } = links;
  const addRow = (group: number, row: number): void => {
    const h = labels[row]!;
    const s = tallyOf(tallies, group, h);
    if (factor[s] === 0 || tallies.count[s] === 1) return;
    addOuter(sink, sink.metricOf(h), factor[s]!, x, row * d, tallies.mean[s]!, tallies.at[s]!);
  };
  // The scatter of component c around the mean of the tally: scatter of c + size · (difference of the means)(difference of the means)ᵀ.
  const addWhole = (group: number, c: number): void => {
    const h = whole![c]!;
    const s = tallyOf(tallies, group, h);
    if (factor[s] === 0) return;
    const target = sink.sums[sink.metricOf(h)]!;
    const from = moments!.at[c]! * target.length;
    for (let j = 0; j < target.length; j++) target[j]! += factor[s]! * moments!.scatter[from + j]!;
    const size = members.start[c + 1]! - members.start[c]!;
    const factorOfMean = factor[s]! * size;
    if (group !== c)
      addOuter(sink, sink.metricOf(h), factorOfMean, moments!.mean, moments!.at[c]! * d, tallies.mean[s]!, tallies.at[s]!);
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

/**
 * The penalty terms of equation 1: the total weight of violated constraints, given and implied. Computed from counts only. whole: by
 * component, the cluster of all its rows, or -1 if unknown.
 */
export function violationCosts(links: Links, labels: Int32Array, k: number, whole: Int32Array | null = null): number {
  if (!links.hasPenalties) return 0;
  const { componentCount, members, mustWeight, edges, cliques, pairs } = links;
  const tallies = talliesOf(links, labels, new Float64Array(0), 0, k, null, whole);
  const squares = (group: number): number => {
    let sum = 0;
    for (let s = tallies.start[group]!; s < tallies.start[group + 1]!; s++) sum += tallies.count[s]! * tallies.count[s]!;
    return sum;
  };
  let cost = 0;
  for (let c = 0; c < componentCount; c++) {
    const size = members.start[c + 1]! - members.start[c]!;
    cost += (mustWeight[c]! * (size * size - squares(c))) / 2;
    for (let e = edges.start[c]!; e < edges.start[c + 1]!; e++) {
      if (edges.other[e]! < c || edges.weight[e] === 0) continue;
      for (let s = tallies.start[c]!; s < tallies.start[c + 1]!; s++) {
        const t = tallies.cluster[s]! < 0 ? -1 : tallyOf(tallies, edges.other[e]!, tallies.cluster[s]!);
        if (t >= 0) cost += edges.weight[e]! * tallies.count[s]! * tallies.count[t]!;
      }
    }
  }
  for (let q = 0; q < cliques.weight.length; q++) {
    let apart = squares(componentCount + q);
    for (let p = cliques.components.start[q]!; p < cliques.components.start[q + 1]!; p++)
      apart -= squares(cliques.components.items[p]!);
    cost += (cliques.weight[q]! * apart) / 2;
  }
  for (let s = 0; s < pairs.a.length; s++) {
    const together = labels[pairs.a[s]!] === labels[pairs.b[s]!];
    if (together === (pairs.must[s] === 0)) cost += pairs.weight[s]!;
  }
  return cost;
}
