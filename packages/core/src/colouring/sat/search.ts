/**
 * Decides whether k colours are enough by conflict-driven clause learning, as SAT solvers do (Marques-Silva and Sakallah 1999; Moskewicz et
 * al. 2001; Audemard and Simon 2009 for the choice of clauses to delete). At each conflict, the search derives a clause that prevents the
 * same conflict, stores the clause, and jumps back. This decides sparse graphs of thousands of vertices, where plain backtracking does not
 * finish.
 *
 * The variable "vertex v has colour c" has the number v·k + c. "Each vertex has one colour" and "neighbours differ" are built in; only
 * learned clauses are stored.
 *
 * Order of this file: the search, propagation, conflict analysis, the state, learned clauses, and the proof that gives the core.
 */

import type { Budget, Interruptible } from "../../steps/budget.js";
import { pauseDue } from "../../steps/budget.js";
import type { ActivityHeap } from "../../structures/heap.js";
import { fade, insert, openHeap, stir, takeFirst } from "../../structures/heap.js";
import type { Adjacency } from "../graphs/adjacency.js";
import type { SearchAnswer } from "../greedy/dsatur.js";

/** The number of conflicts before a restart is this number times an element of the Luby sequence. */
const RESTART_UNIT = 100;
/** This many assignments count as one node, because in large graphs one decision assigns thousands of variables. */
const ASSIGNED_PER_NODE = 128;
/** Maximum number of variables (about 500 MB of state). Larger graphs are not searched. */
const MOST_VARIABLES = 4_000_000;

export function* searchLearning(graph: Adjacency, k: number, clique: Int32Array, budget: Budget): Interruptible<SearchAnswer> {
  if (clique.length > k) return { status: "infeasible", core: clique };
  if (graph.n * k > MOST_VARIABLES) return { status: "undecided" };
  const solver = openSolver(graph, k);
  const analysis = openAnalysis(solver);
  // Colours are interchangeable, so the clique gets fixed colours.
  clique.forEach((v, c) => {
    assign(solver, v * k + c, true, RENAMED);
  });
  let conflicts = 0;
  for (let round = 1; ; round++) {
    const patience = conflicts + RESTART_UNIT * luby(round);
    while (conflicts < patience) {
      const conflict = propagate(solver);
      if (conflict) {
        if (solver.levels.length === 0) {
          concludeProof(solver, conflict);
          return { status: "infeasible", core: restsOn(solver.proof) };
        }
        conflicts++;
        learn(solver, analysis, conflict);
      } else {
        budget.left -= 1 + solver.assigned / ASSIGNED_PER_NODE;
        solver.assigned = 0;
        if (budget.left <= 0) return { status: "undecided" };
        if (pauseDue(budget)) yield;
        const v = nextVertex(solver);
        if (v === -1) return { status: "feasible", colours: solver.colour };
        solver.levels.push(solver.length);
        assign(solver, v * k + nextColour(solver, v), true, DECISION);
      }
    }
    backjump(solver, 0);
    forgetClauses(solver.clauses);
  }
}

/** The Luby sequence 1 1 2 1 1 2 4 … (Luby, Sinclair and Zuckerman 1993). */
function luby(round: number): number {
  let size = 1;
  while (size < round + 1) size *= 2;
  return size === round + 1 ? size / 2 : luby(round - size / 2 + 1);
}

/** The uncoloured vertex with the highest conflict activity; -1 if all vertices are coloured. */
function nextVertex({ heap, colour }: Solver): number {
  for (let v = takeFirst(heap); v !== -1; v = takeFirst(heap)) if (colour[v] === -1) return v;
  return -1;
}

function nextColour({ k, value, saved }: Solver, v: number): number {
  if (saved[v] !== -1 && value[v * k + saved[v]!] === 0) return saved[v]!;
  let c = 0;
  while (value[v * k + c] !== 0) c++;
  return c;
}

/*
 * Propagation: derives the consequences of assigned variables from edges, from vertices with one remaining colour, and from learned
 * clauses.
 */

/** A violated clause, with only false literals: a vertex without colours, two variables that exclude each other, or a learned clause. */
type Conflict = { readonly vertex: number } | { readonly pair: readonly [number, number] } | { readonly clause: number };

