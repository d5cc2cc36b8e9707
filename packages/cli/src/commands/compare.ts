/** `coterie compare`: how the scores of several methods grow with the number of constraints, from known classes or own constraints. */
import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { badOption, CoterieError, catalogue, type Input, methodNamed } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import {
  type Compared,
  compareMethods,
  defaultMethods,
  LEAST_SCORING,
  type LearningPlan,
  type LearningWork,
  learningPool,
  leastScoring,
  measureRun,
  mostGiven,
  trialsOf,
} from "@coterie/workbench/learning";
import { poolHere, runJobs, startClock, type Trial, type TrialPool } from "@coterie/workbench/trials";
import { CONSTRAINT_FLAG, type Command, DATA_FLAGS, type Io } from "../command.js";
import { inWords } from "../estimate.js";
import { flagList, listOf, numberOf, type Parsed, seedOf, textOf, UsageError, type Values, workersOf } from "../flags.js";
import { pause, spawn } from "../host.js";
import { type Inputs, loadInputs, readingOf, unprinted } from "../inputs.js";
import {
  curvesCsv,
  digestOf,
  type LearningFolder,
  learningPages,
  openLearningFolder,
  SCORES,
  scoreRows,
  testsCsv,
} from "../outputs/learning-folder.js";
import { createProgress } from "../progress.js";
import { commandLine } from "../terminal.js";
import type { Line } from "../text/visible.js";
import { padded, widthOf, wrap } from "../text/width.js";
import { followTrials } from "../trial-progress.js";
import { VERSION } from "../version.js";

const FOLDER = "compared";
const RUNS = 10;
/** Default numbers of constraints if classes are known. A number is skipped if it would leave too few rows without constraints. */
const COUNTS: readonly number[] = [0, 15, 30, 60];

export const compareCommand: Command = {
  name: "compare",
  summary: "Compares methods: how their clusters improve with the number of constraints, over many runs.",
  usage: [
    "compare DATA --truth COL [--algorithms A,B] [--counts 0,25,50] [--runs N] [--out DIR]",
    "compare DATA -k K --constraints FILE… [--algorithms A,B] [--counts 0,25,50] [--runs N] [--out DIR]",
  ],
  flags: [
    ...flagList({
      "--k, -k K": "number of clusters (default: the number of known classes)",
    }),
    CONSTRAINT_FLAG,
    ...flagList({
      "--algorithms A,B": {
        kind: undefined,
        choices: catalogue.map(({ name }) => name),
        description: "methods to compare (default: kmeans and all methods that use these kinds of constraints)",
      },
      "--counts A,B": {
        kind: undefined,
        description: `numbers of constraints to give (default: ${COUNTS.join(",")}; with --constraints, from 0 to all that are not held out)`,
      },
      "--runs N": `runs of each method with each count (default: ${RUNS})`,
      "--out DIR": `folder for the results and the runs (default: ${FOLDER})`,
      "--json": "print scores and tests as JSON",
    }),
    ...DATA_FLAGS,
  ],
  elsewhere: (flag) => (flag === "methods" ? "--algorithms A,B names the methods to compare." : undefined),
  notes: [
    `--truth: ${SCORES.classes.sentence}`,
    `--constraints: ${SCORES.constraints.sentence} Held-out constraints that follow from the others do not count. Relative constraints and exclusive groups are given and not scored.`,
    "All methods get the same constraints in the same run, so that differences are compared run by run. A difference between two methods is real if a paired t-test on the mean scores of the runs has p < 0.05 after Holm's correction for all pairs of methods. Runs that hold out parts of the same constraints are not independent: with --constraints, the errors of differences are corrected for this (Nadeau and Bengio 2003). A run that gives no clusters is counted and shown, and is not part of a mean.",
    "DIR gets a page (compare.html), the curves (curves.svg, curves.csv), the tests (tests.csv) and every run (runs.csv). A run is saved as soon as it is finished: after an interruption the same command goes on from there. More --runs, --counts or --algorithms add to the saved runs.",
  ],
  examples: {
    "learning curves of four methods": "coterie compare wine --truth class --algorithms kmeans,ccl,mixture,auto",
    "your own constraints, with the results in a separate folder":
      "coterie compare sales.csv -k 5 --id customer --constraints known.csv --runs 20 --out sales-compared",
  },
  run: compare,
};

