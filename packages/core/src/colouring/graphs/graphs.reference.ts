/** Known graphs, random graphs, and slow, obviously correct answers about them. For tests only. */
import { randomFrom } from "../../random/random.js";
import { type Graph, graphOf } from "./graph.js";

export type Pairs = readonly (readonly [number, number])[];

export interface Plain {
  readonly n: number;
  readonly pairs: Pairs;
}

export function graphFrom({ n, pairs }: Plain): Graph {
  return graphOf(n, pairs);
}

export function cycle(n: number): Plain {
  return { n, pairs: Array.from({ length: n }, (_, i) => [i, (i + 1) % n] as const) };
}

export function complete(n: number): Plain {
  return { n, pairs: allPairs(n, () => true) };
}

export function multipartite(...sizes: readonly number[]): Plain {
  const part = sizes.flatMap((size, p) => new Array<number>(size).fill(p));
  return { n: part.length, pairs: allPairs(part.length, (i, j) => part[i] !== part[j]) };
}

export function petersen(): Plain {
  const pairs = [0, 1, 2, 3, 4].flatMap((i) => [
    [i, (i + 1) % 5] as const,
    [i, i + 5] as const,
    [5 + i, 5 + ((i + 2) % 5)] as const,
  ]);
  return { n: 10, pairs };
}

/** A graph that needs one more colour than the given graph, but has no larger clique (Mycielski 1955). */
export function mycielskian({ n, pairs }: Plain): Plain {
  return {
    n: 2 * n + 1,
    pairs: [
      ...pairs,
      ...pairs.flatMap(([u, v]) => [[u, n + v] as const, [v, n + u] as const]),
      ...Array.from({ length: n }, (_, i) => [n + i, 2 * n] as const),
    ],
  };
}

/** Queen graph: the squares of a board; two squares are adjacent if a queen can move between them. */
export function queens(side: number): Plain {
  const reaches = (a: number, b: number): boolean => {
    const rows = Math.abs(Math.floor(a / side) - Math.floor(b / side));
    const columns = Math.abs((a % side) - (b % side));
    return rows === 0 || columns === 0 || rows === columns;
  };
  return { n: side * side, pairs: allPairs(side * side, reaches) };
}

export function randomGraph(n: number, edges: number, seed: number): Plain {
  const random = randomFrom(seed);
  const pairs = new Map<number, readonly [number, number]>();
  const most = Math.min(edges, (n * (n - 1)) / 2);
  while (pairs.size < most) {
    const u = random.int(n);
    const v = random.int(n);
    if (u !== v) pairs.set(Math.min(u, v) * n + Math.max(u, v), [Math.min(u, v), Math.max(u, v)]);
  }
  return { n, pairs: [...pairs.values()] };
}

export function randomTree(n: number, seed: number): Plain {
  const random = randomFrom(seed);
  return { n, pairs: Array.from({ length: Math.max(0, n - 1) }, (_, i) => [random.int(i + 1), i + 1] as const) };
}

/** The graph whose adjacent pairs are the 1-bits of `bits`. */
export function graphOfBits(n: number, bits: number): Plain {
  let at = 0;
  return { n, pairs: allPairs(n, () => ((bits >> at++) & 1) === 1) };
}

export function allPairs(n: number, wanted: (i: number, j: number) => boolean): [number, number][] {
  const pairs: [number, number][] = [];
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) if (wanted(i, j)) pairs.push([i, j]);
  return pairs;
}

export function isProper({ n, pairs }: Plain, colouring: ArrayLike<number>, k: number): boolean {
  for (let v = 0; v < n; v++) if (!(colouring[v]! >= 0 && colouring[v]! < k)) return false;
  return pairs.every(([u, v]) => colouring[u] !== colouring[v]);
}

/** Counts proper colourings with k colours by listing them; stops at `enough`. */
export function countColourings({ n, pairs }: Plain, k: number, enough = Infinity): number {
  const earlier = Array.from({ length: n }, () => [] as number[]);
  for (const [u, v] of pairs) earlier[Math.max(u, v)]!.push(Math.min(u, v));
  const colours = new Array<number>(n).fill(-1);
  const count = (v: number, sought: number): number => {
    if (v === n) return 1;
    let found = 0;
    for (let c = 0; c < k && found < sought; c++) {
      if (earlier[v]!.some((u) => colours[u] === c)) continue;
      colours[v] = c;
      found += count(v + 1, sought - found);
    }
    return found;
  };
  return count(0, enough);
}

/** `result[c]`: number of partitions of the vertices into c classes without an edge inside a class. */
export function independentPartitions({ n, pairs }: Plain): number[] {
  const earlier = Array.from({ length: n }, () => [] as number[]);
  for (const [u, v] of pairs) earlier[Math.max(u, v)]!.push(Math.min(u, v));
  const found = new Array<number>(n + 1).fill(0);
  const classes = new Array<number>(n).fill(-1);
  const visit = (v: number, used: number): void => {
    if (v === n) {
      found[used]!++;
      return;
    }
    for (let c = 0; c <= used; c++) {
      if (earlier[v]!.some((u) => classes[u] === c)) continue;
      classes[v] = c;
      visit(v + 1, Math.max(used, c + 1));
    }
  };
  visit(0, 0);
  return found;
}

/** Number of colourings with k colours, from `independentPartitions`: the classes of a partition get different colours. */
export function fromPartitions(partitions: readonly number[], k: number): number {
  let ways = 1;
  return partitions.reduce((sum, count, classes) => {
    if (classes > 0) ways *= k - classes + 1;
    return sum + count * ways;
  }, 0);
}

/**
 * Whether k colours are enough, by backtracking: takes the vertex with the fewest possible colours and tries each of these colours. Unused
 * colours are interchangeable, so only the first unused colour is tried.
 */
export function isColourable(plain: Plain, k: number): boolean {
  const others = Array.from({ length: plain.n }, () => new Set<number>());
  for (const [u, v] of plain.pairs) {
    others[u]!.add(v);
    others[v]!.add(u);
  }
  const colours = new Map<number, number>();
  const possible = (used: number): boolean => {
    let next = -1;
    let free: number[] = [];
    for (let v = 0; v < plain.n; v++) {
      if (colours.has(v)) continue;
      const taken = new Set([...others[v]!].map((u) => colours.get(u)));
      const left = Array.from({ length: Math.min(k, used + 1) }, (_, c) => c).filter((c) => !taken.has(c));
      if (next === -1 || left.length < free.length) [next, free] = [v, left];
    }
    if (next === -1) return true;
    for (const c of free) {
      colours.set(next, c);
      if (possible(Math.max(used, c + 1))) return true;
      colours.delete(next);
    }
    return false;
  };
  return possible(0);
}

/** The induced subgraph of the given vertices, renumbered. */
export function inducedPlain({ pairs }: Plain, vertices: readonly number[]): Plain {
  const place = new Map(vertices.map((v, i) => [v, i]));
  return {
    n: vertices.length,
    pairs: pairs.flatMap(([u, v]) => (place.has(u) && place.has(v) ? [[place.get(u)!, place.get(v)!] as const] : [])),
  };
}