/** Propagates all assignments. Returns a failed clause, or null. */
function propagate(solver: Solver): Conflict | null {
  const { value, trail, vertexOf } = solver;
  while (solver.propagated < solver.length) {
    const x = trail[solver.propagated++]!;
    const conflict = value[x] === 1 ? exclude(solver, x) : narrow(solver, vertexOf[x]!);
    if (conflict) return conflict;
    const failed = propagateClauses(solver, x);
    if (failed >= 0) return { clause: failed };
  }
  return null;
}

/**
 * Propagates a true variable x: excludes all other colours of its vertex, and excludes the same colour for the neighbours of the vertex.
 */
function exclude(solver: Solver, x: number): Conflict | null {
  const { graph, k, value, vertexOf } = solver;
  const { start, items } = graph;
  const v = vertexOf[x]!;
  const c = x - v * k;
  for (let y = v * k; y < v * k + k; y++) {
    if (y === x || value[y] === -1) continue;
    if (value[y] === 1) return { pair: [x, y] };
    assign(solver, y, false, x);
  }
  const end = start[v + 1]!;
  for (let p = start[v]!; p < end; p++) {
    const y = items[p]! * k + c;
    if (value[y] === -1) continue;
    if (value[y] === 1) return { pair: [x, y] };
    assign(solver, y, false, x);
  }
  return null;
}

function narrow(solver: Solver, v: number): Conflict | null {
  const { k, value, open, colour } = solver;
  if (open[v] === 0) return { vertex: v };
  if (open[v]! > 1 || colour[v] !== -1) return null;
  let x = v * k;
  while (value[x] === -1) x++;
  assign(solver, x, true, LAST_COLOUR);
  return null;
}

/** Propagates variable x through the learned clauses. Returns the position of a failed clause, or -1. */
function propagateClauses(solver: Solver, x: number): number {
  const { value, clauses } = solver;
  const { words, watchers } = clauses;
  const failing = 2 * x + (value[x] === 1 ? 1 : 0);
  const list = watchers[failing]!;
  const count = list.length;
  let kept = 0;
  for (let i = 0; i < count; i += 2) {
    const place = list[i]!;
    const other = list[i + 1]!;
    if (value[other >> 1] === ((other & 1) === 0 ? 1 : -1)) {
      list[kept++] = place;
      list[kept++] = other;
      continue;
    }
    const at = place + CLAUSE_HEAD;
    if (words[at] === failing) {
      words[at] = words[at + 1]!;
      words[at + 1] = failing;
    }
    const first = words[at]!;
    const truth = (first & 1) === 0 ? 1 : -1;
    if (value[first >> 1] !== truth && watchAnother(words, place, value, watchers)) continue;
    list[kept++] = place;
    list[kept++] = first;
    if (value[first >> 1] === truth) continue;
    if (value[first >> 1] !== 0) {
      for (let rest = i + 2; rest < count; rest++) list[kept++] = list[rest]!;
      list.length = kept;
      return place;
    }
    assign(solver, first >> 1, truth === 1, value.length + place);
  }
  list.length = kept;
  return -1;
}

/** Finds a new literal to watch, after the second watched literal became false. Returns false if all other literals are false. */
function watchAnother(words: Int32Array, place: number, value: Int8Array, watchers: number[][]): boolean {
  const at = place + CLAUSE_HEAD;
  const end = at + words[place]!;
  for (let j = at + 2; j < end; j++) {
    const literal = words[j]!;
    if (value[literal >> 1] === ((literal & 1) === 0 ? -1 : 1)) continue;
    words[j] = words[at + 1]!;
    words[at + 1] = literal;
    watchers[literal]!.push(place, words[at]!);
    return true;
  }
  return false;
}

/* Conflict analysis: computes a clause that prevents the conflict, and the level to jump back to. */

interface Analysis {
  /** 1 for each variable that the analysis has visited: variables of the new clause, resolved variables, and implied variables. */
  readonly seen: Uint8Array;
  readonly touched: number[];
  /** For each level: the value of `count` when the level was last marked. Increasing `count` removes the marks of all levels. */
  readonly mark: Int32Array;
  count: number;
}

