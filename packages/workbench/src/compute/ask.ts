/** The task of question dialogues: computes what an answer changed, and chooses the next questions. */
import {
  drive,
  findStrategy,
  finish,
  type Instances,
  idOf,
  type Question,
  type QuestionAnswer,
  type QuestionCounts,
  type Report,
} from "@coterie/core/internal";
import type { ActiveConstraint } from "../log/constraint-log.js";
import type { Watch } from "../pool.js";
import type { Answered, Asked, QuestionReply, Worth } from "../protocol/asking.js";
import { letterName } from "../protocol/sentences.js";
import { reportOf } from "../report.js";
import { clusterWords, everyTurn, internalScores, type Run, type RunHost, run } from "../run.js";
import {
  type AskPlanInput,
  clusterCount,
  type Driving,
  type LiveSession,
  lastSession,
  nameOf,
  sessionAt,
} from "./ask-session.js";
import type { TaskTable } from "./compute.js";
import { inIds, receivedConstraints, type SentConstraints } from "./known.js";
import type { Lettered } from "./letters.js";
import { closeCalls, doubtOf, IN_DOUBT, type Margins, marginsOf } from "./margins.js";

export interface AskInput {
  readonly plan: AskPlanInput;
  readonly constraints: SentConstraints;
  /** The answer that was just given. `constraints` contains it already. The session must take it as an answer. */
  readonly answered: AnsweredQuestion | null;
  readonly explain: boolean;
  /** Number of next questions to choose; 0 for none. No question depends on the answer to another question. */
  readonly most: number;
  /** Counts of questions for the report. If present, the task also computes the clusters that follow from the answers. */
  readonly report?: Pick<QuestionCounts, "strategy" | "budget" | "asked" | "unsure">;
}

export interface AnsweredQuestion {
  readonly entry: string;
  readonly explain: boolean;
  readonly rows: readonly number[];
  readonly answer: QuestionAnswer;
}

export type AskedQuestion = Omit<QuestionReply, "question" | "number">;

export interface AskOutput {
  /** What the answer implies for other pairs. Null if no session was in the state before the answer. */
  readonly implied: Implied | null;
  readonly effect: AnswerEffect | null;
  readonly questions: readonly AskedQuestion[];
  readonly worth: Worth | null;
  readonly taken: number;
  readonly milliseconds: number;
  readonly asked: AskedClusters | null;
}

export interface AskedClusters extends Pick<Asked, "constraints"> {
  readonly report: Report;
  readonly overruled: ReturnType<LiveSession["overruled"]> | null;
}

/**
 * Runs the task. `input.constraints` can be a change of earlier constraints. If the worker does not have these, returns null: the caller
 * must then send all constraints.
 */
export async function askTask(loaded: TaskTable, input: AskInput, watch: Watch): Promise<AskOutput | null> {
  const active = receivedConstraints(loaded, input.constraints);
  return active && (await inTurn(loaded, input.plan, () => ask(loaded, input, active, watch)));
}

async function inTurn<T>({ kept }: TaskTable, plan: AskPlanInput, work: () => Promise<T>): Promise<T> {
  const key = `turn of ${nameOf(plan)}`;
  const turn = ((kept.get(key) as Promise<unknown> | undefined) ?? Promise.resolve()).then(work);
  const over = turn
    .catch(() => undefined)
    .then(() => {
      if (kept.get(key) === over) kept.delete(key);
    });
  kept.set(key, over);
  return await turn;
}