async function compare({ values, positionals }: Parsed, io: Io): Promise<number> {
  const request = requestFrom(values, positionals);
  const { data, folder } = request;
  const quiet = values.quiet === true;
  const progress = createProgress(io, quiet);
  const inputs = await loadInputs(data, values, io, progress).finally(progress.clear);
  const { instances, constraints } = inputs;
  const input: Input = { points: instances, constraints };
  const { plan, notices } = planOf(request, inputs, values);
  if (!quiet) for (const notice of [...unprinted(inputs.notices, instances), ...notices]) io.say(`Note: ${notice}`);
  const opened = await openLearningFolder(folder, {
    version: VERSION,
    seed: plan.seed,
    k: plan.k,
    scored: plan.by,
    data: await instances.contentHash(),
    constraints: digestOf(constraints),
    reading: { ...readingOf(values), ...(values.sample === undefined ? {} : { sample: values.sample }) },
  });
  const followed = followTrials(progress, io, "run");
  try {
    const trials = trialsOf(input, plan);
    await runMissing(opened, trials, poolFor(input, workersOf(values), io), plan, followed.onProgress, io).finally(
      progress.clear,
    );
    const compared = compareMethods(await opened.lines(trials), plan);
    const { svg, html } = await learningPages(compared, plan, {
      title: basename(data),
      rows: instances.n,
      command: commandLine(),
      notices: [...inputs.notices, ...notices],
      files: [instances.file, ...(listOf(values, "constraints") ?? [])],
      version: VERSION,
    });
    const written = await opened.write({
      "curves.csv": curvesCsv(compared),
      "tests.csv": testsCsv(compared),
      "curves.svg": svg,
      "compare.html": html,
    });
    if (values.json) await io.out(`${JSON.stringify(factsOf(compared, plan))}\n`);
    else await io.print(linesOf(compared, plan, io.columns));
    if (!quiet) io.say(`Written: ${written.join(", ")}`);
    return 0;
  } catch (error) {
    if (!io.signal.aborted) throw error;
    io.say(followed.interruption(folder));
    return 130;
  } finally {
    opened.close();
  }
}

interface Request {
  readonly data: string;
  readonly folder: string;
  readonly by: LearningPlan["by"];
  readonly k: number | undefined;
  readonly algorithms: readonly string[] | undefined;
  readonly counts: readonly number[] | undefined;
  readonly runs: number;
  readonly seed: number;
}

function requestFrom(values: Values, [data, ...rest]: readonly string[]): Request {
  if (data === undefined) throw new UsageError("Say which table: coterie compare DATA --truth COL.");
  if (rest.length > 0) throw new UsageError(`One table at a time: what is "${rest[0]}"?`);
  const byConstraints = values.constraints !== undefined;
  if (!byConstraints && values.truth === undefined)
    throw new UsageError("Say how to score the clusters: by known classes (--truth COL) or by constraints (--constraints FILE).");
  if (byConstraints && values.truth !== undefined)
    throw new UsageError(
      "Give --truth or --constraints, not both: clusters are scored by one of them. --ignore COL leaves a column with classes out.",
    );
  const k = numberOf(values, "k", { integer: true, least: 1 });
  if (byConstraints && k === undefined) throw new UsageError("Say how many clusters: -k K.");
  const algorithms = listOf(values, "algorithms");
  if (algorithms?.length === 0) throw new UsageError("--algorithms is empty. Name a method: --algorithms NAME.");
  for (const name of algorithms ?? []) methodNamed(name);
  const folder = textOf(values, "out") ?? FOLDER;
  if (folder === "-") throw new UsageError("--out names a folder: the results are several files.");
  return {
    data,
    folder,
    by: byConstraints ? "constraints" : "classes",
    k,
    algorithms: algorithms && [...new Set(algorithms)],
    counts: countsOf(values),
    runs: numberOf(values, "runs", { integer: true, least: 1 }) ?? RUNS,
    seed: seedOf(values),
  };
}

function countsOf(values: Values): number[] | undefined {
  const words = listOf(values, "counts");
  const counts = words?.map(Number);
  const isRight = counts?.every((count) => Number.isSafeInteger(count) && count >= 0) && counts.length > 0;
  if (words && !isRight) throw badOption("--counts", words.join(","), "whole numbers of at least 0, separated by commas");
  return counts && [...new Set(counts)].sort((a, b) => a - b);
}

