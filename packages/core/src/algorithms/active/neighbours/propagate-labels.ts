/**
 * Label propagation: the classes of a few known rows spread over a graph of neighbours. In each sweep the mass of a class at a row becomes
 * DECAY times the weighted mean of this mass at the row's neighbours. Rows of known class keep mass 1. So the mass falls along the graph,
 * and the total mass of a row shows how far it is from all known rows.
 *
 * Sweeps alternate between ascending and descending row order and use values already updated in the same sweep (Gauss-Seidel). This carries
 * masses about twice as far per sweep as using only old values.
 *
 * Zhu, Ghahramani, Lafferty: Semi-Supervised Learning Using Gaussian Fields and Harmonic Functions. ICML 2003.
 */
import type { NeighbourGraph } from "../../neighbours/neighbour-graph.js";

/** The mass is multiplied by this factor at each step along the graph. */
const DECAY = 0.9;
const SWEEPS = 8;

/** Returns the mass of each class at each row (n × classes, row-major). `known[i]`: the class of row i, -1 if unknown. */
export function propagateLabels(graph: NeighbourGraph, known: Int32Array, classes: number): Float64Array {
  const { n } = graph;
  const mass = new Float64Array(n * classes);
  for (let i = 0; i < n; i++) if (known[i]! >= 0) mass[i * classes + known[i]!] = 1;
  const sum = new Float64Array(classes);
  for (let s = 0; s < SWEEPS; s++) sweep(graph, known, mass, sum, s % 2 === 0);
  return mass;
}

function sweep(
  { n, start, other, share }: NeighbourGraph,
  known: Int32Array,
  mass: Float64Array,
  sum: Float64Array,
  up: boolean,
): void {
  const classes = sum.length;
  for (let step = 0; step < n; step++) {
    const i = up ? step : n - 1 - step;
    if (known[i]! >= 0) continue;
    for (let c = 0; c < classes; c++) sum[c] = 0;
    const end = start[i + 1]!;
    for (let e = start[i]!; e < end; e++) {
      const part = share[e]!;
      const from = other[e]! * classes;
      for (let c = 0; c < classes; c++) sum[c]! += part * mass[from + c]!;
    }
    const at = i * classes;
    for (let c = 0; c < classes; c++) mass[at + c] = DECAY * sum[c]!;
  }
}
