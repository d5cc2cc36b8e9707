/**
 * Decides whether k colours are enough for a listed graph. The graph is reduced, then split into blocks. Each block is searched in
 * this order: a clique of k + 1 vertices, greedy colouring, DSATUR, local searches, and a clause-learning search.
 */

import { mix32 } from "../random/key.js";
import { randomFrom } from "../random/random.js";
import { type Budget, chargeLooks, giveBack, type Interruptible, pauseDue, share } from "../steps/budget.js";
import { fade, stir, takeFirst } from "../structures/activity-heap.js";
import { type Adjacency, blocks, induced } from "./graphs/adjacency.js";
import { findClique } from "./graphs/clique.js";
import { putBack, reduce } from "./graphs/reduce.js";
import { type Clashes, openClashes, recolour } from "./greedy/clashes.js";
import { greedyColouring, MOST_SATURATED, type SearchAnswer, searchSaturated } from "./greedy/dsatur.js";
import { searchTabu } from "./greedy/tabu.js";
import { addClause, CLAUSE_HEAD, derivationOf, forgetClauses, gatherClause } from "./sat/clauses.js";
import { deriveNext, noteDerivation, noteVertex, restsOn } from "./sat/proof.js";
import {
  assign,
  backjump,
  DECISION,
  gatherColours,
  gatherForcing,
  LAST_COLOUR,
  LEARNED,
  noteReason,
  openSolver,
  RENAMED,
  type Solver,
} from "./sat/state.js";

/** Limits for one block before the clause-learning search starts. */
export interface Means {
  /** Nodes of plain backtracking. */
  readonly saturatedNodes: number;
  /** Steps of tabu search per vertex. */
  readonly tabuSteps: number;
  /** Rounds of the random walk, each longer than the previous round. */
  readonly walkRounds: number;
}

const EVERYTHING: Means = { saturatedNodes: 4_000, tabuSteps: 200, walkRounds: 4 };

/** If k colours are not enough, returns a core: vertices that need more than k colours, ascending, not necessarily minimal. */
export function* solve(
  graph: Adjacency,
  colours: number,
  budget: Budget,
  means: Means = EVERYTHING,
): Interruptible<SearchAnswer> {
  // Tables have one entry per colour, and no colouring uses more colours than vertices.
  const k = Math.min(colours, graph.n);
  if (k === 0) return graph.n === 0 ? feasible(new Int32Array(0)) : { status: "infeasible", core: Int32Array.of(0) };
  const reduced = yield* reduce(graph, k, budget);
  const { rest } = reduced;
  const found = new Int32Array(graph.n).fill(-1);
  if (rest.length > 0) {
    const answer = yield* solveParts(induced(graph, rest), k, budget, means);
    if (answer.status === "infeasible") return { status: "infeasible", core: answer.core.map((v) => rest[v]!) };
    if (answer.status === "undecided") return answer;
    answer.colours.forEach((colour, i) => {
      found[rest[i]!] = colour;
    });
  }
  putBack(graph, reduced, k, found);
  return feasible(found);
}

function feasible(colours: Int32Array): SearchAnswer {
  return { status: "feasible", colours };
}

function* solveParts(graph: Adjacency, k: number, budget: Budget, means: Means): Interruptible<SearchAnswer> {
  const parts = blocks(graph);
  if (parts.length === 1) return yield* searchBlock(graph, k, budget, means);
  const answers = new Map<Int32Array, Int32Array>();
  let undecided = false;
  // Small blocks first: a proof there makes the other blocks unnecessary.
  for (const part of parts.toSorted((a, b) => a.length - b.length)) {
    const answer = yield* solve(induced(graph, part), k, budget, means);
    if (answer.status === "infeasible") return { status: "infeasible", core: answer.core.map((v) => part[v]!) };
    if (answer.status === "undecided") undecided = true;
    else answers.set(part, answer.colours);
  }
  if (undecided) return { status: "undecided" };
  return feasible(joinBlocks(graph.n, parts, (part) => answers.get(part)!));
}

/**
 * Joins the colourings of the blocks: swaps two colours of each block so that it agrees with the earlier blocks on the shared
 * vertex.
 */
function joinBlocks(n: number, parts: readonly Int32Array[], coloursOf: (part: Int32Array) => Int32Array): Int32Array {
  const colours = new Int32Array(n).fill(-1);
  for (const part of parts) {
    const own = coloursOf(part);
    const at = part.findIndex((v) => colours[v] !== -1);
    const here = at === -1 ? 0 : own[at]!;
    const there = at === -1 ? 0 : colours[part[at]!]!;
    part.forEach((v, i) => {
      colours[v] = own[i] === here ? there : own[i] === there ? here : own[i]!;
    });
  }
  return colours;
}

