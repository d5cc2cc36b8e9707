/**
 * Builds the constraint graph (Davidson 2012, section 2). Its edges are the pairs of must-link components that must be apart. Its vertices
 * are the components with at least one edge. k clusters can satisfy the constraints if and only if the graph has a colouring with k
 * colours.
 *
 * The classes of a labelling and exclusive groups are cliques, stored as lists of vertices. Pairs in cliques are counted by formula and
 * never listed: a group of 10⁵ rows has 5·10⁹ pairs. If a part of the graph is known to be small, `expand` lists its neighbours.
 */
import type { Closure } from "../../constraints/closure.js";
import { type Lists, listsByKey, placeOf } from "../../structures/components.js";
import type { Adjacency } from "./adjacency.js";

/** A graph as single edges and cliques. The same pair of vertices can be in both. */
export interface Graph {
  readonly vertices: number;
  /** Neighbours of each vertex by single edges, ascending. */
  readonly links: Lists;
  /** Sets of two or more vertices; no two members of a set can share a colour. */
  readonly cliques: Lists;
  /** The numbers of the cliques that contain each vertex, ascending. */
  readonly cliquesOf: Lists;
}

export interface ConstraintGraph extends Graph {
  readonly closure: Closure;
  /**
   * `component`: the component of each vertex, ascending. `vertexOf`: the vertex of each component, -1 for a component without a vertex.
   */
  readonly component: Int32Array;
  readonly vertexOf: Int32Array;
  /** Number of adjacent pairs, each counted once; an upper bound if not `exact`. */
  readonly edges: number;
  /** The largest degree; an upper bound if not `exact`. */
  readonly maxDegree: number;
  /** False if many cliques overlap and an exact count would have to list their pairs. */
  readonly exact: boolean;
}

/** Maximum number of pairs to check when edges are counted, and of neighbours to visit when the largest degree is searched. */
const MOST_LOOKS = 20_000_000;

export function constraintGraph(closure: Closure): ConstraintGraph {
  const { edges, cliques, componentCount } = closure;
  const vertexOf = new Int32Array(componentCount).fill(-1);
  const touched: number[] = [];
  for (let c = 0; c < componentCount; c++) {
    if (edges.start[c + 1]! === edges.start[c]! && cliques.of.start[c + 1]! === cliques.of.start[c]!) continue;
    vertexOf[c] = touched.length;
    touched.push(c);
  }
  const component = Int32Array.from(touched);
  const startsOf = (start: Int32Array): Int32Array => {
    const compact = new Int32Array(component.length + 1);
    component.forEach((c, v) => {
      compact[v + 1] = start[c + 1]!;
    });
    return compact;
  };
  const graph: Graph = {
    vertices: component.length,
    links: { start: startsOf(edges.start), items: edges.other.map((c) => vertexOf[c]!) },
    cliques: { start: cliques.start, items: cliques.items.map((c) => vertexOf[c]!) },
    cliquesOf: { start: startsOf(cliques.of.start), items: cliques.of.items },
  };
  const { edges: edgeCount, exact } = countEdges(graph);
  const degree = largestDegree(graph);
  return { ...graph, closure, component, vertexOf, edges: edgeCount, maxDegree: degree.most, exact: exact && degree.exact };
}

/** The rows of the component of a vertex, ascending. */
export function rowsOf({ closure: { members }, component }: ConstraintGraph, vertex: number): Int32Array {
  const c = component[vertex]!;
  return members.items.subarray(members.start[c]!, members.start[c + 1]!);
}

