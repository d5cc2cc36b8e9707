/**
 * Question sessions that stay in memory between calls. A session belongs to a list of constraints, and must always agree with the log. If
 * the list changes, the session takes back its last answers or takes new answers. If that is not enough, a new session is opened.
 */
import {
  type ConstraintSet,
  CoterieError,
  closeConstraints,
  constraintGraph,
  countClusterings,
  drain,
  type EarlierAnswer,
  type InstanceId,
  type Instances,
  idOf,
  Journal,
  Knowledge,
  movedRows,
  type PairAnswer,
  type Question,
  type QuestionAnswer,
  renumber,
  type Session,
  type SessionResult,
  type Steps,
  someRows,
  startAskingSteps,
  violationCount,
  violationsOf,
} from "@coterie/core/internal";
import { type ActiveConstraint, commonLength } from "../log/constraint-log.js";
import { constraintSetOf } from "../log/constraint-set.js";
import { answerIn, askedBy } from "../protocol/answers.js";
import { rowsOf } from "../protocol/sentences.js";
import type { ErrorRate } from "../protocol/words.js";
import { groupingOf, rowsById } from "../tables/loaded-table.js";
import type { TaskTable } from "./compute.js";
import { consistentPart, withGiven } from "./known.js";
import { type Lettered, lettersOf } from "./letters.js";
import { constraintsWithin, evenSample, groupingPart } from "./part.js";

export interface AskPlanInput {
  readonly strategy: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly k: number | null;
  /**
   * The probability that an answer is wrong, or "learn". At 0, all answers are certain. Otherwise other answers can outweigh an answer that
   * has a sureness.
   */
  readonly errorRate: ErrorRate;
  readonly budget: number | null;
  /** A cluster of `run`, by number. All questions are about rows of this cluster. Null: questions are about all rows. */
  readonly about: number | null;
  /** If the table has more rows than this, questions are only about some rows: the rows that constraints name, and an even sample. */
  readonly among: number;
  readonly run: (Lettered & { readonly number: number }) | null;
}

/** Maximum number of search nodes for counting the clusterings that the constraints still allow. */
const COUNTING = 2_000;
/** Maximum number of sessions that stay in memory for a table. */
const MOST_SESSIONS = 8;

export type Driving = <R>(steps: Steps<R>) => Promise<R>;

interface Derived extends SessionResult {
  /** The clustering that follows from the constraints. A cluster keeps its letter from one answer to the next. */
  readonly clustering: Lettered;
  clusterings?: number | null;
}

interface Opened {
  readonly dialogue: Dialogue;
  readonly points: Instances;
  readonly rows: Int32Array;
  readonly given: ConstraintSet;
  /** Log entries of the answers that could be wrong when the session was opened. Null if all answers are certain. */
  readonly evidence: readonly string[] | null;
}

export class LiveSession implements Pick<Opened, "dialogue" | "points" | "rows"> {
  readonly dialogue: Dialogue;
  readonly rows: Int32Array;
  readonly points: Instances;
  readonly named: Set<string>;
  readonly #evidence: readonly string[] | null;
  /**
   * The constraints of the session. It was opened with the first `#opened` constraints. The later constraints are answers to its questions.
   */
  #active: readonly ActiveConstraint[];
  readonly #opened: number;
  /** What follows from the constraints for pairs of rows. Each certain answer extends it. */
  readonly #knowledge: Knowledge;
  readonly #journal = new Journal();
  /** The state before each answer, to take the answer back. mark: a mark in the journal. derived: the clusters, if they were computed. */
  readonly #before: { readonly mark: number; readonly letters: Lettered | null; readonly derived: Derived | null }[] = [];
  #letters: Lettered | null;
  #derived: Derived | null = null;

  constructor(
    { dialogue, points, rows, given, evidence }: Opened,
    active: readonly ActiveConstraint[],
    named: Iterable<string>,
    letters: Lettered | null,
  ) {
    this.dialogue = dialogue;
    this.points = points;
    this.rows = rows;
    this.named = new Set(named);
    this.#evidence = evidence;
    this.#knowledge = new Knowledge(given, this.#journal);
    this.#active = active;
    this.#opened = active.length;
    this.#letters = letters;
  }

  /** Number of constraints that the session took as answers to its own questions. */
  get taken(): number {
    return this.#active.length - this.#opened;
  }

  /** Number of all constraints that the session has taken. */
  get answered(): number {
    return this.#active.length;
  }

