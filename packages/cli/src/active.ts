/** `cluster --active Q --simulate`: questions answered from known classes, before the clustering. */
import {
  type ConstraintSet,
  DEFAULT_STRATEGY,
  drive,
  findStrategy,
  type Outcome,
  type QuestionCounts,
  type Steps,
  startAskingSteps,
  strategies,
  trueAnswer,
} from "@coterie/core/internal";
import { everyTurn, type RunHost, type RunSpec } from "@coterie/workbench";
import type { Io } from "./command.js";
import { type Flag, numberOf, textOf, UsageError, type Values } from "./flags.js";
import type { Inputs } from "./inputs.js";
import type { Progress } from "./progress.js";

export const ACTIVE_FLAGS: readonly Flag[] = [
  {
    name: "active",
    value: "Q",
    kind: "integer",
    description: "ask up to Q questions first and cluster with the answers; needs --simulate (to answer yourself: `coterie ask`)",
  },
  { name: "simulate", description: "with --active: answer from --truth" },
  {
    name: "strategy",
    value: "NAME",
    choices: strategies.map(({ name }) => name),
    description: `with --active: how questions are chosen (default: active-ccl for ccl, else ${DEFAULT_STRATEGY})`,
  },
];

/** Refuses a line whose questions nobody would answer. */
export function checkActive(values: Values, spec: RunSpec): void {
  if (values.active === undefined) {
    const stray = ["simulate", "strategy"].find((name) => values[name] !== undefined);
    if (stray) throw new UsageError(`--${stray} goes with --active Q.`);
    return;
  }
  numberOf(values, "active", { integer: true, least: 0 });
  if (!values.simulate)
    throw new UsageError("--active answers from known classes: add --simulate. To answer yourself: coterie ask.");
  if (values.truth === undefined) throw new UsageError("--simulate answers from known classes: name their column with --truth.");
  if (strategyFor(values, spec).needsK && spec.options.k === undefined)
    throw new UsageError("--active needs the number of clusters: -k K.");
}

/** Active complete linkage is a method of its own, whose clusters are those of the dialogue. */
function isItself(values: Values, spec: RunSpec): boolean {
  const { linkage = "complete" } = spec.options as { linkage?: string };
  return spec.algorithm === "ccl" && strategyFor(values, spec).name === "active-ccl" && linkage === "complete";
}

function strategyFor(values: Values, { algorithm }: RunSpec) {
  return findStrategy(textOf(values, "strategy") ?? (algorithm === "ccl" ? "active-ccl" : DEFAULT_STRATEGY))!;
}

export interface Asked {
  /** What was given and what was answered. */
  readonly constraints: ConstraintSet;
  readonly questions: QuestionCounts;
  /** The clustering of the strategy itself, where that is the method asked for. */
  readonly outcome: Outcome | null;
}

/** Nothing where the line asks for no questions. */
export async function askSimulated(
  values: Values,
  spec: RunSpec,
  { instances, constraints }: Inputs,
  { kernels, pause }: Pick<RunHost, "kernels" | "pause">,
  io: Io,
  progress: Progress,
): Promise<Asked | null> {
  const budget = numberOf(values, "active", { integer: true, least: 0 });
  if (budget === undefined) return null;
  const strategy = strategyFor(values, spec);
  const { k, distance } = spec.options as { k?: number; distance?: string };
  const steps = startAskingSteps({
    points: instances,
    constraints,
    strategy: strategy.name,
    budget,
    seed: spec.seed,
    kernels,
    ...(k === undefined ? {} : { k }),
    // A strategy with distances of its own takes those of the method.
    options: distance !== undefined && strategy.options.safeParse({ distance }).success ? { distance } : {},
  });
  const session = await drive(steps, { pause, due: everyTurn(), signal: io.signal, onStep: progress.show });
  const due = everyTurn();
  const driven = <R>(work: Steps<R>) => drive(work, { pause, due, signal: io.signal, onStep: progress.show });
  let unsure = 0;
  for (let question = session.next(); question; question = session.next()) {
    io.signal.throwIfAborted();
    progress.show({ phase: "questions", done: session.asked, total: budget });
    const answer = trueAnswer(question, instances.truth!.codes);
    if (answer === "unsure") unsure++;
    await driven(session.answerSteps(answer));
    if (due()) await pause();
  }
  const { constraints: known, outcome } = await driven(session.resultSteps());
  const questions = { strategy: strategy.name, budget, asked: session.asked, unsure };
  return {
    constraints: known,
    questions,
    outcome: isItself(values, spec) ? outcome : null,
  };
}
