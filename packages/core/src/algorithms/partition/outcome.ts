/** The outcome of an iteration over centres: k-means and what is built on it. */
import type { Outcome } from "../method.js";

export interface Settled {
  readonly labels: Int32Array;
  /** k rows of d numbers. */
  readonly centres: Float64Array;
  readonly d: number;
  /** The objective after each iteration. */
  readonly history: readonly number[];
  readonly converged: boolean;
  readonly notices: readonly string[];
  /** Why some clusters have no rows, if some have none. */
  readonly reason: string;
}

export function settledOutcome({ labels, centres, d, history, converged, notices, reason }: Settled): Outcome {
  const k = centres.length / d;
  const used = new Set(labels).size;
  return {
    labels,
    centres: Array.from({ length: k }, (_, c) => centres.slice(c * d, (c + 1) * d)),
    objective: history.at(-1)!,
    history,
    iterations: history.length,
    stopped: converged ? "converged" : "max-iterations",
    notices: used < k ? [...notices, `Only ${used} of the ${k} clusters have rows: ${reason}.`] : notices,
  };
}