/** Builds a graph from pairs and cliques of the vertices 0 … vertices - 1. */
export function graphOf(
  vertices: number,
  pairs: Iterable<readonly [number, number]>,
  cliques: Iterable<readonly number[]> = [],
): Graph {
  const others = Array.from({ length: vertices }, () => new Set<number>());
  for (const [u, v] of pairs) {
    if (u === v) throw new RangeError(`Vertex ${u} cannot be apart from itself.`);
    others[u]!.add(v);
    others[v]!.add(u);
  }
  const sets = [...cliques].map((members) => [...new Set(members)]).filter((members) => members.length > 1);
  const listed = lists(sets);
  const cliqueAt = Int32Array.from(sets.flatMap((members, q) => members.map(() => q)));
  const places = listsByKey(listed.items, vertices);
  return {
    vertices,
    links: lists(others.map((set) => [...set].sort((a, b) => a - b))),
    cliques: listed,
    cliquesOf: { start: places.start, items: places.items.map((p) => cliqueAt[p]!) },
  };
}

function lists(all: readonly (readonly number[])[]): Lists {
  const start = new Int32Array(all.length + 1);
  all.forEach((list, i) => {
    start[i + 1] = start[i]! + list.length;
  });
  return { start, items: Int32Array.from(all.flat()) };
}

export function cliqueSize({ cliques }: Graph, q: number): number {
  return cliques.start[q + 1]! - cliques.start[q]!;
}

/** The largest listed clique, the first on ties; empty if there are no cliques. */
export function largestListedClique(graph: Graph): Int32Array {
  const { start, items } = graph.cliques;
  let best = -1;
  for (let q = 0; q + 1 < start.length; q++) if (best === -1 || cliqueSize(graph, q) > cliqueSize(graph, best)) best = q;
  return best === -1 ? new Int32Array(0) : items.subarray(start[best]!, start[best + 1]!);
}

/** Upper bound of the degree of v: a neighbour counts once for each edge and clique that it shares with v. */
export function degreeBound(graph: Graph, v: number): number {
  const { links, cliquesOf } = graph;
  let degree = links.start[v + 1]! - links.start[v]!;
  for (let p = cliquesOf.start[v]!; p < cliquesOf.start[v + 1]!; p++) degree += cliqueSize(graph, cliquesOf.items[p]!) - 1;
  return degree;
}

/** Calls `visit` for each neighbour of v: once for each edge and clique that contains both vertices. */
export function eachNeighbour({ links, cliques, cliquesOf }: Graph, v: number, visit: (other: number) => void): void {
  for (let p = links.start[v]!; p < links.start[v + 1]!; p++) visit(links.items[p]!);
  for (let p = cliquesOf.start[v]!; p < cliquesOf.start[v + 1]!; p++) {
    const q = cliquesOf.items[p]!;
    for (let m = cliques.start[q]!; m < cliques.start[q + 1]!; m++) if (cliques.items[m] !== v) visit(cliques.items[m]!);
  }
}

/** The induced subgraph of distinct vertices with all neighbours listed; null if there are more than `mostArcs` neighbours to list. */
export function expand(graph: Graph, vertices: Int32Array, mostArcs: number): Adjacency | null {
  const place = new Int32Array(graph.vertices).fill(-1);
  vertices.forEach((v, i) => {
    place[v] = i;
  });
  let looks = 0;
  for (const v of vertices) looks += degreeBound(graph, v);
  if (looks > 4 * mostArcs) return null;
  const seen = new Int32Array(vertices.length).fill(-1);
  const start = new Int32Array(vertices.length + 1);
  const items = new Int32Array(Math.min(looks, mostArcs));
  let length = 0;
  for (let i = 0; i < vertices.length; i++) {
    eachNeighbour(graph, vertices[i]!, (other) => {
      const j = place[other]!;
      if (j < 0 || seen[j] === i) return;
      seen[j] = i;
      if (length < items.length) items[length] = j;
      length++;
    });
    if (length > items.length) return null;
    items.subarray(start[i]!, length).sort();
    start[i + 1] = length;
  }
  return { n: vertices.length, start, items: items.slice(0, length) };
}

