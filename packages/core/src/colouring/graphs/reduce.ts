/**
 * Reduces a graph before a search for k colours, by removing two kinds of vertices:
 *
 * - Vertices with fewer than k neighbours: a colour is free for them at the end.
 * - Dominated vertices: all neighbours are also neighbours of another, non-adjacent vertex. A dominated vertex takes the colour of that
 *   other vertex.
 *
 * Vertices are removed repeatedly and put back at the end.
 */

import { type Budget, chargeLooks, type Interruptible, looksLeft, pauseDue } from "../../steps/budget.js";
import type { Adjacency } from "./adjacency.js";
import { cliqueSize, degreeBound, type Graph } from "./graph.js";

export interface Reduced {
  readonly rest: Int32Array;
  /** `removed`: removed vertices in the order of removal. `like[i]`: the vertex that passes its colour to `removed[i]`, or -1. */
  readonly removed: Int32Array;
  readonly like: Int32Array;
}

/** Maximum work of the search for dominated vertices, as a multiple of the total length of the neighbour lists. */
const DOMINATION_LOOKS = 20;

export function* reduce(graph: Adjacency, k: number, budget: Budget): Interruptible<Reduced> {
  const { n, start, items } = graph;
  const degree = Int32Array.from({ length: n }, (_, v) => start[v + 1]! - start[v]!);
  const gone = new Uint8Array(n);
  const removed: number[] = [];
  const like: number[] = [];
  const low: number[] = [];
  const remove = (v: number, other: number): void => {
    gone[v] = 1;
    removed.push(v);
    like.push(other);
    for (let p = start[v]!; p < start[v + 1]!; p++) {
      if (--degree[items[p]!]! === k - 1 && gone[items[p]!] === 0) low.push(items[p]!);
    }
  };
  const peel = (): void => {
    for (let v = low.pop(); v !== undefined; v = low.pop()) if (gone[v] === 0) remove(v, -1);
  };
  for (let v = n - 1; v >= 0; v--) if (degree[v]! < k) low.push(v);
  peel();
  const mark = new Int32Array(n).fill(-1);
  let looks = Math.min(DOMINATION_LOOKS * (items.length + n), looksLeft(budget));
  for (let again = true; again && looks > 0; ) {
    again = false;
    for (let v = 0; v < n && looks > 0; v++) {
      if (gone[v] === 1) continue;
      const { other, cost } = dominator(graph, gone, degree, mark, v);
      looks -= cost;
      chargeLooks(budget, cost);
      if (pauseDue(budget)) yield;
      if (other === -1) continue;
      remove(v, other);
      peel();
      again = true;
    }
  }
  const rest: number[] = [];
  for (let v = 0; v < n; v++) if (gone[v] === 0) rest.push(v);
  return { rest: Int32Array.from(rest), removed: Int32Array.from(removed), like: Int32Array.from(like) };
}

/** A vertex adjacent to all neighbours of v but not to v; -1 for none. Candidates: neighbours of v's lowest-degree neighbour. */
function dominator(
  { start, items }: Adjacency,
  gone: Uint8Array,
  degree: Int32Array,
  mark: Int32Array,
  v: number,
): { readonly other: number; readonly cost: number } {
  let rarest = -1;
  for (let p = start[v]!; p < start[v + 1]!; p++) {
    const w = items[p]!;
    mark[w] = v;
    if (gone[w] === 0 && (rarest === -1 || degree[w]! < degree[rarest]!)) rarest = w;
  }
  if (rarest === -1) return { other: -1, cost: 1 };
  let cost = start[v + 1]! - start[v]!;
  for (let p = start[rarest]!; p < start[rarest + 1]!; p++) {
    const other = items[p]!;
    if (other === v || gone[other] === 1 || mark[other] === v || degree[other]! < degree[v]!) continue;
    let shared = 0;
    for (let q = start[other]!; q < start[other + 1]!; q++) {
      if (gone[items[q]!] === 0 && mark[items[q]!] === v) shared++;
    }
    cost += start[other + 1]! - start[other]!;
    if (shared === degree[v]) return { other, cost };
  }
  return { other: -1, cost };
}

/** Colours the removed vertices in reverse order of removal. All other vertices must have a colour. */
export function putBack({ start, items }: Adjacency, { removed, like }: Reduced, k: number, colours: Int32Array): void {
  const taken = new Int32Array(k + 1).fill(-1);
  for (let i = removed.length - 1; i >= 0; i--) {
    const v = removed[i]!;
    if (like[i] !== -1) {
      colours[v] = colours[like[i]!]!;
      continue;
    }
    for (let p = start[v]!; p < start[v + 1]!; p++) if (colours[items[p]!]! >= 0) taken[colours[items[p]!]!] = v;
    let colour = 0;
    while (taken[colour] === v) colour++;
    colours[v] = colour;
  }
}