  /**
   * For each answer, oldest first: number of rows that it moved to another cluster. An answer is left out if the clusters before it or
   * after it were not computed.
   */
  moves(): number[] {
    const states = [...this.#before.map(({ derived }) => derived), this.#derived];
    return states.flatMap((after, at) => {
      const before = at > 0 ? states[at - 1] : null;
      return before && after ? [movedRows(before.clustering.labels, after.clustering.labels)] : [];
    });
  }

  standsFor(active: readonly ActiveConstraint[]): boolean {
    return active.length === this.#active.length && commonLength(active, this.#active) === active.length;
  }

  /**
   * Makes the session agree with these constraints. Returns false if only a new session can agree; the caller must then drop this session.
   *
   * Throws if the session cannot take the answer `newest`, or if it is interrupted. Then the session is in the state before that answer.
   */
  async follow(active: readonly ActiveConstraint[], driving: Driving, newest: string | null): Promise<boolean> {
    const common = commonLength(active, this.#active);
    if (common < this.#opened) return false;
    for (let answers = this.#active.length; answers > common; answers--) {
      this.dialogue.undo();
      const { mark, letters, derived } = this.#before.pop()!;
      this.#journal.rewind(mark);
      this.#letters = letters;
      this.#derived = derived;
    }
    let length = common;
    try {
      for (; length < active.length; length++) if (!(await this.#take(active[length]!, driving, newest))) return false;
    } finally {
      this.#active = length === active.length ? active : active.slice(0, length);
    }
    return true;
  }

  async #take({ entry, constraint, sureness }: ActiveConstraint, driving: Driving, newest: string | null): Promise<boolean> {
    const question = this.dialogue.next();
    const ids = question?.ask.map((place) => idOf(this.points, place));
    const answer = question && answerIn(constraint, question.kind, ids!);
    if (!answer) return false;
    try {
      await driving(this.dialogue.answer(answer, sureness ?? "law"));
    } catch (error) {
      if (error instanceof CoterieError && entry !== newest) return false;
      throw error;
    }
    this.#before.push({ mark: this.#journal.mark(), letters: this.#letters, derived: this.#derived });
    this.#letters = this.#derived?.clustering ?? this.#letters;
    this.#derived = null;
    if (question.kind === "pair" && this.#evidence === null)
      this.#knowledge.learn(question.ask[0], question.ask[1], answer as PairAnswer);
    for (const id of rowsOf(constraint).map(String)) {
      if (!this.named.has(id)) this.#journal.did(() => this.named.delete(id));
      this.named.add(id);
    }
    return true;
  }

  get isDerived(): boolean {
    return this.#derived !== null;
  }

  async derived(driving: Driving): Promise<Derived> {
    if (this.#derived === null) {
      const result = await driving(this.dialogue.session.resultSteps());
      const { labels } = renumber(result.outcome.labels);
      this.#derived = { ...result, clustering: { labels, letters: lettersOf(labels, clusterCount(labels), this.#letters) } };
    }
    return this.#derived;
  }

  async broken(driving: Driving): Promise<number> {
    const { constraints, clustering } = await this.derived(driving);
    return violationCount(violationsOf(constraints, clustering.labels));
  }

  /**
   * The decimal logarithm of the number of clusterings of all n rows that the constraints still allow; null if not known. Each row that no
   * constraint names adds a factor k. So the numbers before and after an answer are comparable.
   */
  async clusterings(k: number | null, n: number, driving: Driving): Promise<number | null> {
    if (k === null) return null;
    const now = await this.derived(driving);
    if (now.clusterings === undefined) {
      const closure = closeConstraints(now.constraints);
      const graph = constraintGraph(closure);
      const { log10 } = countClusterings(graph, k, { effort: COUNTING }).atMostK;
      const free = closure.componentCount - graph.vertices + n - this.rows.length;
      now.clusterings = log10 === null ? null : log10 + free * Math.log10(k);
    }
    return now.clusterings;
  }

  /**
   * For each possible answer to a question about two rows: how many other pairs of rows the answer would settle. Answers that can be wrong
   * settle nothing.
   */
  settles(question: Question): Record<string, number> {
    if (question.kind !== "pair") return {};
    const [a, b] = question.ask;
    if (this.#evidence !== null || this.#knowledge.relation(a, b) !== null) return { same: 0, different: 0 };
    const settled = (["same", "different"] as const).map((answer) => {
      const mark = this.#journal.mark();
      const { impliedPairs } = this.#knowledge.learn(a, b, answer);
      this.#journal.rewind(mark);
      return [answer, impliedPairs] as const;
    });
    return Object.fromEntries(settled);
  }

  joins([a, b]: readonly [number, number]): [number, number] | null {
    if (this.#evidence !== null || this.#knowledge.relation(a, b) !== null) return null;
    return [this.#knowledge.size(a), this.#knowledge.size(b)];
  }

  /** The answers that other answers outweigh. entry: the log entry. why: the reason. */
  overruled(): { readonly entry: string; readonly why: string }[] {
    const earlier = this.#evidence ?? [];
    return (this.dialogue.session.overruled?.() ?? []).flatMap(({ place, why }) => {
      const at = this.dialogue.givenPlace(place - earlier.length);
      const entry = earlier[place] ?? (at < 0 ? undefined : this.#active[this.#opened + at]!.entry);
      return entry === undefined ? [] : [{ entry, why }];
    });
  }
}

export function clusterCount(labels: Int32Array): number {
  return labels.reduce((most, label) => Math.max(most, label), -1) + 1;
}

interface Wanted {
  readonly active: readonly ActiveConstraint[];
  readonly driving: Driving;
  readonly letters: Lettered | null;
  /** The log entry of the newest answer. If the session cannot take this answer, `sessionAt` throws. */
  readonly newest: string | null;
}

export async function sessionAt(loaded: TaskTable, plan: AskPlanInput, wanted: Wanted): Promise<LiveSession> {
  const name = nameOf(plan);
  const known = lastSession(loaded, plan);
  const { active, driving, newest } = wanted;
  const kept = known ? (await known.follow(active, driving, newest)) && known : await replayed(loaded, plan, wanted);
  const live = kept || (await openSession(loaded, plan, active, wanted));
  loaded.kept.delete(name);
  loaded.kept.set(name, live);
  const sessions = [...loaded.kept.keys()].filter((key) => key.startsWith("session "));
  for (const old of sessions.slice(0, Math.max(0, sessions.length - MOST_SESSIONS))) loaded.kept.delete(old);
  return live;
}

/** The latest session of a plan; null if there is none. Its constraints can differ from the present constraints. */
export function lastSession(loaded: TaskTable, plan: AskPlanInput): LiveSession | null {
  return (loaded.kept.get(nameOf(plan)) as LiveSession | undefined) ?? null;
}

export function nameOf({ run, ...plan }: AskPlanInput): string {
  return `session ${JSON.stringify([plan, plan.about === null ? null : (run?.number ?? null)])}`;
}

/**
 * Opens the first session of a plan, and gives it the last constraints of the list as answers to its questions. Returns null if it cannot
 * take them.
 */
async function replayed(loaded: TaskTable, plan: AskPlanInput, wanted: Wanted): Promise<LiveSession | null> {
  const { active, driving, newest } = wanted;
  const given = active.findLastIndex(({ asked }) => !asked) + 1;
  if (given === active.length) return null;
  const live = await openSession(loaded, plan, active.slice(0, given), wanted);
  return (await live.follow(active, driving, newest)) ? live : null;
}

async function openSession(
  loaded: TaskTable,
  plan: AskPlanInput,
  active: readonly ActiveConstraint[],
  { driving, letters }: Wanted,
): Promise<LiveSession> {
  const { instances, host } = loaded;
  const all = withGiven(loaded, active);
  const rows = rowsToAskAbout(loaded, plan, all);
  const whole = rows.length === instances.n;
  const points = whole ? instances : someRows(instances, rows);
  const within = whole ? all : constraintsWithin(all, new Set(rows), loaded);
  const isCertain = ({ sureness }: ActiveConstraint) => plan.errorRate === 0 || sureness === undefined;
  const grouping = (column: string) => groupingPart(groupingOf(loaded, column), rows);
  const { set: certain } = constraintSetOf(within.filter(isCertain), points, grouping);
  // Constraints that come with the table were checked when the table was loaded.
  const set = loaded.given ? certain : consistentPart(certain).set;
  const evidence = evidenceIn(
    within.filter((each) => !isCertain(each)),
    points,
  );
  const open = new Set(within.flatMap(({ constraint }) => (constraint.type === "unsure" ? [keyOf(constraint.rows)] : [])));
  const session = await driving(
    startAskingSteps({
      points,
      strategy: plan.strategy,
      options: plan.options,
      constraints: set,
      ...(plan.k === null ? {} : { k: plan.k }),
      // A session answers a skipped question by "unsure". These answers must not use up the budget, so their number is added to the budget.
      ...(plan.budget === null
        ? {}
        : { budget: Math.max(0, plan.budget - active.filter(({ asked }) => asked).length + open.size) }),
      errorRate: plan.errorRate,
      evidence: evidence.map(({ said }) => said),
      seed: plan.seed,
      kernels: host.kernels(),
    }),
  );
  const dialogue = new Dialogue(session, ({ ask }) => open.has(keyOf(ask.map((row) => idOf(points, row)))));
  return new LiveSession(
    { dialogue, points, rows, given: set, evidence: plan.errorRate === 0 ? null : evidence.map(({ entry }) => entry) },
    active,
    all.flatMap(({ constraint }) => rowsOf(constraint).map(String)),
    lettersHere(letters, rows, instances.n),
  );
}

function evidenceIn(
  answers: readonly ActiveConstraint[],
  points: Instances,
): { readonly entry: string; readonly said: EarlierAnswer }[] {
  if (answers.length === 0) return [];
  const places = rowsById(points);
  return answers.flatMap(({ entry, constraint, sureness }) => {
    const asked = askedBy(constraint);
    if (asked?.kind !== "pair" || asked.answer === "unsure") return [];
    const rows = asked.ask.map((id) => places.get(String(id))!) as [number, number];
    return [{ entry, said: { rows, answer: asked.answer as PairAnswer, sureness } }];
  });
}

function rowsToAskAbout(loaded: TaskTable, { about, run, among }: AskPlanInput, active: readonly ActiveConstraint[]): Int32Array {
  const { n } = loaded.instances;
  const all = Int32Array.from({ length: n }, (_, row) => row);
  const chosen = about === null || run?.labels.length !== n ? all : all.filter((row) => run.labels[row] === about);
  const rows = chosen.length < 2 ? all : chosen;
  if (rows.length <= among) return rows;
  const named = new Set(active.flatMap(({ constraint }) => rowsOf(constraint).map((id) => loaded.rowOf.get(String(id)) ?? -1)));
  const places = [...rows.keys()].filter((place) => named.has(rows[place]!)).slice(0, among);
  return evenSample(rows.length, among, places).map((place) => rows[place]!);
}

/** A key for a question. It does not depend on the order of the question's rows. */
function keyOf(ids: readonly InstanceId[]): string {
  return JSON.stringify(ids.map(String).sort());
}

function lettersHere(lettered: Lettered | null, rows: Int32Array, n: number): Lettered | null {
  if (lettered === null || lettered.labels.length === rows.length) return lettered;
  if (lettered.labels.length !== n) return null;
  return { labels: rows.map((row) => lettered.labels[row]!), letters: lettered.letters };
}

/* A question session that skips the questions which somebody has already answered with "unsure". */

export class Dialogue {
  readonly session: Session;
  readonly #isOpen: (question: Question) => boolean;
  /** For each answer of the session: true if a person gave it, false if it is the "unsure" for a skipped question. */
  readonly #given: boolean[] = [];

  constructor(session: Session, isOpen: (question: Question) => boolean) {
    this.session = session;
    this.#isOpen = isOpen;
  }

  next(): Question | null {
    for (;;) {
      const question = this.session.next();
      if (!question || !this.#isOpen(question)) return question;
      this.session.answer("unsure");
      this.#given.push(false);
    }
  }

  /** The next questions, at most `most`. No question depends on the answer to another question, so their order does not matter. */
  ahead(most: number): Question[] {
    const found: Question[] = [];
    // The loop stops at `most` questions, because looking for one more question would change the session.
    while (found.length < most) {
      const question = this.next();
      if (!question) break;
      found.push(question);
      if (found.length < most) drain(this.answer("unsure"));
    }
    for (let i = Math.min(found.length, most - 1); i > 0; i--) this.undo();
    return found;
  }

  /** Answers the present question. If the caller stops before the last step, the answer does not count. */
  *answer(answer: QuestionAnswer, sureness: number | "law" = "law"): Steps<void> {
    this.next();
    yield* this.session.answerSteps(answer, sureness);
    this.#given.push(true);
  }

  undo(): boolean {
    if (!this.#given.includes(true)) return false;
    while (this.#given.pop() === false) this.session.undo();
    return this.session.undo();
  }

  /**
   * place: the index of an answer among all answers of the session.
   * Returns its index among the answers that persons gave; -1 for a skipped question.
   */
  givenPlace(place: number): number {
    return this.#given[place] ? this.#given.slice(0, place).filter(Boolean).length : -1;
  }
}