function openAnalysis({ graph: { n }, value }: Solver): Analysis {
  return { seen: new Uint8Array(value.length), touched: [], mark: new Int32Array(n + 2), count: 0 };
}

/** Writes the variables of a failed clause to `gathered` and records its derivation. Returns the number of variables. */
function gatherConflict(solver: Solver, conflict: Conflict): number {
  const { gathered, clauses, proof } = solver;
  if ("pair" in conflict) {
    gathered.set(conflict.pair);
    return 2;
  }
  if ("vertex" in conflict) {
    noteVertex(proof, conflict.vertex);
    return gatherColours(solver, conflict.vertex, -1);
  }
  noteDerivation(proof, derivationOf(clauses, conflict.clause));
  return gatherClause(clauses, conflict.clause, -1, gathered);
}

/** Handles a conflict at level 0: k colours are not enough. Records the derivation that completes the proof. */
function concludeProof(solver: Solver, conflict: Conflict): void {
  const { proof, gathered } = solver;
  deriveNext(proof);
  const count = gatherConflict(solver, conflict);
  for (let i = 0; i < count; i++) noteDerivation(proof, proof.unit[gathered[i]!]!);
}

/**
 * Learns a clause from a conflict: resolves the failed clause up to the first unique implication point. Then jumps back and assigns the
 * first variable of the new clause.
 */
function learn(solver: Solver, analysis: Analysis, conflict: Conflict): void {
  const { level, trail, levels, gathered, heap, vertexOf, proof } = solver;
  const { seen, touched } = analysis;
  const now = levels.length;
  const derivation = deriveNext(proof);
  const variables = [0];
  let pending = 0;
  const visitGathered = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const x = gathered[i]!;
      if (seen[x] === 1) continue;
      seen[x] = 1;
      touched.push(x);
      if (level[x] === 0) {
        noteDerivation(proof, proof.unit[x]!);
        continue;
      }
      stir(heap, vertexOf[x]!);
      if (level[x] === now) pending++;
      else variables.push(x);
    }
  };
  visitGathered(gatherConflict(solver, conflict));
  for (let at = solver.length - 1; ; at--) {
    const x = trail[at]!;
    if (seen[x] === 0) continue;
    if (--pending === 0) {
      variables[0] = x;
      break;
    }
    noteReason(solver, x);
    visitGathered(gatherForcing(solver, x));
  }
  keep(solver, analysis, withoutImplied(solver, analysis, variables), derivation);
  for (const x of touched) seen[x] = 0;
  touched.length = 0;
  fade(heap);
}

/** Removes variables that are implied by the other variables of the clause; the first variable stays. */
function withoutImplied(solver: Solver, analysis: Analysis, variables: readonly number[]): number[] {
  const mark = ++analysis.count;
  for (const x of variables) analysis.mark[solver.level[x]!] = mark;
  return variables.filter((x, i) => i === 0 || solver.reason[x] === DECISION || !isImplied(solver, analysis, x));
}

/**
 * Whether the other variables of the clause imply this variable, directly or through reasons of reasons. If so, adds these reasons to the
 * proof.
 */
function isImplied(solver: Solver, analysis: Analysis, variable: number): boolean {
  const { level, reason, gathered, proof } = solver;
  const { seen, touched, mark, count: now } = analysis;
  const before = touched.length;
  const reasons = [variable];
  for (let r = 0; r < reasons.length; r++) {
    const count = gatherForcing(solver, reasons[r]!);
    for (let i = 0; i < count; i++) {
      const y = gathered[i]!;
      if (seen[y] === 1) continue;
      if (level[y]! > 0) {
        if (reason[y] === DECISION || mark[level[y]!] !== now) {
          for (let t = before; t < touched.length; t++) seen[touched[t]!] = 0;
          touched.length = before;
          return false;
        }
        reasons.push(y);
      }
      seen[y] = 1;
      touched.push(y);
    }
  }
  for (const x of reasons) noteReason(solver, x);
  for (let t = before; t < touched.length; t++) {
    if (level[touched[t]!] === 0) noteDerivation(proof, proof.unit[touched[t]!]!);
  }
  return true;
}

