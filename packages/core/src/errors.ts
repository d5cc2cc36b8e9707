import type { InstanceId } from "./model/points.js";

/** What went wrong, as facts. The sentence is made from them, last. */
export type Problem =
  /** An argument or option that can be judged without looking at any data. */
  | { readonly code: "bad-option"; readonly option: string; readonly value: unknown; readonly expected: string }
  /** Something is wrong with what a person handed in: a file, a table, a constraint. */
  | {
      readonly code: "bad-input";
      readonly message: string;
      /** How to mend it, as a sentence. */
      readonly remedy?: string;
      readonly file?: string;
      /** Line in the file, from 1. */
      readonly line?: number;
    }
  | { readonly code: "k-too-large"; readonly k: number; readonly n: number }
  /** Cannot-links whose ends must-links join, with a shortest path of must-links for each. */
  | { readonly code: "contradiction"; readonly contradictions: readonly ContradictionFacts[] }
  /** No clustering with k clusters keeps the constraints: the components named here are enough to show it. */
  | { readonly code: "infeasible"; readonly k: number; readonly core: readonly (readonly InstanceId[])[] }
  /** A search that ended without an answer and without a proof. */
  | { readonly code: "gave-up"; readonly message: string };

export interface ContradictionFacts {
  readonly cannotLink: readonly [InstanceId, InstanceId];
  readonly path: readonly InstanceId[];
}

/** The one error that Coterie throws on purpose; anything else is a bug. */
export class CoterieError extends Error {
  override readonly name = "CoterieError";
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(describe(problem), options);
    this.problem = problem;
  }
}

/** Bad input, in one call: `throw badInput("The file is empty.", { file })`. */
export function badInput(
  message: string,
  facts: { readonly file?: string; readonly line?: number; readonly remedy?: string } = {},
): CoterieError {
  return new CoterieError({ code: "bad-input", message, ...facts });
}

export function badOption(option: string, value: unknown, expected: string): CoterieError {
  return new CoterieError({ code: "bad-option", option, value, expected });
}

/** The sentence for people. */
export function describe(problem: Problem): string {
  switch (problem.code) {
    case "bad-option":
      return `${problem.option} is ${show(problem.value)}; it must be ${problem.expected}.`;
    case "bad-input": {
      const place =
        problem.file === undefined
          ? ""
          : problem.line === undefined
            ? `${problem.file}: `
            : `${problem.file}, line ${problem.line}: `;
      return `${place}${problem.message}${problem.remedy ? ` ${problem.remedy}` : ""}`;
    }
    case "k-too-large":
      return `k is ${problem.k}, but there are only ${problem.n} rows; ask for at most ${problem.n} clusters.`;
    case "contradiction": {
      const [first] = problem.contradictions;
      const count = problem.contradictions.length;
      const head = count === 1 ? "One cannot-link contradicts the must-links" : `${count} cannot-links contradict the must-links`;
      if (!first) return `${head}.`;
      return `${head}: ${first.cannotLink[0]} and ${first.cannotLink[1]} cannot link, yet must-links join them: ${first.path.join(" – ")}.`;
    }
    case "infeasible":
      return `No clustering with ${problem.k} clusters keeps all constraints: these ${problem.core.length} groups of rows already need more: ${problem.core
        .slice(0, 8)
        .map((ids) => `{${ids.slice(0, 4).join(", ")}${ids.length > 4 ? ", …" : ""}}`)
        .join(", ")}${problem.core.length > 8 ? ", …" : ""}.`;
    case "gave-up":
      return problem.message;
  }
}

function show(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}