function planOf(
  { by, k: given, algorithms, counts, runs, seed }: Request,
  { instances, constraints }: Inputs,
  values: Values,
): { plan: LearningPlan; notices: string[] } {
  const input: Input = { points: instances, constraints };
  const classes = instances.truth?.names.length ?? 0;
  if (by === "classes" && classes < 2)
    throw new UsageError(
      `--truth ${textOf(values, "truth")} has ${classes === 1 ? "one class" : "no class"}: two or more are needed.`,
    );
  const k = given ?? classes;
  if (k > instances.n) throw new CoterieError({ code: "k-too-large", k, n: instances.n });
  const { methods, slow } = algorithms ? { methods: algorithms, slow: [] } : defaultMethods(input, { k, by });
  const most = by === "constraints" ? mostGiven(constraints) : Infinity;
  if ((counts?.at(-1) ?? 0) > most)
    throw badOption("--counts", counts!.join(","), `at most ${most}, the number of constraints that are not held out`);
  const about = { runs, seed, k, by };
  const scoring = (count: number): number => leastScoring(input, about, count);
  const usual = by === "classes" ? COUNTS : [...new Set([0, 1, 2, 4].map((part) => Math.floor((part * most) / 4)))];
  const chosen = counts ?? usual.filter((count) => count === 0 || scoring(count) >= LEAST_SCORING[by]);
  const few = chosen.find((count) => scoring(count) < LEAST_SCORING[by]);
  if (few !== undefined) throw new UsageError(tooFew(few, scoring(few), by));
  const plan: LearningPlan = { ...about, methods, counts: chosen };
  return {
    plan,
    notices: slow.map(
      ({ method, seconds }) =>
        `${method} is left out: one run may take about ${inWords(seconds)} (--algorithms names the methods to compare).`,
    ),
  };
}

function tooFew(count: number, scoring: number, by: LearningPlan["by"]): string {
  const least = `too few to score (at least ${LEAST_SCORING[by]})`;
  if (by === "constraints")
    return `A third of the links and labels is held out, and only ${scoring} pairs of them do not follow from the others: ${least}.`;
  return count === 0
    ? `Only ${scoring} rows have a class: ${least}.`
    : `With ${count} constraints only ${scoring} rows are in no constraint: ${least}. Give smaller --counts.`;
}

function poolFor(input: Input, workers: number | undefined, { signal }: Io): TrialPool<LearningWork> {
  const size = workers ?? availableParallelism();
  if (size > 1) return learningPool(size, input, spawn);
  const host = { kernels: createSimdKernels(), pause, signal };
  return poolHere((trial, work) => measureRun(input, work, trial, host));
}

async function runMissing(
  opened: LearningFolder,
  trials: readonly Trial[],
  pool: TrialPool<LearningWork>,
  { k, by }: LearningPlan,
  onProgress: ReturnType<typeof followTrials>["onProgress"],
  { signal }: Io,
): Promise<void> {
  try {
    const missing = await opened.missing(trials);
    const job = { work: { k, by }, title: "comparing", trials: missing, append: opened.append };
    await runJobs([job], pool, { signal, onProgress, clock: startClock(missing) });
  } finally {
    await pool.close();
  }
}

function factsOf({ curves, comparisons, headline, sentences }: Compared, { k, by, runs, seed, counts }: LearningPlan): object {
  const numbers = curves.map(({ method, curve, ...rest }) => ({ method, ...rest, scores: curve.values }));
  return { version: VERSION, k, scoredBy: by, runs, seed, counts, methods: numbers, comparisons, headline, sentences };
}

function linesOf(compared: Compared, { counts, by, runs }: LearningPlan, columns: number): Line[] {
  const rows = scoreRows(compared).map(({ method, cells, mean }) => [method, ...cells, mean]);
  const heads = ["method", ...counts.map(String), "mean"];
  const widths = heads.map((head, at) => Math.max(...[head, ...rows.map((row) => row[at]!)].map(widthOf)));
  const lineFrom = (cells: readonly string[]): string =>
    cells.map((cell, at) => padded(cell, widths[at]!, at === 0 ? "end" : "start")).join("  ");
  const text = `${SCORES[by].name} by number of constraints: ${runs === 1 ? "one run" : `mean ± standard error of ${runs} runs`}.`;
  return [
    ...wrap(text[0]!.toUpperCase() + text.slice(1), columns),
    "",
    [{ text: lineFrom(heads), style: "dim" }],
    ...rows.map(lineFrom),
    "",
    ...[compared.headline, ...compared.sentences].flatMap((sentence) => wrap(sentence, columns)),
  ];
}
