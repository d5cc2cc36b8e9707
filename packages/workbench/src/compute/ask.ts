/** What an answer changed, and the next questions. */
import { type Instances, idOf, type Question, type QuestionAnswer } from "@coterie/core/internal";
import type { ActiveConstraint } from "../log/constraint-log.js";
import type { Watch } from "../pool.js";
import type { Answered, QuestionReply } from "../protocol/asking.js";
import { letterName } from "../protocol/words.js";
import { type AskPlanInput, clusterCount, type LiveSession, lastSession, sessionAt } from "./ask-session.js";
import type { TaskTable } from "./compute.js";
import { receivedConstraints, type SentConstraints } from "./known.js";
import type { Lettered } from "./letters.js";
import { doubtOf, IN_DOUBT, type Margins, marginsOf, worthAsking } from "./margins.js";

export interface AskInput {
  readonly plan: AskPlanInput;
  readonly constraints: SentConstraints;
  /** An answer that is among the constraints, where its effect is of interest. */
  readonly answered: AnsweredQuestion | null;
  /** The number of questions that do not depend on each other's answers: one for each person who waits; 0 for none. */
  readonly most: number;
}

export interface AnsweredQuestion {
  readonly entry: string;
  readonly rows: readonly number[];
  readonly answer: QuestionAnswer;
}

export type AskedQuestion = Omit<QuestionReply, "question" | "number">;

export interface AskOutput {
  readonly effect: AnswerEffect | null;
  readonly questions: readonly AskedQuestion[];
  readonly worth: number;
}

/** Null where the worker lacks the constraints that others were sent as a change of. */
export async function askTask(
  loaded: TaskTable,
  { plan, constraints, answered, most }: AskInput,
  watch: Watch,
): Promise<AskOutput | null> {
  const active = receivedConstraints(loaded, constraints);
  if (active === null) return null;
  const effect = answered && (await effectOf(loaded, plan, active, answered, watch));
  if (most === 0) return { effect, questions: [], worth: 0 };
  const live = await sessionAt(loaded, plan, active, watch);
  const { labels } = live.clustering;
  const margins = marginsOf(live.points, labels, clusterCount(labels));
  const named = namedClusters(live, plan, loaded.instances.n);
  return {
    effect,
    questions: live.dialogue.ahead(most).map((question) => ({
      kind: question.kind,
      rows: question.ask.map((place) => live.rows[place]!),
      ids: question.ask.map((place) => idOf(live.points, place)),
      letters: question.ask.map((place) => (named ? letterAt(named, place) : -1)),
      why: named ? whyByRun(question, live, named) : whyByQuestions(question, live, margins),
      settles: live.settles(question),
    })),
    worth: worthAsking(live.points, labels, live.named, margins),
  };
}

interface NamedClusters extends Lettered {
  readonly run: number;
  readonly margins: Margins;
}

/** The clusters of the run on the screen, at the session's rows: sentences and marks name these and no others. */
function namedClusters(live: LiveSession, { run }: AskPlanInput, n: number): NamedClusters | null {
  if (run === null || run.labels.length !== n) return null;
  const labels = live.rows.map((row) => run.labels[row]!);
  return { run: run.number, labels, letters: run.letters, margins: marginsOf(live.points, labels, run.letters.length) };
}

/** The row of a question that is most in doubt, and the other one. */
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

/** Without a run on the screen there are no letters to name: the sentence says whose clusters it means. */
function whyByQuestions(question: Question, live: LiveSession, margins: Margins): string {
  const { labels } = live.clustering;
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

export interface AnswerEffect extends Pick<Answered, "moved" | "clusterings" | "broken"> {
  /** Null where the state before the answer was not looked at. */
  readonly implied: number | null;
}

/** What changed with an answer. Where other constraints came since the last question, it is what changed since then. */
async function effectOf(
  loaded: TaskTable,
  plan: AskPlanInput,
  active: readonly ActiveConstraint[],
  { entry, rows, answer }: AnsweredQuestion,
  watch: Watch,
): Promise<AnswerEffect> {
  const { n } = loaded.instances;
  const without = active.filter((each) => each.entry !== entry);
  const live = lastSession(loaded, plan) ?? (await sessionAt(loaded, plan, without, watch));
  const before = { clustering: live.clustering, clusterings: live.clusterings(plan.k, n), broken: live.broken() };
  const implied = live.standsFor(without) ? impliedBy(live, rows, answer) : null;
  const after = await sessionAt(loaded, plan, active, watch, live.rows.length === n ? before.clustering : plan.run);
  return {
    moved: movedBetween(live, before.clustering, after),
    implied,
    clusterings: { before: before.clusterings, after: after.clusterings(plan.k, n) },
    broken: { before: before.broken, after: after.broken() },
  };
}

function impliedBy(live: LiveSession, rows: readonly number[], answer: QuestionAnswer): number {
  if (rows.length !== 2 || (answer !== "same" && answer !== "different")) return 0;
  const places = rows.map((row) => live.rows.indexOf(row));
  if (places.some((place) => place < 0)) return 0;
  return live.settles({ kind: "pair", ask: [places[0]!, places[1]!] })[answer] ?? 0;
}

function movedBetween(from: LiveSession, before: Lettered, to: LiveSession): Answered["moved"] {
  const after = to.clustering;
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