/** Removes vertices with fewer than k neighbours, without listing the pairs of cliques: the degrees are upper bounds. */
export function peelCliques(graph: Graph, k: number): Pick<Reduced, "rest" | "removed"> {
  const { vertices, links, cliques, cliquesOf } = graph;
  const degree = Int32Array.from({ length: vertices }, (_, v) => degreeBound(graph, v));
  const staying = Int32Array.from({ length: cliques.start.length - 1 }, (_, q) => cliqueSize(graph, q));
  const leaves = new Uint8Array(vertices);
  const removed: number[] = [];
  const leave = (v: number): void => {
    leaves[v] = 1;
    removed.push(v);
    for (let p = cliquesOf.start[v]!; p < cliquesOf.start[v + 1]!; p++) staying[cliquesOf.items[p]!]!--;
  };
  const lower = (other: number): void => {
    if (--degree[other]! < k && leaves[other] === 0) leave(other);
  };
  for (let v = 0; v < vertices; v++) if (degree[v]! < k) leave(v);
  for (let i = 0; i < removed.length; i++) {
    const v = removed[i]!;
    for (let p = links.start[v]!; p < links.start[v + 1]!; p++) lower(links.items[p]!);
    for (let p = cliquesOf.start[v]!; p < cliquesOf.start[v + 1]!; p++) {
      const q = cliquesOf.items[p]!;
      if (staying[q] === 0) continue;
      for (let m = cliques.start[q]!; m < cliques.start[q + 1]!; m++) if (cliques.items[m] !== v) lower(cliques.items[m]!);
    }
  }
  const rest: number[] = [];
  for (let v = 0; v < vertices; v++) if (leaves[v] === 0) rest.push(v);
  return { rest: Int32Array.from(rest), removed: Int32Array.from(removed) };
}

/** Gives each uncoloured vertex of `order` the lowest colour that no neighbour has. The vertex stays at -1 if k colours are not enough. */
export function fillGreedily(graph: Graph, order: Int32Array, k: number, colours: Int32Array): void {
  const palettes = openPalettes(graph, colours);
  const taken = new Int32Array(Math.min(k, graph.vertices) + 1).fill(-1);
  for (const v of order) {
    if (colours[v]! >= 0) continue;
    const colour = firstFree(graph, palettes, taken, v, colours);
    if (colour >= k) continue;
    colours[v] = colour;
    addToPalettes(graph, palettes, v, colour);
  }
}

/** For a clique of at least this size, the used colours are stored as bits. For smaller cliques, they are collected from the members. */
const LARGE_CLIQUE = 65;

/** The colours used in each large clique, one bit per colour; null for small cliques. */
type Palettes = (Uint32Array | null)[];

function openPalettes(graph: Graph, colours: Int32Array): Palettes {
  const palettes: Palettes = [];
  for (let q = 0; q + 1 < graph.cliques.start.length; q++) {
    palettes.push(cliqueSize(graph, q) < LARGE_CLIQUE ? null : new Uint32Array(4));
  }
  for (let v = 0; v < graph.vertices; v++) if (colours[v]! >= 0) addToPalettes(graph, palettes, v, colours[v]!);
  return palettes;
}

function addToPalettes({ cliquesOf }: Graph, palettes: Palettes, v: number, colour: number): void {
  for (let p = cliquesOf.start[v]!; p < cliquesOf.start[v + 1]!; p++) {
    const q = cliquesOf.items[p]!;
    let palette = palettes[q] ?? null;
    if (palette === null) continue;
    if (colour >> 5 >= palette.length) {
      const larger: Uint32Array<ArrayBuffer> = new Uint32Array(2 * (colour >> 5) + 2);
      larger.set(palette);
      palettes[q] = palette = larger;
    }
    palette[colour >> 5]! |= 1 << (colour & 31);
  }
}

/** The lowest colour that no neighbour of v has. `taken[c] = v` marks the colours of neighbours by edges and small cliques. */
function firstFree(graph: Graph, palettes: Palettes, taken: Int32Array, v: number, colours: Int32Array): number {
  const { links, cliques, cliquesOf } = graph;
  const mark = (other: number): void => {
    if (colours[other]! >= 0) taken[colours[other]!] = v;
  };
  for (let p = links.start[v]!; p < links.start[v + 1]!; p++) mark(links.items[p]!);
  const large: Uint32Array[] = [];
  for (let p = cliquesOf.start[v]!; p < cliquesOf.start[v + 1]!; p++) {
    const q = cliquesOf.items[p]!;
    const palette = palettes[q];
    if (palette) large.push(palette);
    else for (let m = cliques.start[q]!; m < cliques.start[q + 1]!; m++) mark(cliques.items[m]!);
  }
  for (let word = 0; ; word++) {
    let used = 0;
    for (const palette of large) used |= palette[word] ?? 0;
    if (used === -1) continue;
    for (let bit = 0; bit < 32; bit++) {
      const colour = 32 * word + bit;
      if (((used >>> bit) & 1) === 0 && taken[colour] !== v) return colour;
    }
  }
}