async function ask(
  loaded: TaskTable,
  { plan, answered, explain, most, report }: AskInput,
  active: readonly ActiveConstraint[],
  watch: Watch,
): Promise<AskOutput> {
  const due = everyTurn();
  const driving: Driving = (steps) => drive(steps, { pause: loaded.host.pause, due, ...watch });
  const explaining = stopwatch();
  const before = answered && lastSession(loaded, plan);
  const without = active.filter(({ entry }) => entry !== answered?.entry);
  const implied = before?.standsFor(without) ? impliedBy(before, answered!) : null;
  const change = answered && { active, without, answered, compares: explain || before?.isDerived === true };
  const effect = answered?.explain ? await effectOf(loaded, plan, change!, driving, explaining) : null;
  const live = await sessionAt(loaded, plan, { active, driving, letters: plan.run, newest: answered?.entry ?? null });
  // The explanation must come first: while `ahead` looks for questions, the session adds what follows from the answers.
  if (explain) await explaining.time(() => live.derived(driving));
  const questions = live.dialogue.ahead(most);
  const explained = explain && most > 0 ? await explaining.time(() => explanation(loaded, plan, live, driving)) : null;
  return {
    implied,
    effect,
    questions: questions.map((question) => ({
      kind: question.kind,
      rows: question.ask.map((place) => live.rows[place]!),
      ids: question.ask.map((place) => idOf(live.points, place)),
      ...(explained?.of(question) ?? { letters: question.ask.map(() => -1), why: "", settles: {} }),
    })),
    worth: explained?.worth ?? null,
    taken: live.taken,
    milliseconds: explaining.spent(),
    asked: report ? await clustersOf(loaded, plan, live, report, driving, watch) : null,
  };
}

function stopwatch() {
  let spent = 0;
  return {
    spent: () => spent,
    async time<T>(work: () => Promise<T>): Promise<T> {
      const began = performance.now();
      return await work().finally(() => {
        spent += performance.now() - began;
      });
    },
  };
}

async function explanation(loaded: TaskTable, plan: AskPlanInput, live: LiveSession, driving: Driving) {
  const { labels } = (await live.derived(driving)).clustering;
  const margins = marginsOf(live.points, labels, clusterCount(labels));
  const named = namedClusters(live, plan, loaded.instances.n);
  return {
    worth: worthAsking({
      k: plan.k,
      met: new Set(namedRows(live).map((place) => labels[place]!)).size,
      answered: live.answered,
      moved: live.moves(),
      doubtful: closeCalls(live.points, live.named, margins),
    }),
    of: (question: Question) => ({
      letters: question.ask.map((place) => (named ? letterAt(named, place) : -1)),
      why: named ? whyByRun(question, live, named) : whyByQuestions(question, live, labels, margins),
      settles: live.settles(question),
    }),
  };
}

function namedRows({ points, rows, named }: LiveSession): number[] {
  return [...rows.keys()].filter((place) => named.has(String(idOf(points, place))));
}

async function clustersOf(
  loaded: TaskTable,
  plan: AskPlanInput,
  live: LiveSession,
  counts: NonNullable<AskInput["report"]>,
  driving: Driving,
  watch: Watch,
): Promise<AskedClusters> {
  const { errorRate } = plan;
  const { constraints } = await live.derived(driving);
  const whole = live.points === loaded.instances;
  const rate = errorRate === 0 ? {} : { errorRate: live.dialogue.session.errorRate ?? 0 };
  const host = { kernels: loaded.host.kernels(), pause: loaded.host.pause, ...watch };
  const done = await finalRun(plan, live, rate, driving, host);
  const internal = done.method ? { internal: await internalScores(done, host) } : {};
  const words = done.method ? await clusterWords(done, host) : {};
  const report = reportOf(done, {
    version: loaded.host.version,
    points: done.points,
    ...internal,
    ...words,
    constraints,
    rows: whole ? loaded.rows : live.rows.map((row) => loaded.rows[row]!),
    total: loaded.total,
    notices: loaded.notices,
    dominance: loaded.dominance,
    timings: {},
    questions: { ...counts, ...rate },
  });
  return { report, constraints: inIds(constraints, live.points), overruled: errorRate === 0 ? null : live.overruled() };
}

/**
 * Computes the final clusters by the method `auto`, as if the constraints had been given without questions. Strategies for duplicates or
 * for questions about three rows compute their own clusters.
 */
async function finalRun(
  { strategy, options, k, seed }: AskPlanInput,
  live: LiveSession,
  rate: { readonly errorRate?: number },
  driving: Driving,
  host: RunHost,
): Promise<Omit<Run, "method"> & Partial<Pick<Run, "method">>> {
  const { outcome, constraints } = await live.derived(driving);
  const { points } = live;
  const result = finish({ points, constraints }, outcome);
  const pairs = constraints.mustLinks.a.length + constraints.cannotLinks.a.length;
  if (findStrategy(strategy)?.ownClusters || pairs === 0)
    return { spec: { algorithm: strategy, options: { ...(k === null ? {} : { k }), ...options }, seed }, result, points };
  const done = await run(points, constraints, { algorithm: "auto", options: { k: result.k, ...rate }, seed }, host);
  return { ...done, result: { ...done.result, notices: [...outcome.notices, ...done.result.notices] } };
}