/**
 * Counts edges. The pairs of each clique are counted by formula. Then the pairs that were counted more than once are subtracted: single
 * edges inside a clique, and pairs in several cliques. If no vertex is in more than two cliques, two cliques that share s vertices share
 * s(s-1)/2 pairs. Otherwise pairs of vertices in several cliques are checked one by one.
 */
function countEdges(graph: Graph): { readonly edges: number; readonly exact: boolean } {
  const { vertices, links, cliques, cliquesOf } = graph;
  let edges = links.items.length / 2;
  for (let q = 0; q + 1 < cliques.start.length; q++) edges += (cliqueSize(graph, q) * (cliqueSize(graph, q) - 1)) / 2;
  for (let u = 0; u < vertices; u++) {
    for (let p = links.start[u]!; p < links.start[u + 1]!; p++) {
      if (links.items[p]! > u && firstShared(graph, u, links.items[p]!) >= 0) edges--;
    }
  }
  let most = 0;
  for (let v = 0; v < vertices; v++) most = Math.max(most, cliquesOf.start[v + 1]! - cliquesOf.start[v]!);
  if (most < 2) return { edges, exact: true };
  if (most === 2) return { edges: edges - pairsInTwoCliques(graph), exact: true };
  const repeated = repeatedPairs(graph);
  return repeated === null ? { edges, exact: false } : { edges: edges - repeated, exact: true };
}

function pairsInTwoCliques({ vertices, cliques, cliquesOf }: Graph): number {
  const count = cliques.start.length - 1;
  const shared = new Map<number, number>();
  for (let v = 0; v < vertices; v++) {
    if (cliquesOf.start[v + 1]! - cliquesOf.start[v]! < 2) continue;
    const key = cliquesOf.items[cliquesOf.start[v]!]! * count + cliquesOf.items[cliquesOf.start[v]! + 1]!;
    shared.set(key, (shared.get(key) ?? 0) + 1);
  }
  let pairs = 0;
  for (const s of shared.values()) pairs += (s * (s - 1)) / 2;
  return pairs;
}

function repeatedPairs(graph: Graph): number | null {
  const { cliques, cliquesOf } = graph;
  const several = (v: number): boolean => cliquesOf.start[v + 1]! - cliquesOf.start[v]! > 1;
  let looks = 0;
  let repeated = 0;
  for (let q = 0; q + 1 < cliques.start.length; q++) {
    const members = cliques.items.subarray(cliques.start[q]!, cliques.start[q + 1]!).filter(several);
    looks += (members.length * members.length) / 2;
    if (looks > MOST_LOOKS) return null;
    for (let i = 0; i < members.length; i++) {
      for (let j = 0; j < i; j++) if (firstShared(graph, members[i]!, members[j]!) !== q) repeated++;
    }
  }
  return repeated;
}

function firstShared({ cliquesOf: { start, items } }: Graph, u: number, v: number): number {
  for (let p = start[u]!; p < start[u + 1]!; p++) {
    if (placeOf(items, start[v]!, start[v + 1]!, items[p]!) >= 0) return items[p]!;
  }
  return -1;
}

/** The largest degree. Counts degrees in descending order of their upper bounds. Stops when no other vertex can have a larger degree. */
function largestDegree(graph: Graph): { readonly most: number; readonly exact: boolean } {
  const bounds = Int32Array.from({ length: graph.vertices }, (_, v) => degreeBound(graph, v));
  const order = bounds.map((_, v) => v).sort((u, v) => bounds[v]! - bounds[u]! || u - v);
  const seen = new Int32Array(graph.vertices).fill(-1);
  let most = 0;
  let looks = 0;
  for (const v of order) {
    if (bounds[v]! <= most) break;
    if (looks > MOST_LOOKS) return { most: bounds[v]!, exact: false };
    let degree = 0;
    eachNeighbour(graph, v, (other) => {
      if (seen[other] !== v) degree++;
      seen[other] = v;
    });
    looks += bounds[v]!;
    most = Math.max(most, degree);
  }
  return { most, exact: true };
}
