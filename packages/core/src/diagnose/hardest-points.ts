/** Ranks the rows by how hard they are to place: few independent sets and high prices leave little choice. */

import type { FractionalColouring } from "../colouring/fractional/fractional.js";
import { type ConstraintGraph, degreeBound, rowsOf } from "../colouring/graphs/graph.js";
import { type InstanceId, idOf } from "../model/points.js";
import { MOST_POINTS, type PointDiagnosis } from "./diagnosis.js";

/**
 * Sort key of a vertex. Hardest first: parts of the graph that need the most clusters, then few sets, high prices, many neighbours.
 */
interface Hardness {
  readonly vertex: number;
  readonly need: number;
  readonly sets: number | null;
  readonly price: number | null;
  readonly neighbours: number;
}

export function hardestPoints(
  graph: ConstraintGraph,
  fractional: FractionalColouring | null,
  ids?: readonly InstanceId[],
): PointDiagnosis[] {
  const order = hardnessOf(graph, fractional).sort(
    (a, b) =>
      b.need - a.need ||
      (a.sets ?? 0) - (b.sets ?? 0) ||
      (b.price ?? 0) - (a.price ?? 0) ||
      b.neighbours - a.neighbours ||
      a.vertex - b.vertex,
  );
  const points: PointDiagnosis[] = [];
  for (const { vertex, sets, price } of order) {
    if (points.length >= MOST_POINTS) break;
    const degree = graph.closure.degree(graph.component[vertex]!);
    for (const row of rowsOf(graph, vertex)) {
      points.push({ id: idOf(ids ? { ids } : {}, row), degree, independentSets: sets, dualPrice: price });
    }
  }
  return points.slice(0, MOST_POINTS);
}

function hardnessOf(graph: ConstraintGraph, fractional: FractionalColouring | null): Hardness[] {
  const unknown = (vertex: number): Hardness => ({
    vertex,
    need: 0,
    sets: null,
    price: null,
    neighbours: degreeBound(graph, vertex),
  });
  const all = Array.from({ length: graph.vertices }, (_, vertex) => unknown(vertex));
  for (const { vertices, lower, sets, prices } of fractional?.parts ?? []) {
    const holding = new Map<number, number>();
    for (const set of sets) for (const v of set.vertices) holding.set(v, (holding.get(v) ?? 0) + 1);
    vertices.forEach((vertex, i) => {
      all[vertex] = { ...all[vertex]!, need: lower, sets: holding.get(vertex) ?? 0, price: prices[i]! };
    });
  }
  return all;
}
