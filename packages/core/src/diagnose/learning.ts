/**
 * Colouring with k colours by search that learns from its dead ends, as solvers for Boolean satisfiability do (Marques-Silva and
 * Sakallah 1999; Moskewicz et al. 2001): at a dead end the cause is worked out, kept as a clause, and the search goes back to
 * the step that it blames. On sparse graphs of thousands of vertices it decides what plain backtracking never ends.
 *
 * The statement "vertex v has colour c" is number v·k + c. That each vertex has one colour and neighbours differ is built in;
 * only what is learned is stored as clauses. With every clause goes the set of vertices that its derivation rests on, so that a
 * refutation names a subgraph that needs more than k colours.
 */
import type { Adjacency } from "./adjacency.js";
import type { Budget } from "./budget.js";
import type { SearchAnswer } from "./dsatur.js";
import { addClause, type Clauses, followClauses, forgetClauses, openClauses, variable } from "./learned-clauses.js";

/** Why a statement was settled, where it is not the number of a statement (two that exclude each other) or a clause. */
const CHOICE = -1;
const LAST_COLOUR = -2;
const RENAMED = -3;

const RESTART_UNIT = 100;
/** In large graphs one choice settles thousands of statements: that counts as more than one node. */
const SETTLED_PER_NODE = 64;

interface Solver {
  readonly graph: Adjacency;
  readonly k: number;
  /** 1 true, -1 false, 0 open. */
  readonly value: Int8Array;
  readonly level: Int32Array;
  /** A code above, or the true statement that excludes this one, or the count of statements plus a clause's number. */
  readonly reason: Int32Array;
  readonly trail: Int32Array;
  length: number;
  /** Settled statements before this one have been followed up. */
  followed: number;
  /** Where each level starts on the trail. */
  readonly levels: number[];
  /** Colours not yet refused, and the one it has (-1 for none) or had last, for each vertex. */
  readonly open: Int32Array;
  readonly colour: Int32Array;
  readonly saved: Int32Array;
  readonly activity: Float64Array;
  bump: number;
  readonly clauses: Clauses;
  /** What each statement settled at level 0 rests on, as bits. */
  readonly restsOn: (Uint32Array | undefined)[];
  readonly words: number;
  readonly seen: Uint8Array;
  /** Statements settled since they were last charged to the budget. */
  settled: number;
}

/** A clause all of whose literals are false: of a vertex without colours, of two statements, or a learned one. */
type DeadEnd = { readonly vertex: number } | { readonly pair: readonly [number, number] } | { readonly clause: number };

export function searchLearning(graph: Adjacency, k: number, clique: Int32Array, budget: Budget): SearchAnswer {
  if (clique.length > k) return { status: "infeasible", core: clique };
  const solver = openSolver(graph, k);
  // Colours can be renamed: those of a clique are fixed.
  clique.forEach((v, c) => {
    settle(solver, v * k + c, true, RENAMED);
  });
  let conflicts = 0;
  for (let round = 1; ; round++) {
    const patience = conflicts + RESTART_UNIT * luby(round);
    while (conflicts < patience) {
      const dead = follow(solver);
      if (dead) {
        if (solver.levels.length === 0) return { status: "infeasible", core: verticesIn(solver, causesAtStart(solver, dead)) };
        conflicts++;
        learn(solver, dead);
      } else {
        budget.left -= 1 + solver.settled / SETTLED_PER_NODE;
        solver.settled = 0;
        if (budget.left <= 0) return { status: "undecided" };
        const v = nextVertex(solver);
        if (v === -1) return { status: "feasible", colours: solver.colour };
        solver.levels.push(solver.length);
        settle(solver, v * k + nextColour(solver, v), true, CHOICE);
      }
    }
    undo(solver, 0);
    forgetClauses(solver.clauses, (clause) => isReason(solver, clause));
  }
}

function openSolver(graph: Adjacency, k: number): Solver {
  const { n, start } = graph;
  const statements = n * k;
  return {
    graph,
    k,
    value: new Int8Array(statements),
    level: new Int32Array(statements),
    reason: new Int32Array(statements),
    trail: new Int32Array(statements),
    length: 0,
    followed: 0,
    levels: [],
    open: new Int32Array(n).fill(k),
    colour: new Int32Array(n).fill(-1),
    saved: new Int32Array(n).fill(-1),
    activity: Float64Array.from({ length: n }, (_, v) => (start[v + 1]! - start[v]!) / (n + 1)),
    bump: 1,
    clauses: openClauses(),
    restsOn: [],
    words: (n + 31) >> 5,
    seen: new Uint8Array(statements),
    settled: 0,
  };
}

