/**
 * Removes vertices whose edges all belong to one clique, for example the rows of a single exclusive column. The neighbours of such
 * a vertex are pairwise adjacent, so the vertex multiplies the number of colourings by k minus its degree. Removing these vertices
 * first avoids listing the pairs of the clique.
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
