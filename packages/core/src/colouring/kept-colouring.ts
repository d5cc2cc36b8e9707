/**
 * A colouring with k colours that is kept while vertices are merged, for a linkage that must end in k clusters: it answers
 * whether the graph with two vertices made one could still be coloured with k colours.
 *
 * In most cases the kept colouring answers at once: two vertices of one colour can be merged, and so can two that have a colour
 * which neither's neighbours use. Else a short search around both mends the colours or finds that it cannot be; what is left is
 * decided by an exact search in the connected part concerned. A refusal is final, for contracting more only adds edges: it is kept
 * as an edge. "undecided" leaves the colouring as it is; since a proper colouring of more than k vertices has two of one colour, a
 * legal merge always exists.
 */

import { badInput } from "../errors.js";
import { upTo } from "../linalg/indices.js";
import { type Budget, budgetOf, checkColours, type EffortOptions, giveBack, share } from "../steps/budget.js";
import { drain } from "../steps/steps.js";
import { type Colouring, colour, MOST_ARCS } from "./colouring.js";
import type { Adjacency } from "./graphs/adjacency.js";
import { eachNeighbour, type Graph } from "./graphs/graph.js";
import type { SearchAnswer } from "./greedy/dsatur.js";
import { searchTabu } from "./greedy/tabu.js";

import { solve } from "./solve.js";

/** Colours are bits of a word. */
const MOST_COLOURS = 30;

/** What takes more is left to the full search. */
const NODES = 200;

export interface KeptColouring {
  readonly k: number;
  /** The vertex that stands for v now: itself, or one that it was merged into. */
  standsFor(v: number): number;
  colourOf(v: number): number;
  /** Whether both may be one vertex; may change the kept colouring. */
  canMerge(u: number, v: number): "yes" | "no" | "undecided";
  /** Makes both one vertex, for which u's stands; throws a RangeError unless `canMerge` says yes. */
  merge(u: number, v: number): void;
}

export type KeepColouring =
  | { readonly status: "feasible"; readonly kept: KeptColouring }
  | Exclude<Colouring, { readonly status: "feasible" }>;

export interface KeepOptions extends EffortOptions {
  /** Most nodes for each question to `canMerge`. */
  readonly questionEffort?: number;
}

const QUESTION_EFFORT = 4_000;
/** Nodes for a first, short proof or colouring. */
const QUICK_NODES = 200;
const LOCAL_STEPS = 1_000;
/** What local search could not mend is probably impossible: a proof is looked for. */
const PROOF = { saturatedNodes: 4_000, tabuSteps: 0, walkRounds: 0 };

/** Every neighbour is stored: as many as `MOST_ARCS` are accepted. `effort` is for the first colouring. */
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
        if (canMerge(state, a, b, budgetOf(question)) !== "yes")
          throw new RangeError(`Vertices ${u} and ${v} may not be merged.`);
        contract(state, a, b);
      },
    },
  };
}

interface State {
  readonly k: number;
  /** The vertex that each was merged into, itself while it stands. */
  readonly into: Int32Array;
  readonly others: (Set<number> | null)[];
  readonly colours: Int32Array;
  /** Room for the colours that a vertex may have. */
  readonly domain: Int32Array;
  /** Room for a flag for each colour. */
  readonly taken: Uint8Array;
  /** Marks of the last walk. */
  readonly mark: Int32Array;
  walk: number;
}

