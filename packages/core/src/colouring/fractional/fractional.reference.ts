/** A textbook simplex solver, and a list of every maximal independent set. For tests only. */

import type { Plain } from "../graphs/graphs.reference.js";
import type { LpColumn, LpSolver } from "./lp-solver.js";

/**
 * A linear program solver for tests. It solves the dual: maximise lower·y so that for each column, the y of its rows sum to at most `cost`.
 * Starts at y = 0, uses Bland's rule, and solves from scratch each time.
 */
export const textbookSolver: LpSolver = {
  createModel(lower) {
    const columns: LpColumn[] = [];
    return {
      addColumns: (more) => void columns.push(...more),
      solve: () => solveDual(lower, columns),
      solveFor: () => solveDual(lower, columns),
      dispose: () => {},
    };
  },
};

function solveDual(lower: Float64Array, columns: readonly LpColumn[]) {
  const n = lower.length;
  const m = columns.length;
  // Rows: constraints, then the objective. Columns: the nonbasic variables (value 0), then the right-hand side.
  const table = columns.map(({ cost, rows }) => {
    const row = new Float64Array(n + 1);
    for (const v of rows) row[v] = 1;
    row[n] = cost;
    return row;
  });
  table.push(Float64Array.of(...lower, 0));
  const zero = Array.from({ length: n }, (_, j) => j);
  const basic = Array.from({ length: m }, (_, i) => n + i);
  let steps = 0;
  for (; ; steps++) {
    let enter = -1;
    for (let j = 0; j < n; j++) if (table[m]![j]! > 1e-9 && (enter === -1 || zero[j]! < zero[enter]!)) enter = j;
    if (enter === -1) break;
    let leave = -1;
    for (let i = 0; i < m; i++) {
      if (table[i]![enter]! <= 1e-9) continue;
      if (leave === -1) leave = i;
      const difference = table[i]![n]! / table[i]![enter]! - table[leave]![n]! / table[leave]![enter]!;
      if (difference < -1e-12 || (difference <= 1e-12 && basic[i]! < basic[leave]!)) leave = i;
    }
    pivot(table, leave, enter);
    [zero[enter], basic[leave]] = [basic[leave]!, zero[enter]!];
  }
  const x = new Float64Array(m);
  const prices = new Float64Array(n);
  zero.forEach((variable, j) => {
    if (variable >= n) x[variable - n] = -table[m]![j]!;
  });
  basic.forEach((variable, i) => {
    if (variable < n) prices[variable] = table[i]![n]!;
  });
  return { value: -table[m]![n]!, steps, x, prices };
}

/** Exchanges a nonbasic variable with a basic variable. */
function pivot(table: readonly Float64Array[], leave: number, enter: number): void {
  const row = table[leave]!;
  const by = row[enter]!;
  for (let j = 0; j < row.length; j++) row[j] = j === enter ? 1 / by : row[j]! / by;
  table.forEach((other, i) => {
    const factor = other[enter]!;
    if (i === leave || factor === 0) return;
    for (let j = 0; j < row.length; j++) other[j] = (j === enter ? 0 : other[j]!) - factor * row[j]!;
  });
}

/** All maximal independent sets, by Bron and Kerbosch on the complement graph; at most 31 vertices. */
export function maximalIndependentSets({ n, pairs }: Plain): Int32Array[] {
  const free = new Int32Array(n).fill(2 ** n - 1).map((all, v) => all & ~(1 << v));
  for (const [u, v] of pairs) {
    free[u]! &= ~(1 << v);
    free[v]! &= ~(1 << u);
  }
  const found: Int32Array[] = [];
  const extend = (chosen: number, candidates: number, done: number): void => {
    if (candidates === 0 && done === 0) {
      found.push(Int32Array.from({ length: n }, (_, v) => v).filter((v) => (chosen >> v) & 1));
      return;
    }
    for (let v = 0; v < n; v++) {
      if (!((candidates >> v) & 1)) continue;
      extend(chosen | (1 << v), candidates & free[v]!, done & free[v]!);
      candidates &= ~(1 << v);
      done |= 1 << v;
    }
  };
  if (n > 0) extend(0, 2 ** n - 1, 0);
  return found;
}

/** The smallest total weight of independent sets that cover each vertex, from a list of all maximal sets. */
export function fractionalByListing(graph: Plain, solver: LpSolver = textbookSolver): number {
  if (graph.n === 0) return 0;
  const model = solver.createModel(new Float64Array(graph.n).fill(1));
  try {
    model.addColumns(maximalIndependentSets(graph).map((rows) => ({ cost: 1, rows })));
    return model.solve().value;
  } finally {
    model.dispose();
  }
}
