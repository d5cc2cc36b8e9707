import { CoterieError, type Problem } from "../errors.js";

/** The problem of the CoterieError that `work` throws; any other error is rethrown. */
export function problemOf(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    if (error instanceof CoterieError) return error.problem;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}
