/** The work of every run around the method itself: checks the input, and adds a notice about ignored constraints. */
import { badInput } from "../errors.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { Result } from "../model/result.js";
import { checkedOptions } from "../options.js";
import { finish } from "./finish.js";
import { type Input, type Method, type MetricName, type Outcome, type Treatment, treatmentsOf, type Work } from "./method.js";
import { checkInput } from "./values.js";

export interface MethodOptions {
  readonly learnedMetric?: MetricName | undefined;
}

export function checkedRun<Checked>(
  method: Pick<Work<unknown, Checked>, "options"> & Pick<Method, "title" | "weighsRows">,
  input: Input,
  options: unknown,
): Checked {
  const checked = checkedOptions(method.options, options);
  checkInput(input);
  refuseWeights(method, input);
  return checked;
}

/** Throws if rows have weights and the method does not support them in all its parts. */
function refuseWeights({ title, weighsRows }: Pick<Method, "title" | "weighsRows">, { points }: Input): void {
  if (weighsRows || !points.rowWeights) return;
  throw badInput(`${title} cannot weigh rows (--row-weight).`, {
    ...(points.file === undefined ? {} : { file: points.file }),
    remedy: "Leave the weights out, or take a method that can, such as kmeans.",
  });
}

export function resultOf(
  method: Pick<Method, "title" | "treats" | "treatsWith">,
  input: Input,
  options: MethodOptions,
  outcome: Outcome,
): Result {
  const result = finish(input, outcome);
  const notice = ignoredNotice(method, options, input.constraints);
  return notice === undefined ? result : { ...result, notices: [...result.notices, notice] };
}

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
  return ignored.length === 0 ? undefined : `Ignored by ${method.title}: ${ignored.join(", ")}.`;
}

function overlooked(weights: Float64Array, treatment: Treatment): number {
  return treatment === "hard-only" ? weights.filter((weight) => weight < Infinity).length : weights.length;
}