interface NamedClusters extends Lettered {
  readonly run: number;
  readonly margins: Margins;
}

function namedClusters(live: LiveSession, { run }: AskPlanInput, n: number): NamedClusters | null {
  if (run === null || run.labels.length !== n) return null;
  const labels = live.rows.map((row) => run.labels[row]!);
  return { run: run.number, labels, letters: run.letters, margins: marginsOf(live.points, labels, run.letters.length) };
}

function byDoubt({ ask }: Question, margins: Margins): readonly [number, number] {
  return [...ask].sort((a, b) => doubtOf(margins, b) - doubtOf(margins, a)) as [number, number];
}

function whyByRun(question: Question, live: LiveSession, { run, labels, letters, margins }: NamedClusters): string {
  const name = (cluster: number) => (cluster < 0 ? "no cluster" : letterName(letters[cluster]!));
  const [first, second] = byDoubt(question, margins);
  const id = (place: number) => nameOfRow(live.points, place);
  const [mine, other] = [labels[first]!, labels[second]!];
  if (doubtOf(margins, first) > IN_DOUBT)
    return `In Run ${run}, ${id(first)} is a close call: nearly as near to ${name(margins.other[first]!)} as to ${name(mine)}.`;
  if (mine === other) return `Run ${run} has both in ${name(mine)}: no constraint says so yet.`;
  return `Run ${run} has ${id(first)} in ${name(mine)} and ${id(second)} in ${name(other)}: no constraint says so yet.`;
}

