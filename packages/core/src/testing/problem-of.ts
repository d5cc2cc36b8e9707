import { CoterieError, type Problem } from "../errors.js";

/** The facts of the error that the work throws on purpose; any other error is thrown on. */
export function problemOf(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    if (error instanceof CoterieError) return error.problem;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}