const CLIQUE_NODES = 2_000;

function* searchBlock(graph: Adjacency, k: number, budget: Budget, means: Means): Interruptible<SearchAnswer> {
  const forClique = share(budget, CLIQUE_NODES);
  const { clique } = yield* findClique(graph, forClique, k + 1);
  giveBack(budget, forClique);
  if (clique.length > k) return { status: "infeasible", core: clique.slice(0, k + 1) };
  const greedy = greedyColouring(graph);
  if (greedy.used <= k) return feasible(greedy.colours);
  if (graph.n <= MOST_SATURATED) {
    const forSearch = share(budget, means.saturatedNodes);
    const answer = yield* searchSaturated(graph, k, clique, forSearch);
    giveBack(budget, forSearch);
    if (answer.status !== "undecided") return answer;
  }
  const colours = k > 2 ? yield* searchLocally(graph, k, greedy.colours, budget, means) : null;
  if (colours) return feasible(colours);
  return yield* searchLearning(graph, k, clique, budget);
}

const MOST_TABU = 500;

/** Tabu search on small graphs, then the random walk. A tabu step scans every troubled vertex; a walk step looks at one vertex. */
function* searchLocally(
  graph: Adjacency,
  k: number,
  start: Int32Array,
  budget: Budget,
  means: Means,
): Interruptible<Int32Array | null> {
  const tabu = graph.n <= MOST_TABU ? yield* searchTabu(graph, k, start, means.tabuSteps * graph.n, budget) : null;
  return tabu ?? (yield* searchWalk(graph, k, means.walkRounds, budget));
}

/*
 * Decides whether k colours are enough by conflict-driven clause learning, as SAT solvers do (Marques-Silva and Sakallah 1999;
 * Moskewicz et al. 2001; Audemard and Simon 2009 for the choice of clauses to delete). At a conflict the search computes its cause,
 * stores it as a clause, and jumps back to the level that caused it. This decides sparse graphs of thousands of vertices, where
 * plain backtracking does not finish.
 *
 * The variable "vertex v has colour c" has the number v·k + c. "Each vertex has one colour" and "neighbours differ" are built in;
 * only learned clauses are stored.
 */

/** Conflicts before a restart, per unit of the Luby sequence. */
const RESTART_UNIT = 100;
/** Assignments that count as one node: in large graphs one decision assigns thousands of variables. */
const ASSIGNED_PER_NODE = 128;
/** Maximum number of variables (about 500 MB of state). Larger graphs are not searched. */
const MOST_VARIABLES = 4_000_000;

