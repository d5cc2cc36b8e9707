/** The two ends of every run, whoever drives it: what is handed in is checked, and what comes out says what was not looked at. */
import type { ConstraintSet } from "../model/constraint-set.js";
import type { Result } from "../model/result.js";
import { finish } from "./finish.js";
import { type Input, type Method, type MetricName, type Outcome, type Treatment, treatmentsOf, type Work } from "./method.js";

/** What a run looks at in the options of any method. */
export interface MethodOptions {
  readonly learnedMetric?: MetricName | undefined;
}

import { checkedOptions } from "./options.js";
import { checkInput } from "./values.js";

/** The options with their defaults; throws what is wrong with them or with the rows. */
export function checkedRun<Checked>(
  { options: schema }: Pick<Work<unknown, Checked>, "options">,
  input: Input,
  options: unknown,
): Checked {
  const checked = checkedOptions(schema, options);
  checkInput(input);
  return checked;
}

/** The input as the method may see it: weights of rows that it cannot weigh are not half used, as by the drawing of first centres. */
export function seenInput({ weighsRows }: Pick<Method, "weighsRows">, input: Input): Input {
  if (weighsRows || !input.points.rowWeights) return input;
  const { rowWeights: _, ...points } = input.points;
  return { ...input, points };
}

export function resultOf(
  method: Pick<Method, "title" | "treats" | "treatsWith" | "weighsRows">,
  input: Input,
  options: MethodOptions,
  outcome: Outcome,
): Result {
  const result = finish(input, outcome);
  const notices = [ignoredNotice(method, options, input.constraints), unweighedNotice(method, input)].filter(
    (notice) => notice !== undefined,
  );
  return notices.length > 0 ? { ...result, notices: [...result.notices, ...notices] } : result;
}

/** Says so where rows have weights and the method has no use for them. */
function unweighedNotice({ title, weighsRows }: Pick<Method, "title" | "weighsRows">, { points }: Input): string | undefined {
  return points.rowWeights && !weighsRows ? `${title} cannot weigh rows: each of them counted once (--row-weight).` : undefined;
}

/** Says which constraints the method did not look at. */
function ignoredNotice(
  method: Pick<Method, "title" | "treats" | "treatsWith">,
  options: MethodOptions,
  { mustLinks, cannotLinks, relative, labels, exclusive }: ConstraintSet,
): string | undefined {
  const treats = treatmentsOf(method, options);
  const given: readonly [string, number, Treatment][] = [
    ["must-link", mustLinks.a.length, treats.mustLink],
    ["cannot-link", overlooked(cannotLinks.weight, treats.cannotLink), treats.cannotLink],
    ["relative constraint", relative.a.length, treats.relative],
    ["label", labels.row.length, treats.labels],
    ["exclusive column", exclusive.length, treats.exclusive],
  ];
  const ignored = given
    .filter(([, count, treatment]) => count > 0 && (treatment === "ignored" || treatment === "hard-only"))
    .map(([kind, count]) => `${count} ${kind}${count === 1 ? "" : "s"}`);
  return ignored.length === 0 ? undefined : `Not looked at by ${method.title}: ${ignored.join(", ")}.`;
}

function overlooked(weights: Float64Array, treatment: Treatment): number {
  return treatment === "hard-only" ? weights.filter((weight) => weight < Infinity).length : weights.length;
}
