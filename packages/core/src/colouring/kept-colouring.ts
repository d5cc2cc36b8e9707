/**
 * An incremental colouring with k colours, updated while vertices are merged. A linkage that must end in k clusters calls `canMerge` before
 * each merge: does the graph with the two vertices merged still have a colouring with k colours?
 *
 * In most cases the current colouring answers directly: two vertices of the same colour can be merged, and so can two vertices with a
 * common free colour. Otherwise a short search recolours vertices near the merged vertex or proves that no colouring exists. If the short
 * search does not decide, an exact search in the connected component does.
 *
 * After the answer "no", the two vertices get an edge: merging only adds edges, so the answer stays "no". The answer "undecided" leaves the
 * colouring unchanged. A proper colouring of more than k vertices has two vertices of the same colour, so an allowed merge always exists.
 */

import { badInput } from "../errors.js";
import { upTo } from "../linalg/indices.js";
import { type Budget, budgetOf, checkColours, type EffortOptions, giveBack, share } from "../steps/budget.js";
import { drain } from "../steps/steps.js";
import { type Colouring, colour, MOST_ARCS } from "./colouring.js";
import type { Adjacency } from "./graphs/adjacency.js";
import { eachNeighbour, type Graph } from "./graphs/graph.js";
import type { SearchAnswer } from "./greedy/dsatur.js";
import { searchTabu } from "./greedy/local-search.js";

import { solve } from "./solve.js";

/** Maximum number of colours in the quick search, which stores sets of colours as bits of a 32-bit mask. */
const MOST_COLOURS = 30;

/** Node limit of the quick search in `askMerge`. If the search reaches it, the full search decides. */
const NODES = 200;

export interface IncrementalColouring {
  readonly k: number;
  /** The current vertex that contains v: v itself, or the vertex that v was merged into. */
  standsFor(v: number): number;
  colourOf(v: number): number;
  /** Whether k colours are still enough after u and v become one vertex. The test can recolour vertices. */
  canMerge(u: number, v: number): "yes" | "no" | "undecided";
  /** Merges v into u. Throws a RangeError unless `canMerge` returns "yes". */
  merge(u: number, v: number): void;
}

export type KeepColouring =
  | { readonly status: "feasible"; readonly kept: IncrementalColouring }
  | Exclude<Colouring, { readonly status: "feasible" }>;

export interface KeepOptions extends EffortOptions {
  /** Maximum nodes per `canMerge` call, default 4000. */
  readonly questionEffort?: number;
}

const QUESTION_EFFORT = 4_000;

/**
 * Starts an incremental colouring. Lists all neighbours of all vertices, at most `MOST_ARCS` entries. `effort` limits the search for the
 * first colouring.
 */
export function keepColouring(graph: Graph, k: number, options: KeepOptions = {}): KeepColouring {
  checkColours(k);
  const question = { effort: options.questionEffort ?? QUESTION_EFFORT };
  const first = colour(graph, k, options);
  if (first.status !== "feasible") return first;
  const state = openState(graph, k, first.colouring);
  return {
    status: "feasible",
    kept: {
      k,
      standsFor: (v) => find(state, v),
      colourOf: (v) => state.colours[find(state, v)]!,
      canMerge: (u, v) => canMerge(state, find(state, u), find(state, v), budgetOf(question)),
      merge(u, v) {
        const [a, b] = [find(state, u), find(state, v)];
        if (canMerge(state, a, b, budgetOf(question)) !== "yes") throw new RangeError(`Vertices ${u} and ${v} cannot be merged.`);
        contract(state, a, b);
      },
    },
  };
}

interface State {
  readonly k: number;
  /** Union-find parent: the vertex that v was merged into, v itself if it was not merged. */
  readonly into: Int32Array;
  readonly neighboursOf: (Set<number> | null)[];
  readonly colours: Int32Array;
  /** Work space of `askMerge`: the allowed colours of each vertex as a bit mask. */
  readonly domain: Int32Array;
  /** Work space of `takeFreeColour`: one flag per colour. */
  readonly taken: Uint8Array;
  /** `mark[v] === walk` if the last traversal reached v. */
  readonly mark: Int32Array;
  walk: number;
}

