/**
 * State of a local search over assignments of k colours: which vertices have a neighbour of their own colour, updated
 * incrementally.
 */
import type { Adjacency } from "../graphs/adjacency.js";

export interface Clashes {
  readonly graph: Adjacency;
  readonly k: number;
  readonly colours: Int32Array;
  /** For each vertex and colour, the number of neighbours with this colour; n x k, row-major. */
  readonly count: Int32Array;
  /**
   * `troubled`: the vertices with a neighbour of equal colour are its first `troubles` entries. `place`: position of each vertex in
   * it, or -1.
   */
  readonly troubled: Int32Array;
  readonly place: Int32Array;
  troubles: number;
  /** Number of edges whose ends have the same colour. */
  edges: number;
}

/** Changes `colours` in place. */
export function openClashes(graph: Adjacency, k: number, colours: Int32Array): Clashes {
  const { n, start, items } = graph;
  const count = new Int32Array(n * k);
  const clashes = {
    graph,
    k,
    colours,
    count,
    troubled: new Int32Array(n),
    place: new Int32Array(n).fill(-1),
    troubles: 0,
    edges: 0,
  };
  for (let v = 0; v < n; v++) {
    for (let p = start[v]!; p < start[v + 1]!; p++) count[v * k + colours[items[p]!]!]!++;
    clashes.edges += count[v * k + colours[v]!]! / 2;
    note(clashes, v);
  }
  return clashes;
}

export function recolour(clashes: Clashes, v: number, colour: number): void {
  const { graph, k, colours, count } = clashes;
  const before = colours[v]!;
  clashes.edges += count[v * k + colour]! - count[v * k + before]!;
  colours[v] = colour;
  note(clashes, v);
  for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) {
    const other = graph.items[p]!;
    count[other * k + before]!--;
    count[other * k + colour]!++;
    if (colours[other] === before || colours[other] === colour) note(clashes, other);
  }
}

/** Updates the list of troubled vertices for v. */
function note(clashes: Clashes, v: number): void {
  const { k, colours, count, troubled, place } = clashes;
  const trouble = count[v * k + colours[v]!]! > 0;
  if (trouble === place[v]! >= 0) return;
  if (trouble) {
    place[v] = clashes.troubles;
    troubled[clashes.troubles++] = v;
    return;
  }
  const last = troubled[--clashes.troubles]!;
  if (last !== v) {
    troubled[place[v]!] = last;
    place[last] = place[v]!;
  }
  place[v] = -1;
}