/** Stores the learned clause and assigns its first variable, which is now forced. */
function keep(solver: Solver, analysis: Analysis, variables: readonly number[], derivation: number): void {
  const { level, value, clauses } = solver;
  const literals = variables.map((x) => 2 * x + (value[x] === 1 ? 1 : 0));
  const forced = variables[0]!;
  const truth = value[forced] !== 1;
  if (literals.length === 1) {
    backjump(solver, 0);
    assign(solver, forced, truth, LEARNED);
    return;
  }
  let second = 1;
  for (let i = 2; i < variables.length; i++) if (level[variables[i]!]! > level[variables[second]!]!) second = i;
  [literals[1], literals[second]] = [literals[second]!, literals[1]!];
  const span = spanOf(solver, analysis, variables);
  backjump(solver, level[variables[second]!]!);
  assign(solver, forced, truth, value.length + addClause(clauses, literals, span, derivation));
}

function spanOf({ level }: Solver, analysis: Analysis, variables: readonly number[]): number {
  const mark = ++analysis.count;
  let span = 0;
  for (const x of variables) {
    if (analysis.mark[level[x]!] === mark) continue;
    analysis.mark[level[x]!] = mark;
    span++;
  }
  return span;
}

/* State of the clause-learning search: which variables are assigned, in which order, and why. */

interface Solver {
  readonly graph: Adjacency;
  readonly k: number;
  readonly vertexOf: Int32Array;
  /** Value of each variable: 1 true, -1 false, 0 unassigned. */
  readonly value: Int8Array;
  readonly level: Int32Array;
  /**
   * The reason for the value of each variable: a code (DECISION, …), a true variable that excludes this variable, or `vertices · k` + the
   * position of a clause.
   */
  readonly reason: Int32Array;
  readonly trail: Int32Array;
  length: number;
  /** How many variables at the start of `trail` have been propagated. */
  propagated: number;
  /** Start of each decision level in `trail`. */
  readonly levels: number[];
  /** Per vertex: colours not excluded (`open`), current colour or -1 (`colour`), and last colour (`saved`). */
  readonly open: Int32Array;
  readonly colour: Int32Array;
  readonly saved: Int32Array;
  readonly heap: ActivityHeap;
  readonly clauses: Clauses;
  readonly proof: Proof;
  readonly gathered: Int32Array;
  assigned: number;
}

function openSolver(graph: Adjacency, k: number): Solver {
  const { n, start } = graph;
  const variables = n * k;
  return {
    graph,
    k,
    vertexOf: Int32Array.from({ length: variables }, (_, x) => Math.floor(x / k)),
    value: new Int8Array(variables),
    level: new Int32Array(variables),
    reason: new Int32Array(variables),
    trail: new Int32Array(variables),
    length: 0,
    propagated: 0,
    levels: [],
    open: new Int32Array(n).fill(k),
    colour: new Int32Array(n).fill(-1),
    saved: new Int32Array(n).fill(-1),
    heap: openHeap(Float64Array.from({ length: n }, (_, v) => (start[v + 1]! - start[v]!) / (n + 1))),
    clauses: openClauses(variables),
    proof: { entries: new Int32Array(1024), length: 0, vertices: n, starts: [], unit: new Int32Array(variables).fill(-1) },
    gathered: new Int32Array(variables),
    assigned: 0,
  };
}

function assign(solver: Solver, x: number, truth: boolean, reason: number): void {
  const v = solver.vertexOf[x]!;
  solver.assigned++;
  solver.value[x] = truth ? 1 : -1;
  solver.level[x] = solver.levels.length;
  solver.reason[x] = reason;
  solver.trail[solver.length++] = x;
  if (truth) solver.colour[v] = x - v * solver.k;
  else solver.open[v]!--;
  if (solver.levels.length === 0) deriveUnit(solver, x);
}

function backjump(solver: Solver, level: number): void {
  const { levels, trail, value, vertexOf, colour, saved, open, heap } = solver;
  const from = levels[level];
  if (from === undefined) return;
  for (let t = solver.length - 1; t >= from; t--) {
    const x = trail[t]!;
    const v = vertexOf[x]!;
    if (value[x] === 1) {
      saved[v] = colour[v]!;
      colour[v] = -1;
      insert(heap, v);
    } else open[v]!++;
    value[x] = 0;
  }
  solver.length = solver.propagated = from;
  levels.length = level;
}