function openState(graph: Graph, k: number, colouring: Int32Array): State {
  let arcs = 0;
  const neighboursOf = Array.from({ length: graph.vertices }, (_, v) => {
    const set = new Set<number>();
    if (arcs <= MOST_ARCS) eachNeighbour(graph, v, (other) => set.add(other));
    arcs += set.size;
    return set;
  });
  if (arcs > MOST_ARCS) {
    throw badInput(`The constraints keep more than ${MOST_ARCS / 2} pairs of components apart, too many to look ahead.`, {
      remedy: "Turn the look-ahead off.",
    });
  }
  const n = graph.vertices;
  return {
    k,
    into: upTo(n),
    neighboursOf,
    colours: colouring.slice(),
    domain: new Int32Array(n),
    taken: new Uint8Array(Math.min(k, n)),
    mark: new Int32Array(n),
    walk: 0,
  };
}

function find({ into }: State, v: number): number {
  while (into[v] !== v) {
    into[v] = into[into[v]!]!;
    v = into[v]!;
  }
  return v;
}

function canMerge(state: State, a: number, b: number, budget: Budget): "yes" | "no" | "undecided" {
  if (a === b) return "yes";
  if (state.neighboursOf[a]!.has(b)) return "no";
  if (state.colours[a] === state.colours[b]) return "yes";
  if (takeFreeColour(state, a, b)) return "yes";
  const { neighboursOf, colours, k, domain } = state;
  const quick = askMerge({ neighboursOf, colours, k, a, b, domain });
  if (quick === "yes") return "yes";
  if (quick === "no") return refuse(state, a, b);
  const part = reachable(state, a, b);
  const answer = recolour(state, part, contracted(state, part, a, b), budget);
  if (answer === null) return "undecided";
  if (answer === "no") return refuse(state, a, b);
  part.forEach((v, i) => {
    state.colours[v] = answer[i]!;
  });
  state.colours[b] = state.colours[a]!;
  return "yes";
}

function refuse({ neighboursOf }: State, a: number, b: number): "no" {
  neighboursOf[a]!.add(b);
  neighboursOf[b]!.add(a);
  return "no";
}

/** Node limit of the first, short exact search in `recolour`. */
const QUICK_NODES = 200;
const LOCAL_STEPS = 1_000;
/**
 * Limits of the exact searches in `recolour`. The local searches of `solve` are off, because `recolour` runs a local search from the
 * current colours.
 */
const PROOF = { saturatedNodes: 4_000, tabuSteps: 0, walkRounds: 0 };

/**
 * A colouring of `graph`; "no" if no colouring exists; null if undecided. If there is no colouring, the proof is usually short, so a short
 * exact search runs first. Then local search repairs the current colours, which are wrong only around the merged vertex. If local search
 * fails, the graph is coloured from scratch.
 */
function recolour({ k, colours }: State, part: Int32Array, graph: Adjacency, budget: Budget): Int32Array | "no" | null {
  const first = share(budget, QUICK_NODES);
  const quick = drain(solve(graph, k, first, PROOF));
  giveBack(budget, first);
  if (quick.status !== "undecided") return coloursOf(quick);
  const kept = part.map((v) => colours[v]!);
  const repaired = drain(searchTabu(graph, k, kept, LOCAL_STEPS + graph.n, budget));
  return repaired ?? coloursOf(drain(solve(graph, k, budget, PROOF)));
}

function coloursOf(answer: SearchAnswer): Int32Array | "no" | null {
  if (answer.status === "feasible") return answer.colours;
  return answer.status === "infeasible" ? "no" : null;
}

/** Gives a and b the lowest colour that no neighbour of a or b has. False if there is no such colour. */
function takeFreeColour({ taken, neighboursOf, colours }: State, a: number, b: number): boolean {
  taken.fill(0);
  for (const v of neighboursOf[a]!) taken[colours[v]!] = 1;
  for (const v of neighboursOf[b]!) taken[colours[v]!] = 1;
  const free = taken.indexOf(0);
  if (free === -1) return false;
  colours[a] = colours[b] = free;
  return true;
}