export function* searchLearning(graph: Adjacency, k: number, clique: Int32Array, budget: Budget): Interruptible<SearchAnswer> {
  if (clique.length > k) return { status: "infeasible", core: clique };
  if (graph.n * k > MOST_VARIABLES) return { status: "undecided" };
  const solver = openSolver(graph, k);
  const analysis = openAnalysis(solver);
  // Colours can be renamed, so the colours of a clique are fixed.
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
 * A random walk towards a colouring with k colours (focused Metropolis search; Seitz, Alava and Orponen 2005; Zdeborová and
 * Krzakala 2007 for colouring). Each step gives a random troubled vertex a random new colour. The change is accepted if the number
 * of edges with equal ends does not grow; otherwise it is accepted with a probability that falls with the number of added clashes
 * and with the temperature.
 *
 * A step costs almost nothing, and the walk colours large sparse graphs close to the number of edges above which no colouring
 * exists. A failure proves nothing. The walk has its own fixed random stream.
 */

interface Walk {
  readonly clashes: Clashes;
  /** Counter with a constant step that visits every 32-bit integer; mixed, it gives the next random number. */
  random: number;
}

/** Probability that the random walk accepts one more clash, at the start and at the end of a round. */
const HOT = 0.2;
const COLD = 0.08;
/** Steps per vertex in the first round. Each following round is LONGER times as long. */
const FIRST_ROUND = 100;
const LONGER = 4;
/**
 * After a round, the walk continues only if at some time at most one vertex in HOPEFUL had a clash. The factor doubles after each
 * round.
 */
const HOPEFUL = 8;
/** Steps of the random walk per node of the budget. */
const STEPS_PER_NODE = 300;
/** Steps between two temperature updates. */
const STRIDE = 512;
/** Random numbers are 32-bit integers. Some choices are more likely by a factor of 1 + 2^-20, which does not matter for a search. */
const WORD = 2 ** 32;

/** A colouring with k ≥ 2 colours; null if none was found within `rounds` rounds. */
export function* searchWalk(graph: Adjacency, k: number, rounds: number, budget: Budget): Interruptible<Int32Array | null> {
  const random = randomFrom(0).split("walk");
  const colours = Int32Array.from({ length: graph.n }, () => random.int(k));
  const clashes = openClashes(graph, k, colours);
  const walk: Walk = { clashes, random: random.int(WORD) };
  let steps = FIRST_ROUND * graph.n;
  for (let round = 0; round < rounds; round++) {
    let fewest = graph.n;
    for (let step = 0; step < steps; step += STRIDE) {
      budget.left -= STRIDE / STEPS_PER_NODE;
      if (budget.left <= 0) return null;
      if (pauseDue(budget)) yield;
      chargeLooks(budget, stride(walk, HOT + ((COLD - HOT) * step) / steps));
      if (clashes.troubles === 0) return colours;
      fewest = Math.min(fewest, clashes.troubles);
    }
    if (fewest * HOPEFUL * 2 ** round > graph.n) return null;
    steps *= LONGER;
  }
  return null;
}

/** A step that adds more clashes than this is never accepted. */
const MOST_MORE = 16;

/** Runs up to STRIDE steps. Returns the number of neighbours visited. */
function stride(walk: Walk, chance: number): number {
  const { clashes } = walk;
  const { start } = clashes.graph;
  let looks = 0;
  const { k, colours, count, troubled } = clashes;
  const accepted = new Float64Array(MOST_MORE + 1).fill(WORD);
  for (let more = 1; more <= MOST_MORE; more++) accepted[more] = accepted[more - 1]! * chance;
  for (let step = 0; step < STRIDE && clashes.troubles > 0; step++) {
    const move = Math.floor((draw(walk) / WORD) * clashes.troubles * (k - 1));
    const at = Math.floor(move / (k - 1));
    const v = troubled[at]!;
    const before = colours[v]!;
    const other = move - at * (k - 1);
    const colour = other < before ? other : other + 1;
    const more = count[v * k + colour]! - count[v * k + before]!;
    if (more > 0 && (more > MOST_MORE || draw(walk) >= accepted[more]!)) continue;
    recolour(clashes, v, colour);
    looks += start[v + 1]! - start[v]!;
  }
  return looks;
}

function draw(walk: Walk): number {
  walk.random = (walk.random + 0x9e3779b9) | 0;
  return mix32(walk.random) >>> 0;
}

/* Conflict analysis: computes a clause that prevents the conflict, and the level to jump back to. */

interface Analysis {
  /** Variables that are in the new clause, resolved away, or implied by the clause. */
  readonly seen: Uint8Array;
  readonly touched: number[];
  /** Levels that the last count marked with its number. */
  readonly mark: Int32Array;
  count: number;
}

function openAnalysis({ graph: { n }, value }: Solver): Analysis {
  return { seen: new Uint8Array(value.length), touched: [], mark: new Int32Array(n + 2), count: 0 };
}

/**
 * Writes the variables of a failed clause to `gathered`, and records the derivation of the clause. Returns the number of variables.
 */
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

/** A conflict at level 0: records its derivation, so that the proof is complete. */
function concludeProof(solver: Solver, conflict: Conflict): void {
  const { proof, gathered } = solver;
  deriveNext(proof);
  const count = gatherConflict(solver, conflict);
  for (let i = 0; i < count; i++) noteDerivation(proof, proof.unit[gathered[i]!]!);
}

/**
 * Resolves the failed clause with the reasons of its variables until one variable of the current level remains (first unique
 * implication point). Stores the result, jumps back to the level where it forces a variable, and assigns that variable.
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

/** Whether every chain of reasons of the variable ends in the clause. If so, records the reasons. */
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

/** The number of distinct levels of the variables. */
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

/*
 * Propagation: derives the consequences of assigned variables from the graph, from the remaining colours of a vertex, and from
 * learned clauses.
 */

/** A clause whose literals are all false: a vertex without colours, two variables that exclude each other, or a learned clause. */
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

/** x is true: excludes all other colours of its vertex, and this colour for its neighbours. */
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

/** The second watched literal became false: watches another literal that is not false, if there is one. */
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