/** The reason for a question, as a sentence that names the rows. It is used if no run is on the screen: then clusters have no letters. */
function whyByQuestions(question: Question, live: LiveSession, labels: Int32Array, margins: Margins): string {
  const [first, second] = byDoubt(question, margins);
  const [mine, other] = [labels[first]!, labels[second]!];
  const ours = "the clusters that these questions go by";
  if (doubtOf(margins, first) > IN_DOUBT)
    return `${capital(nameOfRow(live.points, first))} is a close call between two of ${ours}.`;
  return `${capital(ours)} have these rows ${mine === other ? "together" : "apart"}: no constraint says so yet.`;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function nameOfRow(points: Instances, place: number): string {
  const text = String(idOf(points, place));
  return `row ${text.length > 40 ? `${text.slice(0, 39)}…` : text}`;
}

export type AnswerEffect = Pick<Answered, "moved" | "clusterings" | "broken" | "unexplained">;
export type Implied = Pick<Answered, "implied" | "joined">;

interface Change {
  readonly active: readonly ActiveConstraint[];
  readonly without: readonly ActiveConstraint[];
  readonly answered: AnsweredQuestion;
  readonly compares: boolean;
}

/** What changed with an answer. This includes the effect of other constraints that were added since the last question. */
async function effectOf(
  loaded: TaskTable,
  plan: AskPlanInput,
  { active, without, answered: { entry }, compares }: Change,
  driving: Driving,
  { time }: ReturnType<typeof stopwatch>,
): Promise<AnswerEffect> {
  const { n } = loaded.instances;
  const live =
    lastSession(loaded, plan) ?? (await sessionAt(loaded, plan, { active: without, driving, letters: plan.run, newest: null }));
  const state = async (session: LiveSession) => ({
    clustering: (await session.derived(driving)).clustering,
    clusterings: await session.clusterings(plan.k, n, driving),
    broken: await session.broken(driving),
  });
  const before = compares ? await time(() => state(live)) : null;
  const letters = before && live.rows.length === n ? before.clustering : plan.run;
  const session = await sessionAt(loaded, plan, { active, driving, letters, newest: entry });
  const after = await time(() => state(session));
  if (!before) return UNEXPLAINED;
  return {
    moved: movedBetween(live, before.clustering, session, after.clustering),
    clusterings: { before: before.clusterings, after: after.clusterings },
    broken: { before: before.broken, after: after.broken },
  };
}

export const UNEXPLAINED: AnswerEffect = {
  moved: [],
  clusterings: { before: null, after: null },
  broken: { before: 0, after: 0 },
  unexplained: true,
};

function impliedBy(live: LiveSession, { rows, answer }: AnsweredQuestion): Implied {
  const [a = -1, b = -1, ...more] = rows.map((row) => live.rows.indexOf(row));
  if (more.length > 0 || a < 0 || b < 0 || (answer !== "same" && answer !== "different")) return { implied: 0, joined: null };
  const question = { kind: "pair", ask: [a, b] } as const;
  return { implied: live.settles(question)[answer] ?? 0, joined: answer === "same" ? live.joins(question.ask) : null };
}

function movedBetween(from: LiveSession, before: Lettered, to: LiveSession, after: Lettered): Answered["moved"] {
  const moved: Answered["moved"] = [];
  const place = new Map(Array.from(from.rows, (row, at) => [row, at]));
  to.rows.forEach((row, at) => {
    const was = place.get(row);
    if (was === undefined) return;
    const [old, now] = [letterAt(before, was), letterAt(after, at)];
    if (old !== now) moved.push({ row, id: idOf(to.points, at), from: old, to: now });
  });
  return moved;
}

function letterAt({ labels, letters }: Lettered, row: number): number {
  return labels[row]! < 0 ? -1 : letters[labels[row]!]!;
}

/*
 * Estimates how many more questions are worth asking.
 *
 * As long as some cluster has no answered row, the estimate is the number of questions that find a row of every cluster. The classes must
 * be compared with each other, which takes k(k-1)/2 questions; and for each class without an answered row, about ln k rows are asked about:
 *
 *   k(k-1)/2 - g(g-1)/2 + (k - g) ln k,   g = number of clusters with an answered row
 *
 * Later, the estimate follows from the number of rows that the last answers moved to another cluster. The effect of an answer falls about
 * as 1 / (number of answers). If t answers moved r rows each on average, the effect falls to LEAST_MOVED after t r / LEAST_MOVED answers.
 * The estimate is never more than t, because a longer forecast would not be reliable.
 */

/** An answer is worth asking for if answers move at least this number of rows on average. */
const LEAST_MOVED = 0.5;
/** The effect of answers is averaged over the last half of the answers, but over at least this number of answers. */
const LEAST_ANSWERS = 10;

/** Number of questions that find a row of each of k clusters. met: number of clusters that already have an answered row. */
function toFind(k: number, met: number): number {
  return Math.ceil((k * (k - 1) - met * (met - 1)) / 2 + (k - met) * Math.log(k));
}

export interface Asking {
  /** Number of clusters; null if it is not known yet. */
  readonly k: number | null;
  /** Number of clusters with an answered row. */
  readonly met: number;
  readonly answered: number;
  /** For each answer, oldest first: the number of rows that it moved to another cluster. Answers with unknown effects are left out. */
  readonly moved: readonly number[];
  /** Number of rows without an answer that are almost as near to another cluster. */
  readonly doubtful: number;
}

export function worthAsking({ k, met, answered, moved, doubtful }: Asking): Worth {
  if (k !== null && met < k) {
    const questions = toFind(k, met);
    const so = met === 0 ? "No cluster has" : met === 1 ? `1 of ${k} clusters has` : `${met} of ${k} clusters have`;
    return { questions, why: `${so} an answered row; finding a row of every cluster takes about that many questions.` };
  }
  const last = moved.slice(-Math.max(LEAST_ANSWERS, Math.ceil(answered / 2)));
  if (last.length < LEAST_ANSWERS) {
    const rows = doubtful === 1 ? "1 row without an answer is" : `${doubtful.toLocaleString("en")} rows without an answer are`;
    return {
      questions: Math.min(doubtful, Math.max(LEAST_ANSWERS, answered)),
      why: `${rows} almost as close to another cluster.`,
    };
  }
  const each = last.reduce((sum, rows) => sum + rows, 0) / last.length;
  const questions = Math.min(answered, Math.max(0, Math.round(answered * (each / LEAST_MOVED - 1))));
  const first = k === null ? 0 : toFind(k, 0) - answered;
  if (first > questions) return { questions: first, why: "Every cluster has an answered row, but there are few answers yet." };
  const effect = `The last ${last.length} answers moved ${each.toFixed(1)} rows each`;
  return { questions, why: questions === 0 ? `${effect}.` : `${effect}, and the effect of answers falls slowly.` };
}
