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
  /** Approximate processor time, in milliseconds. */
  readonly cost: number;
  /** Trials of the same group share some work, so one worker runs them one after the other. */
  readonly group?: string;
}

/** The measurements of a trial by column; null if a method found no clustering. */
export type Values = Readonly<Record<string, number | null>>;

/** The columns of a table with one line per trial: key, seed, measurements, remark. */
export interface TrialColumns {
  readonly name: string;
  readonly keys: readonly string[];
  readonly values: readonly string[];
  /** The name of a last column that holds text, such as the reason why there is no clustering. */
  readonly remark?: string;
}

/** A line of a table: key and values by column. */
export type Line = Readonly<Record<string, string | number | null>>;
