import type { ProblemReply } from "./words.js";

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