function reachable(state: State, a: number, b: number): Int32Array {
  const walk = ++state.walk;
  state.mark[a] = state.mark[b] = walk;
  const reached = [a, b];
  for (let r = 0; r < reached.length; r++) {
    for (const other of state.neighboursOf[reached[r]!]!) {
      if (state.mark[other] === walk) continue;
      state.mark[other] = walk;
      reached.push(other);
    }
  }
  return Int32Array.from(reached).sort();
}

/** The subgraph of `part` after b is merged into a: a also has the neighbours of b, and b has no neighbours. */
function contracted({ neighboursOf }: State, part: Int32Array, a: number, b: number): Adjacency {
  const place = new Map<number, number>();
  part.forEach((v, i) => {
    place.set(v, i);
  });
  const start = new Int32Array(part.length + 1);
  const items: number[] = [];
  part.forEach((v, i) => {
    const from = items.length;
    const neighbours = new Set<number>();
    if (v !== b) for (const other of neighboursOf[v]!) neighbours.add(place.get(other === b ? a : other)!);
    if (v === a) for (const other of neighboursOf[b]!) neighbours.add(place.get(other)!);
    for (const other of [...neighbours].sort((x, y) => x - y)) items.push(other);
    start[i + 1] = start[i]! + items.length - from;
  });
  return { n: part.length, start, items: Int32Array.from(items) };
}

function contract({ into, neighboursOf }: State, a: number, b: number): void {
  if (a === b) return;
  for (const other of neighboursOf[b]!) {
    neighboursOf[other]!.delete(b);
    neighboursOf[other]!.add(a);
    neighboursOf[a]!.add(other);
  }
  neighboursOf[b] = null;
  into[b] = a;
}

/*
 * Short search: can two vertices of a coloured graph share a colour? The linkage asks this often, and most cases are easy.
 *
 * A bit mask per vertex holds its allowed colours. A clique around the merged vertex gets fixed colours, because colours can be renamed.
 * The search then propagates the consequences of these colours. If a vertex has no allowed colour left, the merge is impossible. When
 * propagation stops, a vertex with several allowed colours tries each of them, its current colour first. The search ends when every reached
 * vertex has one colour. Vertices that the search did not reach have no conflicts, so they keep their colours.
 */

export interface MergeQuestion {
  /** `neighboursOf`: neighbours of each vertex, null for a vertex that was merged into another vertex. `colours`: current colours. */
  readonly neighboursOf: readonly (ReadonlySet<number> | null)[];
  readonly colours: Int32Array;
  readonly k: number;
  /** The two vertices to merge. In the merged graph, a has the neighbours of both. */
  readonly a: number;
  readonly b: number;
  /**
   * Work space: a bit mask of allowed colours for each vertex. A mask of 0 means that all colours are allowed. All masks are 0 before and
   * after the search.
   */
  readonly domain: Int32Array;
}

interface Propagation {
  readonly question: MergeQuestion;
  readonly all: number;
  /** Undo log: each changed vertex, followed by its previous mask of allowed colours. */
  readonly trail: number[];
  /** Vertices with exactly one allowed colour. The colours of the first `propagated` vertices are already removed from their neighbours. */
  readonly fixed: number[];
  propagated: number;
  nodes: number;
}

export function askMerge(question: MergeQuestion): "yes" | "no" | "undecided" {
  const { k, a, b, domain, colours } = question;
  if (k > MOST_COLOURS) return "undecided";
  const propagation: Propagation = { question, all: 2 ** k - 1, trail: [], fixed: [], propagated: 0, nodes: NODES };
  const found = takeClique(propagation) && propagate(propagation) && search(propagation);
  if (found) {
    for (const v of propagation.fixed) colours[v] = 31 - Math.clz32(domain[v]!);
    colours[b] = colours[a]!;
  }
  takeBack(propagation, 0);
  return found ? "yes" : propagation.nodes > 0 ? "no" : "undecided";
}

