/**
 * Trials: many runs of methods, each with a line of numbers as its result. A trial has a key as its name, and a seed for its random
 * numbers. So it gives the same line on any worker, in any order, and after an interruption.
 */

/** The name of a trial within its table: for example the data set, the number of constraints, and the number of the run. */
export type TrialKey = Readonly<Record<string, string | number>>;

export interface Trial {
  readonly key: TrialKey;
  readonly seed: number;
  readonly needs: readonly string[];
  readonly cost: number;
  /** Trials of the same group share some work. So one worker runs them all, one after the other. */
  readonly group?: string;
}

export type Values = Readonly<Record<string, number | null>>;

/** The columns of a table that has one line per trial: key, seed, measured values, remark. */
export interface TrialColumns {
  readonly name: string;
  readonly keys: readonly string[];
  readonly values: readonly string[];
  readonly remark?: string;
}

export type Line = Readonly<Record<string, string | number | null>>;
