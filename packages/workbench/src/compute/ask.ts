/** The next questions, and what an answer changed. */
import { CoterieError, type Instances, idOf, type Question, type QuestionAnswer } from "@coterie/core/internal";
import type { Said } from "../knowledge/constraint-set.js";
import type { Watch } from "../pool.js";
import type { Answered, QuestionReply } from "../protocol/asking.js";
import { rowsOf } from "../protocol/knowledge.js";
import {
  type AskPlanInput,
  clusterCount,
  heldSession,
  keepSession,
  type LiveSession,
  lastSession,
  sessionAt,
} from "./ask-session.js";
import type { Seat } from "./compute.js";
import type { Lettered } from "./letters.js";
import { doubtOf, IN_DOUBT, type Margins, marginsOf, worthAsking } from "./margins.js";

export interface AskInput {
  readonly plan: AskPlanInput;
  readonly said: readonly Said[];
  /** So many questions that do not hang on each other's answers: one for each person who is waiting. */
  readonly most: number;
}

export type AskedQuestion = Omit<QuestionReply, "question" | "number">;

export interface AskOutput {
  readonly questions: readonly AskedQuestion[];
  readonly worth: number;
  /** Whether questions are chosen among a sample of the rows. */
  readonly sampled: boolean;
}

export async function askTask(seat: Seat, { plan, said, most }: AskInput, watch: Watch): Promise<AskOutput> {
  const live = await sessionAt(seat, plan, said, watch);
  const { labels } = live.clustering();
  const margins = marginsOf(live.points, labels, clusterCount(labels));
  const named = namedClusters(live, plan, seat.loaded.instances.n);
  const spoken = new Set(said.flatMap(({ constraint }) => rowsOf(constraint).map(String)));
  return {
    questions: live.questions(most).map((question) => ({
      kind: question.kind,
      rows: question.ask.map((place) => live.rows[place]!),
      ids: question.ask.map((place) => idOf(live.points, place)),
      letters: question.ask.map((place) => (named ? letterAt(named, place) : -1)),
      why: named ? whyByRun(question, live, named) : whyByQuestions(question, live, margins),
      settles: live.settles(question),
    })),
    worth: worthAsking(live.points, labels, spoken, margins),
    sampled: live.rows.length < seat.loaded.instances.n,
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
  if (mine === other) return `Run ${run} has both in ${name(mine)}: nobody has said so yet.`;
  return `Run ${run} has ${id(first)} in ${name(mine)} and ${id(second)} in ${name(other)}: nobody has said so yet.`;
}

/** Without a run on the screen there are no letters to name: the sentence says whose clusters it means. */
function whyByQuestions(question: Question, live: LiveSession, margins: Margins): string {
  const { labels } = live.clustering();
  const [first, second] = byDoubt(question, margins);
  const [mine, other] = [labels[first]!, labels[second]!];
  const ours = "the clusters that these questions go by";
  if (doubtOf(margins, first) > IN_DOUBT)
    return `${capital(nameOfRow(live.points, first))} is a close call between two of ${ours}.`;
  return `${capital(ours)} have these rows ${mine === other ? "together" : "apart"}: nobody has said so yet.`;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function nameOfRow(points: Instances, place: number): string {
  const text = String(idOf(points, place));
  return `row ${text.length > 40 ? `${text.slice(0, 39)}…` : text}`;
}

/** A, B, …, Z, A2, B2, …. */
export function letterName(letter: number): string {
  const round = Math.floor(letter / 26);
  return `${String.fromCodePoint(65 + (letter % 26))}${round > 0 ? round + 1 : ""}`;
}

export interface AnswerInput {
  readonly plan: AskPlanInput;
  readonly before: readonly Said[];
  readonly after: readonly Said[];
  readonly rows: readonly number[];
  readonly answer: QuestionAnswer;
}

export interface AnswerOutput extends Pick<Answered, "moved" | "clusterings" | "broken"> {
  /** Null where the state before the answer was not looked at. */
  readonly implied: number | null;
}

/**
 * What changed with an answer. Where others have spoken since the last look, it is what changed since then: a session is opened anew
 * once, not twice.
 */
export async function answerTask(seat: Seat, input: AnswerInput, watch: Watch): Promise<AnswerOutput> {
  const { plan, rows, answer } = input;
  const last = lastSession(seat, plan);
  const live = last ?? (await sessionAt(seat, plan, input.before, watch));
  const exact = live === heldSession(seat, plan, input.before);
  const before = live.clustering();
  const brokenBefore = live.broken();
  const { n } = seat.loaded.instances;
  const countBefore = live.clusterings(plan.k, n);
  const implied = exact ? impliedBy(live, rows, answer) : null;
  const after = await heard(seat, live, input, before, watch);
  return {
    moved: movedBetween(live, before, after),
    implied,
    clusterings: { before: countBefore, after: after.clusterings(plan.k, n) },
    broken: { before: brokenBefore, after: after.broken() },
  };
}

/** The session after the answer: brought along where it was its question, opened anew elsewhere. */
async function heard(
  seat: Seat,
  live: LiveSession,
  input: AnswerInput,
  letters: ReturnType<LiveSession["clustering"]>,
  watch: Watch,
): Promise<LiveSession> {
  const { plan, after, before, rows, answer } = input;
  const inStep = live === heldSession(seat, plan, before) && after.length === before.length + 1;
  if (inStep && live.asks(rows) && tells(live, answer)) {
    keepSession(seat, plan, after, live);
    return live;
  }
  return await sessionAt(seat, plan, after, watch, live.rows.length === seat.loaded.instances.n ? letters : plan.run);
}

/** False where the session cannot live with the answer. */
function tells(live: LiveSession, answer: QuestionAnswer): boolean {
  try {
    live.tell(answer);
    return true;
  } catch (error) {
    if (error instanceof CoterieError) return false;
    throw error;
  }
}

function impliedBy(live: LiveSession, rows: readonly number[], answer: QuestionAnswer): number {
  if (rows.length !== 2 || (answer !== "same" && answer !== "different")) return 0;
  const places = rows.map((row) => live.rows.indexOf(row));
  if (places.some((place) => place < 0)) return 0;
  return live.settles({ kind: "pair", ask: [places[0]!, places[1]!] })[answer] ?? 0;
}

function movedBetween(from: LiveSession, before: ReturnType<LiveSession["clustering"]>, to: LiveSession): Answered["moved"] {
  const after = to.clustering();
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

function letterAt({ labels, letters }: ReturnType<LiveSession["clustering"]>, row: number): number {
  return labels[row]! < 0 ? -1 : letters[labels[row]!]!;
}