function openState(graph: Graph, k: number, colouring: Int32Array): State {
  let arcs = 0;
  const others = Array.from({ length: graph.vertices }, (_, v) => {
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
    others,
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
  if (state.others[a]!.has(b)) return "no";
  if (state.colours[a] === state.colours[b]) return "yes";
  if (takeFreeColour(state, a, b)) return "yes";
  const { others, colours, k, domain } = state;
  const quick = askMerge({ others, colours, k, a, b, domain });
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

function refuse({ others }: State, a: number, b: number): "no" {
  others[a]!.add(b);
  others[b]!.add(a);
  return "no";
}

/**
 * Colours of a graph, "no" if there are none, null if that was not decided. Most refusals have short proofs, which are looked for
 * first. Else the kept colours, which are wrong around the merged vertex alone, are mended by local search before all is coloured
 * anew.
 */
function recolour({ k, colours }: State, part: Int32Array, graph: Adjacency, budget: Budget): Int32Array | "no" | null {
  const first = share(budget, QUICK_NODES);
  const quick = drain(solve(graph, k, first, PROOF));
  giveBack(budget, first);
  if (quick.status !== "undecided") return coloursOf(quick);
  const kept = part.map((v) => colours[v]!);
  const mended = drain(searchTabu(graph, k, kept, LOCAL_STEPS + graph.n, budget));
  return mended ?? coloursOf(drain(solve(graph, k, budget, PROOF)));
}

function coloursOf(answer: SearchAnswer): Int32Array | "no" | null {
  if (answer.status === "feasible") return answer.colours;
  return answer.status === "infeasible" ? "no" : null;
}

/** A colour that no neighbour of either has goes to both. */
function takeFreeColour({ taken, others, colours }: State, a: number, b: number): boolean {
  taken.fill(0);
  for (const v of others[a]!) taken[colours[v]!] = 1;
  for (const v of others[b]!) taken[colours[v]!] = 1;
  const free = taken.indexOf(0);
  if (free === -1) return false;
  colours[a] = colours[b] = free;
  return true;
}

/** Every vertex connected with a or b, ascending. */
function reachable(state: State, a: number, b: number): Int32Array {
  const walk = ++state.walk;
  state.mark[a] = state.mark[b] = walk;
  const reached = [a, b];
  for (let r = 0; r < reached.length; r++) {
    for (const other of state.others[reached[r]!]!) {
      if (state.mark[other] === walk) continue;
      state.mark[other] = walk;
      reached.push(other);
    }
  }
  return Int32Array.from(reached).sort();
}

/** The graph between `part`, in which a has the neighbours of b too, and b has none. */
function contracted({ others }: State, part: Int32Array, a: number, b: number): Adjacency {
  const place = new Map<number, number>();
  part.forEach((v, i) => {
    place.set(v, i);
  });
  const start = new Int32Array(part.length + 1);
  const items: number[] = [];
  part.forEach((v, i) => {
    const from = items.length;
    const neighbours = new Set<number>();
    if (v !== b) for (const other of others[v]!) neighbours.add(place.get(other === b ? a : other)!);
    if (v === a) for (const other of others[b]!) neighbours.add(place.get(other)!);
    for (const other of [...neighbours].sort((x, y) => x - y)) items.push(other);
    start[i + 1] = start[i]! + items.length - from;
  });
  return { n: part.length, start, items: Int32Array.from(items) };
}

function contract({ into, others }: State, a: number, b: number): void {
  if (a === b) return;
  for (const other of others[b]!) {
    others[other]!.delete(b);
    others[other]!.add(a);
    others[a]!.add(other);
  }
  others[b] = null;
  into[b] = a;
}

/*
 * Whether two vertices of a coloured graph may share a colour: a short search, for questions that are asked often and are mostly
 * easy. What each vertex may have is a word of bits. A clique around the merged vertex gets its colours, which can be renamed at
 * will, and what follows is followed; a vertex left without a colour is a proof that they may not. Where nothing more follows, a
 * vertex that has several left tries them, its present one first. Once every vertex that was reached has one colour, none of the
 * others has such a neighbour, and they stay as they are.
 */

export interface MergeQuestion {
  /** The neighbours of each vertex that stands, and its present colour. */
  readonly others: readonly (ReadonlySet<number> | null)[];
  readonly colours: Int32Array;
  readonly k: number;
  /** The two vertices: in the merged graph a has the neighbours of both, and b is no more. */
  readonly a: number;
  readonly b: number;
  /** Room for a word for each vertex, all 0 before and after: the colours it may have, 0 for all. */
  readonly domain: Int32Array;
}

interface Following {
  readonly asked: MergeQuestion;
  readonly all: number;
  /** Vertices whose words were changed, each with its word before. */
  readonly trail: number[];
  /** Vertices of one colour; those before `followed` have been taken from their neighbours. */
  readonly fixed: number[];
  followed: number;
  nodes: number;
}

/** "yes" has changed the colours so that both have the same. */
export function askMerge(asked: MergeQuestion): "yes" | "no" | "undecided" {
  const { k, a, b, domain, colours } = asked;
  if (k > MOST_COLOURS) return "undecided";
  const following: Following = { asked, all: 2 ** k - 1, trail: [], fixed: [], followed: 0, nodes: NODES };
  const found = takeClique(following) && follow(following) && search(following);
  if (found) {
    for (const v of following.fixed) colours[v] = 31 - Math.clz32(domain[v]!);
    colours[b] = colours[a]!;
  }
  takeBack(following, 0);
  return found ? "yes" : following.nodes > 0 ? "no" : "undecided";
}

/** The clique keeps its colours where no two are the same. */
function takeClique(following: Following): boolean {
  const { colours } = following.asked;
  const clique = cliqueAround(following.asked);
  let free = following.all;
  const own = clique.map((v) => {
    const bit = free & (1 << colours[v]!);
    free &= ~bit;
    return bit;
  });
  return clique.every((v, i) => {
    const bit = own[i]! || free & -free;
    free &= ~bit;
    return limit(following, v, bit);
  });
}

/** The merged vertex and neighbours of it that are neighbours of each other, each the one of most edges that fits. */
function cliqueAround({ others, k, a, b }: MergeQuestion): number[] {
  const clique = [a];
  let near = [...others[a]!];
  for (const v of others[b]!) if (!others[a]!.has(v)) near.push(v);
  while (clique.length < k && near.length > 0) {
    let next = near[0]!;
    for (const v of near) if (others[v]!.size > others[next]!.size) next = v;
    clique.push(next);
    const adjacent = others[next]!;
    near = near.filter((v) => adjacent.has(v));
  }
  return clique;
}

/** Leaves v only colours of a word; false if it has none left. */
function limit({ asked: { domain }, all, trail, fixed }: Following, v: number, word: number): boolean {
  const before = domain[v]! || all;
  const left = before & word;
  if (left === before) return true;
  if (left === 0) return false;
  trail.push(v, domain[v]!);
  domain[v] = left;
  if ((left & (left - 1)) === 0) fixed.push(v);
  return true;
}

/** Takes the colours of fixed vertices from their neighbours, and so on; false if one has none left. */
function follow(following: Following): boolean {
  const { fixed } = following;
  const { others, domain, a, b } = following.asked;
  while (following.followed < fixed.length) {
    const v = fixed[following.followed++]!;
    const word = ~domain[v]!;
    for (const w of others[v]!) if (!limit(following, w === b ? a : w, word)) return false;
    if (v === a) for (const w of others[b]!) if (!limit(following, w, word)) return false;
  }
  return true;
}

function takeBack(following: Following, length: number): void {
  const { asked, trail } = following;
  while (trail.length > length) {
    const word = trail.pop()!;
    asked.domain[trail.pop()!] = word;
  }
}

/** Gives every vertex that was reached one colour, one of those with the fewest to choose from first. */
function search(following: Following): boolean {
  if (--following.nodes <= 0) return false;
  const { asked, trail, fixed } = following;
  const v = fewestLeft(following);
  if (v < 0) return true;
  const [trailed, known] = [trail.length, fixed.length];
  const own = 1 << asked.colours[v]!;
  for (let left = asked.domain[v]!; left !== 0 && following.nodes > 0; ) {
    const bit = left & own || left & -left;
    left &= ~bit;
    if (limit(following, v, bit) && follow(following) && search(following)) return true;
    takeBack(following, trailed);
    fixed.length = following.followed = known;
  }
  return false;
}

/** The vertex reached last of those with the fewest colours left of several; -1 if all have one. */
function fewestLeft({ asked: { domain }, trail }: Following): number {
  let fewest = MOST_COLOURS + 1;
  let found = -1;
  for (let i = trail.length - 2; i >= 0 && fewest > 2; i -= 2) {
    const word = domain[trail[i]!]!;
    if ((word & (word - 1)) === 0) continue;
    const count = bits(word);
    if (count >= fewest) continue;
    fewest = count;
    found = trail[i]!;
  }
  return found;
}

function bits(word: number): number {
  let count = 0;
  for (; word !== 0; word &= word - 1) count++;
  return count;
}
