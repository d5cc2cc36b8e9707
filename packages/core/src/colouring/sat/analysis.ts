/** What a dead end teaches: a clause that would have prevented it, and how far back the search must go for it to say something. */
import { fade, stir } from "../../structures/activity-heap.js";
import { addClause, derivationOf, gatherClause } from "./clauses.js";
import { deriveNext, noteDerivation, noteVertex } from "./proof.js";
import type { DeadEnd } from "./propagate.js";
import { CHOICE, gatherColours, gatherForcing, LEARNED, noteReason, type Solver, settle, undo } from "./state.js";

export interface Analysis {
  /** Statements that the clause in the making is about, or that were found to follow from it. */
  readonly seen: Uint8Array;
  readonly touched: number[];
  /** Levels marked with the number of the last count. */
  readonly mark: Int32Array;
  count: number;
}

export function openAnalysis({ graph: { n }, value }: Solver): Analysis {
  return { seen: new Uint8Array(value.length), touched: [], mark: new Int32Array(n + 2), count: 0 };
}

/** Writes the statements of a failed clause to `gathered`, and notes what made it hold; how many they are. */
function gatherDead(solver: Solver, dead: DeadEnd): number {
  const { gathered, clauses, proof } = solver;
  if ("pair" in dead) {
    gathered.set(dead.pair);
    return 2;
  }
  if ("vertex" in dead) {
    noteVertex(proof, dead.vertex);
    return gatherColours(solver, dead.vertex, -1);
  }
  noteDerivation(proof, derivationOf(clauses, dead.clause));
  return gatherClause(clauses, dead.clause, -1, gathered);
}

/** A dead end that no choice led to: derives it, so that the proof can be read. */
export function concludeProof(solver: Solver, dead: DeadEnd): void {
  const { proof, gathered } = solver;
  deriveNext(proof);
  const count = gatherDead(solver, dead);
  for (let i = 0; i < count; i++) noteDerivation(proof, proof.unit[gathered[i]!]!);
}

/**
 * Resolves the failed clause with the reasons of its statements until one statement of the last level is left (the first
 * unique implication point), keeps the result, goes back to where it forces something, and draws that.
 */
export function learn(solver: Solver, analysis: Analysis, dead: DeadEnd): void {
  const { level, trail, levels, gathered, heap, vertexOf, proof } = solver;
  const { seen, touched } = analysis;
  const now = levels.length;
  const derivation = deriveNext(proof);
  const statements = [0];
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
      else statements.push(x);
    }
  };
  visitGathered(gatherDead(solver, dead));
  for (let at = solver.length - 1; ; at--) {
    const x = trail[at]!;
    if (seen[x] === 0) continue;
    if (--pending === 0) {
      statements[0] = x;
      break;
    }
    noteReason(solver, x);
    visitGathered(gatherForcing(solver, x));
  }
  keep(solver, analysis, withoutImplied(solver, analysis, statements), derivation);
  for (const x of touched) seen[x] = 0;
  touched.length = 0;
  fade(heap);
}

/** Leaves out statements that follow from the others; the first stays. */
function withoutImplied(solver: Solver, analysis: Analysis, statements: readonly number[]): number[] {
  const mark = ++analysis.count;
  for (const x of statements) analysis.mark[solver.level[x]!] = mark;
  return statements.filter((x, i) => i === 0 || solver.reason[x] === CHOICE || !isImplied(solver, analysis, x));
}

/** Whether all that forced x, and what forced that, ends in the clause; then its reasons are noted. */
function isImplied(solver: Solver, analysis: Analysis, statement: number): boolean {
  const { level, reason, gathered, proof } = solver;
  const { seen, touched, mark, count: now } = analysis;
  const before = touched.length;
  const reasons = [statement];
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

/** Stores what was learned, and settles its first statement, which is now forced. */
function keep(solver: Solver, analysis: Analysis, statements: readonly number[], derivation: number): void {
  const { level, value, clauses } = solver;
  const literals = statements.map((x) => 2 * x + (value[x] === 1 ? 1 : 0));
  const forced = statements[0]!;
  const truth = value[forced] !== 1;
  if (literals.length === 1) {
    undo(solver, 0);
    settle(solver, forced, truth, LEARNED);
    return;
  }
  let second = 1;
  for (let i = 2; i < statements.length; i++) if (level[statements[i]!]! > level[statements[second]!]!) second = i;
  [literals[1], literals[second]] = [literals[second]!, literals[1]!];
  const span = spanOf(solver, analysis, statements);
  undo(solver, level[statements[second]!]!);
  settle(solver, forced, truth, value.length + addClause(clauses, literals, span, derivation));
}

/** How many levels the statements are of. */
function spanOf({ level }: Solver, analysis: Analysis, statements: readonly number[]): number {
  const mark = ++analysis.count;
  let span = 0;
  for (const x of statements) {
    if (analysis.mark[level[x]!] === mark) continue;
    analysis.mark[level[x]!] = mark;
    span++;
  }
  return span;
}
