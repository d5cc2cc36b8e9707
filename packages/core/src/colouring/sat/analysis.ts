/** What a conflict teaches: a clause that would have prevented it, and how far back the search must go for it to say something. */
import { fade, stir } from "../../structures/activity-heap.js";
import { addClause, derivationOf, gatherClause } from "./clauses.js";
import { deriveNext, noteDerivation, noteVertex } from "./proof.js";
import type { Conflict } from "./propagate.js";
import { assign, backjump, CHOICE, gatherColours, gatherForcing, LEARNED, noteReason, type Solver } from "./state.js";

export interface Analysis {
  /** Variables that the clause in the making is about, or that were found to follow from it. */
  readonly seen: Uint8Array;
  readonly touched: number[];
  /** Levels marked with the number of the last count. */
  readonly mark: Int32Array;
  count: number;
}

export function openAnalysis({ graph: { n }, value }: Solver): Analysis {
  return { seen: new Uint8Array(value.length), touched: [], mark: new Int32Array(n + 2), count: 0 };
}

/** Writes the variables of a failed clause to `gathered`, and notes what made it hold; how many they are. */
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

/** A conflict that no choice led to: derives it, so that the proof can be read. */
export function concludeProof(solver: Solver, conflict: Conflict): void {
  const { proof, gathered } = solver;
  deriveNext(proof);
  const count = gatherConflict(solver, conflict);
  for (let i = 0; i < count; i++) noteDerivation(proof, proof.unit[gathered[i]!]!);
}

/**
 * Resolves the failed clause with the reasons of its variables until one variable of the last level is left (the first
 * unique implication point), keeps the result, goes back to where it forces something, and draws that.
 */
export function learn(solver: Solver, analysis: Analysis, conflict: Conflict): void {
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

/** Leaves out variables that follow from the others; the first stays. */
function withoutImplied(solver: Solver, analysis: Analysis, variables: readonly number[]): number[] {
  const mark = ++analysis.count;
  for (const x of variables) analysis.mark[solver.level[x]!] = mark;
  return variables.filter((x, i) => i === 0 || solver.reason[x] === CHOICE || !isImplied(solver, analysis, x));
}

/** Whether all that forced x, and what forced that, ends in the clause; then its reasons are noted. */
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
        if (reason[y] === CHOICE || mark[level[y]!] !== now) {
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

/** Stores what was learned, and assigns its first variable, which is now forced. */
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

/** How many levels the variables are of. */
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
