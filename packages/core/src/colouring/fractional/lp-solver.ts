/**
 * The linear programs that Coterie needs, and who solves them: a solver is handed in, because a good one loads asynchronously
 * and weighs megabytes. `createLpSolver` of @coterie/kernels makes one.
 */

export interface LpSolver {
  /** A program with as many rows as lower bounds, and no column yet. */
  createModel(lower: Float64Array): LpModel;
}

/** Minimise the sum of costs times x, where x ≥ 0 and each row's sum is at least its lower bound. Kept between solves. */
export interface LpModel {
  addColumns(columns: readonly LpColumn[]): void;
  /** Throws if the solver finds no optimum. */
  solve(): LpSolution;
  /** Null after so many steps of the simplex method without one; the next call goes on from there. */
  solveFor(mostSteps: number): LpSolution | null;
  dispose(): void;
}

/** A column with the coefficient 1 in these rows, ascending, and 0 elsewhere. */
export interface LpColumn {
  readonly cost: number;
  readonly rows: Int32Array;
}

export interface LpSolution {
  readonly value: number;
  /** Steps of the simplex method that the last call took. */
  readonly steps: number;
  /** One number per column, in the order in which they were added. */
  readonly x: Float64Array;
  /** One price per row. */
  readonly prices: Float64Array;
}
