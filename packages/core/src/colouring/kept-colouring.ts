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
import { askMerge } from "./merge-question.js";
import { solve } from "./solve.js";

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
