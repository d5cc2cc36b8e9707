/**
 * Vertices with edges in one clique alone, such as the rows of a single exclusive column: the neighbours of each are all apart, so
 * it multiplies the number of colourings by k minus their number. Taking them out first spares listing the pairs of the clique.
 */
import { cliqueSize, type Graph } from "../graphs/graph.js";

export function withoutCliqueMembers(graph: Graph): { readonly factors: number[]; readonly rest: Int32Array } {
  const { vertices, links, cliques, cliquesOf } = graph;
  const left = Int32Array.from({ length: cliques.start.length - 1 }, (_, q) => cliqueSize(graph, q));
  const factors: number[] = [];
  const rest: number[] = [];
  for (let v = 0; v < vertices; v++) {
    const alone = links.start[v + 1] === links.start[v] && cliquesOf.start[v + 1]! - cliquesOf.start[v]! === 1;
    if (!alone) {
      rest.push(v);
      continue;
    }
    const degree = --left[cliquesOf.items[cliquesOf.start[v]!]!]!;
    while (factors.length <= degree) factors.push(0);
    factors[degree]!++;
  }
  return { factors, rest: Int32Array.from(rest) };
}