/** 1 1 2 1 1 2 4 …: Luby, Sinclair and Zuckerman 1993. */
function luby(round: number): number {
  let size = 1;
  while (size < round + 1) size *= 2;
  return size === round + 1 ? size / 2 : luby(round - size / 2 + 1);
}

function settle(solver: Solver, x: number, truth: boolean, reason: number): void {
  const v = Math.floor(x / solver.k);
  solver.settled++;
  solver.value[x] = truth ? 1 : -1;
  solver.level[x] = solver.levels.length;
  solver.reason[x] = reason;
  solver.trail[solver.length++] = x;
  if (truth) solver.colour[v] = x - v * solver.k;
  else solver.open[v]!--;
  if (solver.levels.length === 0) solver.restsOn[x] = causesOf(solver, x);
}

function undo(solver: Solver, level: number): void {
  const from = solver.levels[level];
  if (from === undefined) return;
  for (let t = solver.length - 1; t >= from; t--) {
    const x = solver.trail[t]!;
    const v = Math.floor(x / solver.k);
    if (solver.value[x] === 1) {
      solver.saved[v] = solver.colour[v]!;
      solver.colour[v] = -1;
    } else solver.open[v]!++;
    solver.value[x] = 0;
  }
  solver.length = solver.followed = from;
  solver.levels.length = level;
}

/** Draws all consequences; a clause that failed, if one did. */
function follow(solver: Solver): DeadEnd | null {
  const { value, trail, k } = solver;
  while (solver.followed < solver.length) {
    const x = trail[solver.followed++]!;
    const dead = value[x] === 1 ? exclude(solver, x) : narrow(solver, Math.floor(x / k));
    if (dead) return dead;
    const failed = followClauses(solver.clauses, value, x, (literal, clause) =>
      settle(solver, variable(literal), (literal & 1) === 0, value.length + clause),
    );
    if (failed >= 0) return { clause: failed };
  }
  return null;
}

/** x is true: no other colour for its vertex, not this colour for its neighbours. */
function exclude(solver: Solver, x: number): DeadEnd | null {
  const { graph, k, value } = solver;
  const v = Math.floor(x / k);
  const c = x - v * k;
  for (let y = v * k; y < v * k + k; y++) {
    if (y === x || value[y] === -1) continue;
    if (value[y] === 1) return { pair: [x, y] };
    settle(solver, y, false, x);
  }
  for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) {
    const y = graph.items[p]! * k + c;
    if (value[y] === -1) continue;
    if (value[y] === 1) return { pair: [x, y] };
    settle(solver, y, false, x);
  }
  return null;
}

function narrow(solver: Solver, v: number): DeadEnd | null {
  const { k, value, open } = solver;
  if (open[v] === 0) return { vertex: v };
  if (open[v]! > 1 || solver.colour[v] !== -1) return null;
  let x = v * k;
  while (value[x] === -1) x++;
  settle(solver, x, true, LAST_COLOUR);
  return null;
}

/** The vertex with the most trouble for each colour left. */
function nextVertex({ graph: { n }, colour, open, activity }: Solver): number {
  let best = -1;
  let most = -1;
  for (let v = 0; v < n; v++) {
    if (colour[v] !== -1) continue;
    const score = activity[v]! / open[v]!;
    if (score <= most) continue;
    most = score;
    best = v;
  }
  return best;
}

function nextColour({ k, value, saved }: Solver, v: number): number {
  if (saved[v] !== -1 && value[v * k + saved[v]!] === 0) return saved[v]!;
  let c = 0;
  while (value[v * k + c] !== 0) c++;
  return c;
}

/** Calls `visit` for the statements in a failed clause; what the clause itself rests on is added to `causes`. */
function eachOf(solver: Solver, dead: DeadEnd, causes: Uint32Array, visit: (x: number) => void): void {
  if ("pair" in dead) dead.pair.forEach(visit);
  else if ("vertex" in dead) {
    causes[dead.vertex >> 5]! |= 1 << (dead.vertex & 31);
    for (let x = dead.vertex * solver.k; x < (dead.vertex + 1) * solver.k; x++) visit(x);
  } else {
    unite(causes, solver.clauses.causes[dead.clause]!);
    for (const literal of solver.clauses.literals[dead.clause]!) visit(variable(literal));
  }
}

/** Calls `visit` for the statements that forced x. */
function eachReason(solver: Solver, x: number, causes: Uint32Array, visit: (y: number) => void): void {
  const reason = solver.reason[x]!;
  if (reason === CHOICE || reason === RENAMED) return;
  if (reason >= 0 && reason < solver.value.length) {
    visit(reason);
    return;
  }
  const dead = reason === LAST_COLOUR ? { vertex: Math.floor(x / solver.k) } : { clause: reason - solver.value.length };
  eachOf(solver, dead, causes, (y) => {
    if (y !== x) visit(y);
  });
}