/** Codes for reasons that are neither a variable nor a clause. */
const DECISION = -1;
const LAST_COLOUR = -2;
const RENAMED = -3;
/** Reason code: the unit clause that was learned last implies the variable. */
const LEARNED = -4;

/** Writes the variables that forced x to `gathered`. Returns their number. */
function gatherForcing(solver: Solver, x: number): number {
  const { reason, value, clauses, gathered, vertexOf } = solver;
  const why = reason[x]!;
  if (why === DECISION || why === RENAMED || why === LEARNED) return 0;
  if (why === LAST_COLOUR) return gatherColours(solver, vertexOf[x]!, x);
  if (why < value.length) {
    gathered[0] = why;
    return 1;
  }
  return gatherClause(clauses, why - value.length, x, gathered);
}

/** Writes the variables of vertex v, except x, to `gathered`. Returns their number. */
function gatherColours({ k, gathered }: Solver, v: number, x: number): number {
  let count = 0;
  for (let y = v * k; y < v * k + k; y++) if (y !== x) gathered[count++] = y;
  return count;
}

/** Adds the reason of x to the proof. The reason is either that the vertex of x must have a colour, or a learned clause. */
function noteReason({ reason, value, clauses, proof, vertexOf }: Solver, x: number): void {
  const why = reason[x]!;
  if (why === LAST_COLOUR || why === RENAMED) noteVertex(proof, vertexOf[x]!);
  else if (why >= value.length) noteDerivation(proof, derivationOf(clauses, why - value.length));
}

function deriveUnit(solver: Solver, x: number): void {
  const { proof, gathered, reason } = solver;
  if (reason[x] === LEARNED) {
    proof.unit[x] = proof.starts.length - 1;
    return;
  }
  const derivation = deriveNext(proof);
  noteReason(solver, x);
  const count = gatherForcing(solver, x);
  for (let i = 0; i < count; i++) noteDerivation(proof, proof.unit[gathered[i]!]!);
  proof.unit[x] = derivation;
}

/*
 * Learned clauses. A clause is a list of literals; at least one literal must be true. Literal 2x means that variable x is true. Literal
 * 2x + 1 means that x is false. The first two literals of a clause are watched. As long as both are not false, the clause implies nothing.
 */

export interface Clauses {
  /**
   * The clauses one after the other. A clause has four parts: its number of literals, its number of decision levels when it was learned,
   * its derivation, and its literals.
   */
  words: Int32Array;
  length: number;
  /** Start of each clause in `words`. */
  places: number[];
  /**
   * For each literal: the clauses that watch the literal. An entry has two numbers: the position of the clause, and another literal of the
   * clause. If the other literal is true, the clause is skipped.
   */
  readonly watchers: number[][];
  capacity: number;
}

const FIRST_CAPACITY = 2000;

export function openClauses(variables: number): Clauses {
  const watchers = Array.from({ length: 2 * variables }, () => []);
  return { words: new Int32Array(1024), length: 0, places: [], watchers, capacity: FIRST_CAPACITY };
}

/** Number of header entries of a clause, before its literals. */
export const CLAUSE_HEAD = 3;

/** Adds a clause of at least two literals. Returns its position in `words`. */
export function addClause(clauses: Clauses, literals: readonly number[], span: number, derivation: number): number {
  const place = clauses.length;
  const end = place + CLAUSE_HEAD + literals.length;
  if (end > clauses.words.length) {
    const larger: Int32Array<ArrayBuffer> = new Int32Array(2 * end);
    larger.set(clauses.words);
    clauses.words = larger;
  }
  clauses.words.set([literals.length, span, derivation], place);
  clauses.words.set(literals, place + CLAUSE_HEAD);
  clauses.length = end;
  clauses.places.push(place);
  watch(clauses, place);
  return place;
}

function watch({ words, watchers }: Clauses, place: number): void {
  const first = words[place + CLAUSE_HEAD]!;
  const second = words[place + CLAUSE_HEAD + 1]!;
  watchers[first]!.push(place, second);
  watchers[second]!.push(place, first);
}

export function derivationOf({ words }: Clauses, place: number): number {
  return words[place + 2]!;
}

