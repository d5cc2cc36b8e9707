import type { ProblemReply } from "./words.js";

/** The server answered with a problem, in its own words. */
export class ReplyError extends Error {
  override readonly name = "ReplyError";
  readonly status: number;
  readonly problem: ProblemReply["error"];

  constructor(status: number, problem: ProblemReply["error"]) {
    super(problem.message);
    this.status = status;
    this.problem = problem;
  }
}
