/** Reference for tests: the cheapest placement without two neighbours in one cluster. Tries all placements. */
import { eachNeighbour, type Graph } from "../../colouring/graphs/graph.js";

/** Number of edges with both vertices in one cluster. 0 for a legal placement. */
export function clashes(graph: Graph, labels: Int32Array): number {
  let count = 0;
  for (let v = 0; v < graph.vertices; v++) {
    eachNeighbour(graph, v, (other) => {
      if (other > v && labels[other] === labels[v]) count++;
    });
  }
  return count;
}

/** Every assignment of the vertices to k clusters. */
export function* allLabels(vertices: number, k: number): Generator<Int32Array, void, void> {
  const labels = new Int32Array(vertices);
  for (;;) {
    yield labels;
    let v = 0;
    while (v < vertices && ++labels[v]! === k) labels[v++] = 0;
    if (v === vertices) return;
  }
}

/** The least cost of a placement without two neighbours in one cluster. Null if no such placement exists. */
export function cheapestByDefinition(graph: Graph, k: number, costs: Float64Array): number | null {
  let best: number | null = null;
  for (const labels of allLabels(graph.vertices, k)) {
    if (clashes(graph, labels) > 0) continue;
    const cost = labels.reduce((sum, c, v) => sum + costs[v * k + c]!, 0);
    if (best === null || cost < best) best = cost;
  }
  return best;
}