/** Writes the variables of a clause, except x, to `into`. Returns their number. */
export function gatherClause({ words }: Clauses, place: number, x: number, into: Int32Array): number {
  const end = place + CLAUSE_HEAD + words[place]!;
  let count = 0;
  for (let at = place + CLAUSE_HEAD; at < end; at++) {
    const y = words[at]! >> 1;
    if (y !== x) into[count++] = y;
  }
  return count;
}

const MORE_CAPACITY = 300;
/** A clause with literals from at most this many decision levels is never deleted. */
const WORTHY_SPAN = 2;

/**
 * If there are more clauses than `capacity`, deletes half of the long clauses, those with literals from the most decision levels first.
 * Clauses move in memory, so positions of clauses become invalid. Call this only at level 0, where the search does not read positions of
 * reasons.
 */
export function forgetClauses(clauses: Clauses): void {
  const { words, places, watchers } = clauses;
  if (places.length <= clauses.capacity) return;
  const size = (place: number): number => words[place]!;
  const span = (place: number): number => words[place + 1]!;
  const candidates = places.filter((place) => size(place) > 2 && span(place) > WORTHY_SPAN);
  candidates.sort((a, b) => span(b) - span(a) || size(b) - size(a) || a - b);
  const forgotten = new Set(candidates.slice(0, candidates.length >> 1));
  for (const list of watchers) list.length = 0;
  const kept: number[] = [];
  let length = 0;
  for (const place of places) {
    if (forgotten.has(place)) continue;
    words.copyWithin(length, place, place + CLAUSE_HEAD + size(place));
    kept.push(length);
    length += CLAUSE_HEAD + words[length]!;
  }
  clauses.length = length;
  clauses.places = kept;
  clauses.capacity += MORE_CAPACITY;
  for (const place of kept) watch(clauses, place);
}

/*
 * Records the derivation of every learned clause. From these derivations, a refutation finds the vertices that it depends on. A derivation
 * lists vertices (each means "this vertex has a colour") and earlier derivations. The edges need no entry: only edges between listed
 * vertices are used.
 */

interface Proof {
  /** An entry below `vertices` is a vertex. Any other entry is `vertices` plus the number of a derivation. */
  entries: Int32Array;
  length: number;
  readonly vertices: number;
  /** Start of each derivation in `entries`; a derivation ends where the next derivation starts. */
  readonly starts: number[];
  /** The derivation of each variable fixed at level 0, -1 for other variables. */
  readonly unit: Int32Array;
}

/** Maximum number of entries (128 MB). With more, the proof is lost, and the core contains all vertices. */
const MOST_ENTRIES = 1 << 25;

function deriveNext(proof: Proof): number {
  proof.starts.push(proof.length);
  return proof.starts.length - 1;
}

function noteVertex(proof: Proof, v: number): void {
  note(proof, v);
}

function noteDerivation(proof: Proof, derivation: number): void {
  note(proof, proof.vertices + derivation);
}

function note(proof: Proof, entry: number): void {
  if (proof.length === proof.entries.length) {
    if (proof.length >= MOST_ENTRIES) return;
    const larger: Int32Array<ArrayBuffer> = new Int32Array(2 * proof.length);
    larger.set(proof.entries);
    proof.entries = larger;
  }
  proof.entries[proof.length++] = entry;
}

/** The vertices that the last derivation depends on, ascending. They form the core. */
function restsOn({ entries, length, vertices, starts }: Proof): Int32Array {
  if (length >= MOST_ENTRIES) return Int32Array.from({ length: vertices }, (_, v) => v);
  const needed = new Uint8Array(vertices);
  const visited = new Uint8Array(starts.length);
  const open = [starts.length - 1];
  for (let d = open.pop(); d !== undefined; d = open.pop()) {
    if (visited[d] === 1) continue;
    visited[d] = 1;
    const end = starts[d + 1] ?? length;
    for (let e = starts[d]!; e < end; e++) {
      if (entries[e]! < vertices) needed[entries[e]!] = 1;
      else open.push(entries[e]! - vertices);
    }
  }
  const core: number[] = [];
  for (let v = 0; v < vertices; v++) if (needed[v] === 1) core.push(v);
  return Int32Array.from(core);
}
