/** Validates a saved state from which a plan resumes: its JSON schema, its array sizes, and the hard constraints. */
import * as z from "zod/mini";
import { violationsOf } from "../constraints/index.js";
import { badInput } from "../errors.js";
import { whole } from "../options.js";
import type { Problem } from "./problem.js";
import type { PlanStart, PlanState } from "./requests.js";

const floats = z.pipe(
  z.strictObject({ Float64Array: z.array(z.number()) }),
  z.transform(({ Float64Array: items }) => Float64Array.from(items)),
);
const clusters = z.pipe(
  z.strictObject({ Int32Array: z.array(z.int32().check(z.gte(0))) }),
  z.transform(({ Int32Array: items }) => Int32Array.from(items)),
);
const part = {
  centres: floats,
  metric: z.nullable(z.strictObject({ maps: floats, logDets: floats })),
  placed: clusters,
  history: z.array(z.number()).check(z.minLength(1)),
};
const stopped = z.enum(["converged", "max-iterations", "cycling"]);
const end = z.strictObject({ ...part, stopped });

const planState = z.strictObject({
  ...part,
  start: whole(0),
  iteration: whole(1),
  lowest: end,
  lowestAt: whole(1),
  stopped: z.nullable(stopped),
  best: z.nullable(end),
});

/** A saved state as JSON, with a fingerprint of its problem. A typed array is an object `{ Float64Array: [...] }`. */
export const stateFile = z.strictObject({ fingerprint: z.string(), state: planState });

export const DAMAGED_STATE = "Run without --resume: the run starts from the beginning and replaces the state.";

/** Throws if the state cannot come from a run of this problem. */
export function checkState(problem: Problem, state: PlanState): void {
  const { restarts = 1 } = problem.input.options;
  const { start, iteration, history, lowest, lowestAt, best } = state;
  const fits =
    start < restarts &&
    (best === null) === (start === 0) &&
    history.length === iteration &&
    lowestAt <= iteration &&
    lowest.history.length === lowestAt &&
    [state, lowest, ...(best ? [best] : [])].every((each) => isOfSize(problem, each));
  if (!fits) throw badInput("The state is damaged: its numbers do not fit together.", { remedy: DAMAGED_STATE });
  for (const { placed } of [state, lowest, ...(best ? [best] : [])]) {
    if (breaksHard(problem, placed))
      throw badInput("The state is damaged: it breaks constraints that the method keeps.", { remedy: DAMAGED_STATE });
  }
}

function isOfSize(
  { input, traits, n, range }: Problem,
  { centres, metric, placed }: Pick<PlanStart, "centres" | "metric" | "placed">,
) {
  const { k, metrics = "single", matrix = "diagonal" } = input.options;
  const d = range.length;
  const count = metrics === "multiple" ? k : 1;
  const isMetric = traits.learnsMetric
    ? metric?.logDets.length === count && metric.maps.length === count * (matrix === "full" ? d * d : d)
    : metric === null;
  return isMetric && centres.length === k * d && placed.length === n && placed.every((cluster) => cluster < k);
}

export function breaksHard({ input: { constraints }, traits }: Problem, placed: Int32Array): boolean {
  if (traits.places !== "legally") return false;
  const { mustLink, cannotLink, labels } = violationsOf({ ...constraints, exclusive: [] }, placed);
  return mustLink.length + cannotLink.length + labels.length > 0;
}
