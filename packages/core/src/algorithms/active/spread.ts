/**
 * Classes of a few rows spread over a graph of neighbours: in each round a row takes the weighted mean of its neighbours'
 * masses, a little less of it each time, while rows of known class keep theirs. What arrives falls with the distance from the
 * known rows along the graph, so that the total tells how far from all of them a row is.
 *
 * Zhu, Ghahramani, Lafferty: Semi-Supervised Learning Using Gaussian Fields and Harmonic Functions. ICML 2003.
 */
import type { NeighbourGraph } from "./neighbour-graph.js";

/** What is left of the mass at each step from row to row. */
const KEPT = 0.9;
const ROUNDS = 20;

/** n × classes: how much of each class reaches each row. `known[i]` is the class of row i, -1 if it is not known. */
export function spread({ n, start, other, weight, degree }: NeighbourGraph, known: Int32Array, classes: number): Float64Array {
  let mass = new Float64Array(n * classes);
  for (let i = 0; i < n; i++) if (known[i]! >= 0) mass[i * classes + known[i]!] = 1;
  let next = mass.slice();
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < n; i++) {
      if (known[i]! >= 0 || degree[i] === 0) continue;
      const at = i * classes;
      for (let c = 0; c < classes; c++) next[at + c] = 0;
      for (let e = start[i]!; e < start[i + 1]!; e++) {
        const share = (KEPT * weight[e]!) / degree[i]!;
        const from = other[e]! * classes;
        for (let c = 0; c < classes; c++) next[at + c]! += share * mass[from + c]!;
      }
    }
    [mass, next] = [next, mass];
  }
  return mass;
}
