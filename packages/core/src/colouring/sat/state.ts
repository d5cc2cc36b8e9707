/** State of the clause-learning search: which variables are assigned, in which order, and why. */
import { type ActivityHeap, insert, openHeap } from "../../structures/activity-heap.js";
import type { Adjacency } from "../graphs/adjacency.js";
import { type Clauses, derivationOf, gatherClause, openClauses } from "./clauses.js";
import { deriveNext, noteDerivation, noteVertex, openProof, type Proof } from "./proof.js";

export interface Solver {
  readonly graph: Adjacency;
  readonly k: number;
  readonly vertexOf: Int32Array;
  /** 1 true, -1 false, 0 unassigned. */
  readonly value: Int8Array;
  readonly level: Int32Array;
  /** A constant above, or the true variable that excludes this one, or the number of variables plus the position of a clause. */
  readonly reason: Int32Array;
  readonly trail: Int32Array;
  length: number;
  /** The variables before this position of `trail` have been propagated. */
  propagated: number;
  /** Start of each level in `trail`. */
  readonly levels: number[];
  /** Per vertex: number of colours not yet excluded (`open`), current colour or -1 (`colour`), last colour (`saved`). */
  readonly open: Int32Array;
  readonly colour: Int32Array;
  readonly saved: Int32Array;
  readonly heap: ActivityHeap;
  readonly clauses: Clauses;
  readonly proof: Proof;
  /** Scratch: the variables of a clause. */
  readonly gathered: Int32Array;
  /** Variables assigned since the last charge to the budget. */
  assigned: number;
}

export function openSolver(graph: Adjacency, k: number): Solver {
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
    proof: openProof(n, variables),
    gathered: new Int32Array(variables),
    assigned: 0,
  };
}

export function assign(solver: Solver, x: number, truth: boolean, reason: number): void {
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

/** Undoes all assignments above a level. */
export function backjump(solver: Solver, level: number): void {
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

/** Why a variable was assigned. Other reasons are the number of a variable (two variables that exclude each other) or a clause. */
export const DECISION = -1;
export const LAST_COLOUR = -2;
export const RENAMED = -3;
/** Implied by the unit clause derived last. */
export const LEARNED = -4;

/** Writes the variables that forced x to `gathered`. Returns their number. */
export function gatherForcing(solver: Solver, x: number): number {
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
export function gatherColours({ k, gathered }: Solver, v: number, x: number): number {
  let count = 0;
  for (let y = v * k; y < v * k + k; y++) if (y !== x) gathered[count++] = y;
  return count;
}

/** Adds to the proof why the reason of x is valid: its vertex has some colour, or a learned clause. */
export function noteReason({ reason, value, clauses, proof, vertexOf }: Solver, x: number): void {
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
