import type { InstanceId } from "./model/points.js";
import { counted } from "./model/wording.js";

/** What went wrong, as structured facts. `describe` makes the message from them. */
export type Problem =
  /** An invalid argument or option, detected without looking at any data. */
  | { readonly code: "bad-option"; readonly option: string; readonly value: unknown; readonly expected: string }
  /** Invalid user input: a file, a table, a constraint. */
  | {
      readonly code: "bad-input";
      readonly message: string;
      /** How to fix it, as a sentence. */
      readonly remedy?: string;
      readonly file?: string;
      /** Line in the file, from 1. */
      readonly line?: number;
    }
  | { readonly code: "k-too-large"; readonly k: number; readonly n: number }
  /** Cannot-links between rows that must-links join, each with a shortest path of must-links. */
  | { readonly code: "contradiction"; readonly contradictions: readonly ContradictionFacts[] }
  /** No clustering with k clusters satisfies the constraints; the components in `core` prove it. */
  | {
      readonly code: "infeasible";
      readonly k: number;
      readonly core: readonly (readonly InstanceId[])[];
      /** Minimum and maximum number of rows per cluster. Set if these bounds and the constraints cannot be satisfied together. */
      readonly sizes?: readonly [number, number];
      /** The exclusive group with more rows than clusters. Set if this is the reason. */
      readonly group?: { readonly column: string; readonly value: string; readonly rows: number };
    }
  /** Relative constraints that no hierarchy satisfies together, although one exists without any single one of them. */
  | { readonly code: "inconsistent"; readonly conflict: ConflictFacts }
  /** A search that ended without an answer and without a proof. */
  | { readonly code: "gave-up"; readonly message: string };

export interface ContradictionFacts {
  readonly cannotLink: readonly [InstanceId, InstanceId];
  readonly path: readonly InstanceId[];
}

export interface ConflictFacts {
  readonly instances: readonly InstanceId[];
  readonly constraints: readonly (readonly [InstanceId, InstanceId, InstanceId])[];
  /** Whether the conflict also needs must-links or labels that join some of these instances. */
  readonly withMustLinks: boolean;
}

/**
 * The only error that Coterie throws on purpose; any other error is a bug. `problem` contains the facts, `message` the sentence.
 *
 * ```ts
 * try { copKmeans(points, known, { k: 2 }); } catch (error) { if (error instanceof CoterieError) console.log(error.problem.code); }
 * ```
 */
export class CoterieError extends Error {
  override readonly name = "CoterieError";
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(describe(problem), options);
    this.problem = problem;
  }

  /** Compares by name, because there can be two copies of this class: in the bundled command, and in a package next to it. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "CoterieError" && "problem" in value;
  }
}

/** Shorthand for invalid input: `throw badInput("The file is empty.", { file })`. */
export function badInput(
  message: string,
  facts: { readonly file?: string; readonly line?: number; readonly remedy?: string } = {},
): CoterieError {
  return new CoterieError({ code: "bad-input", message, ...facts });
}

export function badOption(option: string, value: unknown, expected: string): CoterieError {
  return new CoterieError({ code: "bad-option", option, value, expected });
}

export function describe(problem: Problem): string {
  switch (problem.code) {
    case "bad-option":
      return `${problem.option} is ${show(problem.value)}; it must be ${problem.expected}${problem.expected.endsWith("?") ? "" : "."}`;
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
      return `k is ${problem.k}, but there ${problem.n === 1 ? "is only 1 row" : `are only ${problem.n} rows`}; ask for at most ${counted(problem.n, "cluster")}.`;
    case "contradiction": {
      const [first] = problem.contradictions;
      const count = problem.contradictions.length;
      const head = count === 1 ? "One cannot-link contradicts the must-links" : `${count} cannot-links contradict the must-links`;
      if (!first) return `${head}.`;
      return `${head}: ${first.cannotLink[0]} and ${first.cannotLink[1]} cannot link, yet must-links join them: ${first.path.join(" – ")}.`;
    }
    case "infeasible":
      if (problem.group)
        return `No clustering with ${counted(problem.k, "cluster")} keeps all constraints: ${groupNeeds(problem.group)}`;
      return `No clustering with ${counted(problem.k, "cluster")}${problem.sizes ? ` of ${problem.sizes[0]} to ${problem.sizes[1]} rows` : ""} keeps all constraints: ${problem.sizes ? "there is no place for" : "these"} ${counted(problem.core.length, "group of rows", "groups of rows")}${problem.sizes ? "" : " already need more"}: ${problem.core
        .slice(0, 8)
        .map((ids) => `{${ids.slice(0, 4).join(", ")}${ids.length > 4 ? ", …" : ""}}`)
        .join(", ")}${problem.core.length > 8 ? ", …" : ""}.`;
    case "inconsistent":
      return describeConflict(problem.conflict);
    case "gave-up":
      return problem.message;
  }
}

export function groupNeeds({
  column,
  value,
  rows,
}: {
  readonly column: string;
  readonly value: string;
  readonly rows: number;
}): string {
  return `${column} = ${value} has ${counted(rows, "row")}, so k must be at least ${rows}.`;
}

function describeConflict({ constraints, withMustLinks }: ConflictFacts): string {
  const count = constraints.length;
  const shown = constraints.slice(0, 8).map(([a, b, c]) => `${a} ${b} | ${c}`);
  const list = `${shown.join(", ")}${count > 8 ? ", …" : ""}`;
  const links = withMustLinks ? " with the must-links and labels that join their rows" : "";
  const head =
    count === 1 ? `This relative constraint cannot hold${links}` : `These ${count} relative constraints cannot all hold${links}`;
  return `${head}: ${list}. Drop one of them, or ask for the largest consistent subset.`;
}

function show(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}
