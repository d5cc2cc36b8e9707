/** The trials of learning curves: every method runs with every number of constraints, several times. */
import { CoterieError, catalogue, type Input, methodNamed, secondsOf, type Treatments, takesK } from "@coterie/core/internal";
import { type RunHost, run } from "../run.js";
import { seedFor, textOf } from "../trials/lines.js";
import type { Trial, TrialColumns } from "../trials/trial.js";
import { drawOf, type ScoredBy } from "./draws.js";

export interface LearningWork {
  readonly k: number;
  readonly by: ScoredBy;
}

/** The lines of the trials. If a run failed, it has no score, and `failure` says why. */
export const RUNS: TrialColumns = { name: "runs", keys: ["method", "count", "run"], values: ["score"], remark: "failure" };

export interface LearningPlan extends LearningWork {
  readonly methods: readonly string[];
  readonly counts: readonly number[];
  readonly runs: number;
  readonly seed: number;
}

/** The trials, ordered by run. So if the work is interrupted, all methods have about the same number of runs. */
export function trialsOf(input: Input, { methods, counts, runs, seed, k }: LearningPlan): Trial[] {
  const costs = new Map(methods.map((name) => [name, Math.max(1, 1000 * secondsOf(methodNamed(name), input, { k }))]));
  return Array.from({ length: runs }, (_, run) =>
    counts.flatMap((count) =>
      methods.map((method) => ({
        key: { method, count, run },
        seed: seedFor(seed, "learning", run),
        needs: [],
        cost: costs.get(method)!,
      })),
    ),
  ).flat();
}

export function leastScoring(input: Input, { runs, seed, by }: Omit<LearningPlan, "methods" | "counts">, count: number): number {
  const each = Array.from({ length: runs }, (_, run) => drawOf(input, by, count, seedFor(seed, "learning", run)).scoring);
  return Math.min(...each);
}

export async function measureRun(input: Input, { k, by }: LearningWork, trial: Trial, host: RunHost): Promise<string> {
  const { key, seed } = trial;
  const { known, score } = drawOf(input, by, key.count as number, seed);
  try {
    const algorithm = key.method as string;
    const { result } = await run(
      input.points,
      known,
      { algorithm, options: takesK(methodNamed(algorithm)) ? { k } : {}, seed },
      host,
    );
    return textOf(RUNS, trial, { score: score(result.labels) });
  } catch (error) {
    if (!(error instanceof CoterieError)) throw error;
    return textOf(RUNS, trial, { score: null }, error.message);
  }
}

/** A default method is left out if a single run of it takes more seconds than this. */
const LONG_SECONDS = 60;

/** The methods to compare if the user names none: k-means, and all methods that use the kinds of constraints that are given. */
export function defaultMethods(
  input: Input,
  { k, by }: LearningWork,
): { readonly methods: readonly string[]; readonly slow: readonly { readonly method: string; readonly seconds: number }[] } {
  const kinds = kindsIn(input, by);
  const suited = catalogue.filter(
    ({ name, family, treats, weighsRows }) =>
      takesK({ family }) &&
      (name === "kmeans" || kinds.some((kind) => treats[kind] !== "ignored")) &&
      (!input.points.rowWeights || weighsRows),
  );
  const timed = suited.map((method) => ({ method: method.name, seconds: secondsOf(method, input, { k }) }));
  return {
    methods: timed.filter(({ seconds }) => seconds <= LONG_SECONDS).map(({ method }) => method),
    slow: timed.filter(({ seconds }) => seconds > LONG_SECONDS),
  };
}

function kindsIn({ constraints }: Input, by: ScoredBy): readonly (keyof Treatments)[] {
  const { mustLinks, cannotLinks, relative, labels } = constraints;
  if (by === "classes") return ["mustLink", "cannotLink"];
  return [
    ...(mustLinks.a.length > 0 ? (["mustLink"] as const) : []),
    ...(cannotLinks.a.length > 0 ? (["cannotLink"] as const) : []),
    ...(relative.a.length > 0 ? (["relative"] as const) : []),
    ...(labels.row.length > 0 ? (["labels"] as const) : []),
  ];
}
