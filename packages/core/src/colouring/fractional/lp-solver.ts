/**
 * Interface of the linear program solver that Coterie needs. The caller passes the solver, because a good solver loads
 * asynchronously and is several megabytes large. `createLpSolver` of @coterie/kernels creates one.
 */

export interface LpSolver {
  /** Creates a program with one row per lower bound and no columns. */
  createModel(lower: Float64Array): LpModel;
}

/**
 * A linear program: minimise Σ cost·x with x ≥ 0. The sum of each row must be at least its lower bound. The model keeps its state between
 * solves.
 */
export interface LpModel {
  addColumns(columns: readonly LpColumn[]): void;
  /** Throws if the solver finds no optimum. */
  solve(): LpSolution;
  /** Returns null if the optimum is not reached within `mostSteps` simplex steps; the next call continues from there. */
  solveFor(mostSteps: number): LpSolution | null;
  dispose(): void;
}

/** A column with coefficient 1 in these rows (ascending) and 0 elsewhere. */
export interface LpColumn {
  readonly cost: number;
  readonly rows: Int32Array;
}

export interface LpSolution {
  readonly value: number;
  /** Simplex steps of the last call. */
  readonly steps: number;
  /** Value of each column at the optimum, in the order in which the columns were added. */
  readonly x: Float64Array;
  /** Dual value (price) of each row. */
  readonly prices: Float64Array;
}
