/** The penalty terms of equation 1: the weight of all violated constraints, given and entailed, from counts alone. */
import type { ComponentMoments } from "./component-moments.js";
import type { Links } from "./links.js";
import { tallyOf } from "./tallies.js";
import { talliesOf } from "./violated-sums.js";

/** Counts alone need no moments. */
const NO_MOMENTS: ComponentMoments = {
  at: new Int32Array(0),
  mean: new Float64Array(0),
  scatter: new Float64Array(0),
  full: false,
};

/** `whole`: the cluster of components that are known to be in one as a whole. */
export function violationCosts(links: Links, labels: Int32Array, k: number, whole: Int32Array | null = null): number {
  if (!links.hasPenalties) return 0;
  const { componentCount, members, mustWeight, edges, cliques, pairs } = links;
  const tallies = talliesOf(links, labels, new Float64Array(0), 0, k, NO_MOMENTS, whole);
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