function causesOf(solver: Solver, x: number): Uint32Array {
  const { reason, restsOn, words, value, k } = solver;
  if (reason[x]! >= 0 && reason[x]! < value.length) return restsOn[reason[x]!]!;
  const causes = new Uint32Array(words);
  const v = Math.floor(x / k);
  if (reason[x] === RENAMED) causes[v >> 5]! |= 1 << (v & 31);
  eachReason(solver, x, causes, (y) => {
    unite(causes, restsOn[y]!);
  });
  return causes;
}

function causesAtStart(solver: Solver, dead: DeadEnd): Uint32Array {
  const causes = new Uint32Array(solver.words);
  eachOf(solver, dead, causes, (x) => {
    unite(causes, solver.restsOn[x]!);
  });
  return causes;
}

function unite(causes: Uint32Array, more: Uint32Array): void {
  for (let w = 0; w < causes.length; w++) causes[w]! |= more[w]!;
}

function verticesIn({ graph: { n } }: Solver, causes: Uint32Array): Int32Array {
  const core: number[] = [];
  for (let v = 0; v < n; v++) if (((causes[v >> 5]! >>> (v & 31)) & 1) === 1) core.push(v);
  return Int32Array.from(core);
}

/**
 * Resolves the failed clause with the reasons of its statements until one statement of the last level is left (the first
 * unique implication point), keeps the result, goes back to where it forces something, and draws that.
 */
function learn(solver: Solver, dead: DeadEnd): void {
  const { value, level, trail, seen, restsOn } = solver;
  const now = solver.levels.length;
  const causes = new Uint32Array(solver.words);
  const earlier: number[] = [];
  let pending = 0;
  const visit = (x: number): void => {
    if (seen[x] === 1) return;
    if (level[x] === 0) {
      unite(causes, restsOn[x]!);
      return;
    }
    seen[x] = 1;
    stir(solver, Math.floor(x / solver.k));
    if (level[x] === now) pending++;
    else earlier.push(x);
  };
  eachOf(solver, dead, causes, visit);
  let at = solver.length;
  for (;;) {
    while (seen[trail[--at]!] === 0);
    const x = trail[at]!;
    seen[x] = 0;
    if (--pending === 0) {
      const kept = withoutImplied(solver, earlier, causes);
      for (const y of earlier) seen[y] = 0;
      keep(
        solver,
        [x, ...kept].map((y) => 2 * y + (value[y] === 1 ? 1 : 0)),
        causes,
      );
      break;
    }
    eachReason(solver, x, causes, visit);
  }
  solver.bump /= 0.95;
}

/** Leaves out statements whose own reasons are all in the clause. */
function withoutImplied(solver: Solver, statements: readonly number[], causes: Uint32Array): number[] {
  const { seen, level, reason } = solver;
  return statements.filter((x) => {
    if (reason[x] === CHOICE) return true;
    const extra = new Uint32Array(solver.words);
    let implied = true;
    eachReason(solver, x, extra, (y) => {
      if (level[y] === 0) unite(extra, solver.restsOn[y]!);
      else if (seen[y] === 0) implied = false;
    });
    if (implied) unite(causes, extra);
    return !implied;
  });
}

/** Stores a learned clause, whose first literal becomes true. */
function keep(solver: Solver, literals: number[], causes: Uint32Array): void {
  let second = 1;
  for (let i = 2; i < literals.length; i++) {
    if (solver.level[variable(literals[i]!)]! > solver.level[variable(literals[second]!)]!) second = i;
  }
  const levels = new Set(literals.map((literal) => solver.level[variable(literal)]!));
  if (literals.length > 1) [literals[1], literals[second]] = [literals[second]!, literals[1]!];
  undo(solver, literals.length > 1 ? solver.level[variable(literals[1]!)]! : 0);
  const clause = addClause(solver.clauses, Int32Array.from(literals), levels.size, causes);
  settle(solver, variable(literals[0]!), (literals[0]! & 1) === 0, solver.value.length + clause);
}

function stir(solver: Solver, v: number): void {
  const { activity } = solver;
  activity[v] = activity[v]! + solver.bump;
  if (activity[v]! < 1e100) return;
  for (let u = 0; u < activity.length; u++) activity[u] = activity[u]! * 1e-100;
  solver.bump *= 1e-100;
}

function isReason({ clauses, reason, value }: Solver, clause: number): boolean {
  const x = variable(clauses.literals[clause]![0]!);
  return value[x] !== 0 && reason[x] === value.length + clause;
}