/** Gives all members of a clique different fixed colours. A member keeps its current colour if no earlier member has taken it. */
function takeClique(propagation: Propagation): boolean {
  const { colours } = propagation.question;
  const clique = cliqueAround(propagation.question);
  let free = propagation.all;
  const own = clique.map((v) => {
    const bit = free & (1 << colours[v]!);
    free &= ~bit;
    return bit;
  });
  return clique.every((v, i) => {
    const bit = own[i]! || free & -free;
    free &= ~bit;
    return limit(propagation, v, bit);
  });
}

/** Greedy clique: the merged vertex, then repeatedly the common neighbour with the most edges. */
function cliqueAround({ neighboursOf, k, a, b }: MergeQuestion): number[] {
  const clique = [a];
  let near = [...neighboursOf[a]!];
  for (const v of neighboursOf[b]!) if (!neighboursOf[a]!.has(v)) near.push(v);
  while (clique.length < k && near.length > 0) {
    let next = near[0]!;
    for (const v of near) if (neighboursOf[v]!.size > neighboursOf[next]!.size) next = v;
    clique.push(next);
    const adjacent = neighboursOf[next]!;
    near = near.filter((v) => adjacent.has(v));
  }
  return clique;
}

/** Intersects the allowed colours of v with `mask`; returns false if no colour is left. */
function limit({ question: { domain }, all, trail, fixed }: Propagation, v: number, mask: number): boolean {
  const before = domain[v]! || all;
  const left = before & mask;
  if (left === before) return true;
  if (left === 0) return false;
  trail.push(v, domain[v]!);
  domain[v] = left;
  if ((left & (left - 1)) === 0) fixed.push(v);
  return true;
}

/** Removes the colours of fixed vertices from their neighbours, repeatedly. False if a vertex has no colour left. */
function propagate(propagation: Propagation): boolean {
  const { fixed } = propagation;
  const { neighboursOf, domain, a, b } = propagation.question;
  while (propagation.propagated < fixed.length) {
    const v = fixed[propagation.propagated++]!;
    const mask = ~domain[v]!;
    for (const w of neighboursOf[v]!) if (!limit(propagation, w === b ? a : w, mask)) return false;
    if (v === a) for (const w of neighboursOf[b]!) if (!limit(propagation, w, mask)) return false;
  }
  return true;
}

function takeBack(propagation: Propagation, length: number): void {
  const { question, trail } = propagation;
  while (trail.length > length) {
    const mask = trail.pop()!;
    question.domain[trail.pop()!] = mask;
  }
}

/** Backtracking: gives every reached vertex one colour. Branches on a vertex with the fewest allowed colours. */
function search(propagation: Propagation): boolean {
  if (--propagation.nodes <= 0) return false;
  const { question, trail, fixed } = propagation;
  const v = fewestLeft(propagation);
  if (v < 0) return true;
  const [trailed, known] = [trail.length, fixed.length];
  const own = 1 << question.colours[v]!;
  for (let left = question.domain[v]!; left !== 0 && propagation.nodes > 0; ) {
    const bit = left & own || left & -left;
    left &= ~bit;
    if (limit(propagation, v, bit) && propagate(propagation) && search(propagation)) return true;
    takeBack(propagation, trailed);
    fixed.length = propagation.propagated = known;
  }
  return false;
}

/**
 * Returns the vertex to branch on: a vertex with the fewest allowed colours, at least two. On ties, the vertex that was changed last.
 * Returns -1 if every changed vertex has one colour.
 */
function fewestLeft({ question: { domain }, trail }: Propagation): number {
  let fewest = MOST_COLOURS + 1;
  let found = -1;
  for (let i = trail.length - 2; i >= 0 && fewest > 2; i -= 2) {
    const mask = domain[trail[i]!]!;
    if ((mask & (mask - 1)) === 0) continue;
    const count = bits(mask);
    if (count >= fewest) continue;
    fewest = count;
    found = trail[i]!;
  }
  return found;
}

function bits(mask: number): number {
  let count = 0;
  for (; mask !== 0; mask &= mask - 1) count++;
  return count;
}
