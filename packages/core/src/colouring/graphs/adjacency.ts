/** A small graph with all neighbours listed, and operations on it: induced subgraph, connected components, blocks. */
import { type Lists, listsByKey, placeOf } from "../../structures/components.js";

/** The neighbours of vertex v, ascending: `items[start[v]] … items[start[v + 1] - 1]`. */
export interface Adjacency extends Lists {
  readonly n: number;
}

export function adjacent({ start, items }: Adjacency, u: number, v: number): boolean {
  return start[u + 1]! - start[u]! <= start[v + 1]! - start[v]!
    ? placeOf(items, start[u]!, start[u + 1]!, v) >= 0
    : placeOf(items, start[v]!, start[v + 1]!, u) >= 0;
}

export function maxDegree(graph: Adjacency): number {
  let most = 0;
  for (let v = 0; v < graph.n; v++) most = Math.max(most, graph.start[v + 1]! - graph.start[v]!);
  return most;
}

/** The induced subgraph of distinct, ascending vertices; the vertices are renumbered in this order. */
export function induced(graph: Adjacency, vertices: Int32Array): Adjacency {
  const at = placesOf(graph.n, vertices);
  const start = new Int32Array(vertices.length + 1);
  const items: number[] = [];
  vertices.forEach((v, i) => {
    for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) {
      const j = at(graph.items[p]!);
      if (j >= 0) items.push(j);
    }
    start[i + 1] = items.length;
  });
  return { n: vertices.length, start, items: Int32Array.from(items) };
}

/** A part with fewer than n / SMALL_PART vertices uses a Map, because a table over all n vertices would cost more. */
const SMALL_PART = 32;

/** The position of each vertex in the list; -1 if it is not in the list. */
function placesOf(n: number, vertices: Int32Array): (v: number) => number {
  if (vertices.length * SMALL_PART < n) {
    const place = new Map<number, number>();
    vertices.forEach((v, i) => {
      place.set(v, i);
    });
    return (v) => place.get(v) ?? -1;
  }
  const place = new Int32Array(n).fill(-1);
  vertices.forEach((v, i) => {
    place[v] = i;
  });
  return (v) => place[v]!;
}

/** The vertices of each connected component, ascending; components ordered by their first vertex. */
export function connectedComponents({ n, start, items }: Adjacency): Int32Array[] {
  const key = new Int32Array(n).fill(-1);
  let count = 0;
  for (let root = 0; root < n; root++) {
    if (key[root] !== -1) continue;
    key[root] = count;
    const reached = [root];
    for (let r = 0; r < reached.length; r++) {
      for (let p = start[reached[r]!]!; p < start[reached[r]! + 1]!; p++) {
        const other = items[p]!;
        if (key[other] !== -1) continue;
        key[other] = count;
        reached.push(other);
      }
    }
    count++;
  }
  const parts = listsByKey(key, count);
  return Array.from({ length: count }, (_, c) => parts.items.slice(parts.start[c]!, parts.start[c + 1]!));
}

/**
 * Returns the blocks of a graph without recursion (Hopcroft, Tarjan 1973). Blocks are the maximal subgraphs that the removal of a single
 * vertex does not disconnect. Vertices ascend within each block. In the returned order, each block shares at most one vertex with the union
 * of the earlier blocks. An isolated vertex is a block.
 */
export function blocks({ n, start, items }: Adjacency): Int32Array[] {
  const depth = new Int32Array(n).fill(-1);
  const low = new Int32Array(n);
  const parent = new Int32Array(n).fill(-1);
  const next = start.slice(0, n);
  const found: Int32Array[] = [];
  for (let root = 0; root < n; root++) {
    if (depth[root] !== -1) continue;
    if (start[root] === start[root + 1]) found.push(Int32Array.of(root));
    depth[root] = 0;
    const path = [root];
    // Visited vertices that are not yet assigned to a block, except cut vertices.
    const open: number[] = [];
    while (path.length > 0) {
      const v = path.at(-1)!;
      if (next[v]! < start[v + 1]!) {
        const other = items[next[v]!++]!;
        if (depth[other] === -1) {
          depth[other] = low[other] = depth[v]! + 1;
          parent[other] = v;
          path.push(other);
          open.push(other);
        } else if (other !== parent[v]) low[v] = Math.min(low[v]!, depth[other]!);
        continue;
      }
      path.pop();
      const above = parent[v]!;
      if (above === -1) continue;
      low[above] = Math.min(low[above]!, low[v]!);
      if (low[v]! < depth[above]!) continue;
      found.push(Int32Array.from([above, ...open.splice(open.lastIndexOf(v))]).sort());
    }
  }
  return found.reverse();
}
