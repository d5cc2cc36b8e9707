/**
 * Trials: many runs of methods, each with a line of numbers as its result. A trial is named by its key and takes its random numbers from its
 * seed, so it gives the same line on any worker, in any order, and again after an interruption.
 */

/** The key of a trial in its table: the data set, a number of constraints, a run. */
export type TrialKey = Readonly<Record<string, string | number>>;

export interface Trial {
  readonly key: TrialKey;
  readonly seed: number;
  readonly needs: readonly string[];
  readonly cost: number;
  /** Trials of the same group share some work, so one worker runs them one after the other. */
  readonly group?: string;
}

export type Values = Readonly<Record<string, number | null>>;

/** The columns of a table with one line per trial: key, seed, measurements, remark. */
export interface TrialColumns {
  readonly name: string;
  readonly keys: readonly string[];
  readonly values: readonly string[];
  readonly remark?: string;
}

export type Line = Readonly<Record<string, string | number | null>>;
