/**
 * Sessions of questions that live between calls. The log is the truth: a session stands for a list of active constraints. It follows
 * the list by taking its last answers back and by taking answers to its own questions; otherwise a new session is opened.
 */
import {
  type ConstraintSet,
  CoterieError,
  closeConstraints,
  constraintGraph,
  countClusterings,
  drain,
  drive,
  type InstanceId,
  type Instances,
  idOf,
  Journal,
  Knowledge,
  type PairAnswer,
  type Question,
  renumber,
  startAskingSteps,
  violationCount,
  violationsOf,
} from "@coterie/core/internal";
import { Dialogue } from "../asking.js";
import { type ActiveConstraint, commonLength } from "../log/constraint-log.js";
import { constraintSetOf } from "../log/constraint-set.js";
import type { Watch } from "../pool.js";
import { answerIn } from "../protocol/asking.js";
import { type Constraint, rowsOf } from "../protocol/knowledge.js";
import { everyTurn } from "../run.js";
import { groupingOf } from "../tables/loaded-table.js";
import type { TaskTable } from "./compute.js";
import { consistentPart } from "./known.js";
import { type Lettered, lettersOf } from "./letters.js";
import { constraintsWithin, evenSample, groupingPart, partOf } from "./part.js";

export interface AskPlanInput {
  readonly strategy: string;
  readonly seed: number;
  readonly k: number | null;
  /** Ask about rows of this cluster of `run` alone; null for any. */
  readonly about: number | null;
  /** The run that questions name clusters by; null where there is none. */
  readonly run: (Lettered & { readonly number: number }) | null;
}

/** Questions are chosen among this many rows; of more, among an even sample and the rows that constraints name. */
const MOST_ROWS = 2_000;
/** Nodes of effort for the number of clusterings that remain. */
const COUNTING = 2_000;
/** Answers that a new session takes one by one; more of them are given to it at once. */
const MOST_REPLAYED = 200;
/** Sessions that stay in memory for a table. */
const MOST_SESSIONS = 8;

/** What follows from a session, until its next answer. */
interface Derived {
  readonly constraints: ConstraintSet;
  /** The clustering that follows from the constraints, with letters that stay from one answer to the next. */
  readonly clustering: Lettered;
  clusterings?: number | null;
}

export class LiveSession {
  readonly dialogue: Dialogue;
  /** Rows of the table that questions are about; the session's rows are places in it. */
  readonly rows: Int32Array;
  readonly points: Instances;
  /** The ids of rows that constraints name. */
  readonly named: Set<string>;
  /** The constraints that the session stands for; those after the first `#opened` are answers to its questions. */
  #active: readonly ActiveConstraint[];
  readonly #opened: number;
  /** What follows from the constraints about pairs of rows, extended with each answer; the journal has a mark before each answer. */
  readonly #knowledge: Knowledge;
  readonly #journal = new Journal();
  readonly #marks: number[] = [];
  #letters: Lettered | null;
  #derived: Derived | null = null;

  constructor(
    dialogue: Dialogue,
    points: Instances,
    rows: Int32Array,
    given: ConstraintSet,
    active: readonly ActiveConstraint[],
    letters: Lettered | null,
  ) {
    this.dialogue = dialogue;
    this.points = points;
    this.rows = rows;
    this.named = new Set(active.flatMap(({ constraint }) => rowsOf(constraint).map(String)));
    this.#knowledge = new Knowledge(given, this.#journal);
    this.#active = active;
    this.#opened = active.length;
    this.#letters = letters;
  }

  /** Whether the session stands for these constraints. */
  standsFor(active: readonly ActiveConstraint[]): boolean {
    return active.length === this.#active.length && commonLength(active, this.#active) === active.length;
  }

  /** Brings the session to these constraints. False where only a new session can stand for them: then this one is of no use any more. */
  follow(active: readonly ActiveConstraint[]): boolean {
    const common = commonLength(active, this.#active);
    if (common < this.#opened) return false;
    for (let answers = this.#active.length; answers > common; answers--) {
      this.#change();
      this.dialogue.undo();
      this.#journal.rewind(this.#marks.pop()!);
    }
    this.#active = active;
    return active.slice(common).every(({ constraint }) => this.#take(constraint));
  }

  /** Takes a constraint as the answer to the present question, if it is one that the session can take. */
  #take(constraint: Constraint): boolean {
    const question = this.dialogue.next();
    const ids = question?.ask.map((place) => idOf(this.points, place));
    const answer = question && answerIn(constraint, question.kind, ids!);
    if (!answer) return false;
    this.#change();
    try {
      drain(this.dialogue.answer(answer));
    } catch (error) {
      if (error instanceof CoterieError) return false;
      throw error;
    }
    this.#marks.push(this.#journal.mark());
    if (question.kind === "pair") this.#knowledge.learn(question.ask[0], question.ask[1], answer as PairAnswer);
    for (const id of rowsOf(constraint).map(String)) {
      if (!this.named.has(id)) this.#journal.did(() => this.named.delete(id));
      this.named.add(id);
    }
    return true;
  }

  #change(): void {
    this.#letters = this.#derived?.clustering ?? this.#letters;
    this.#derived = null;
  }

  #now(): Derived {
    if (this.#derived === null) {
      const { outcome, constraints } = this.dialogue.session.result();
      const { labels } = renumber(outcome.labels);
      this.#derived = { constraints, clustering: { labels, letters: lettersOf(labels, clusterCount(labels), this.#letters) } };
    }
    return this.#derived;
  }

  get clustering(): Lettered {
    return this.#now().clustering;
  }

  broken(): number {
    const { constraints, clustering } = this.#now();
    return violationCount(violationsOf(constraints, clustering.labels));
  }

  /**
   * The logarithm to base 10 of the clusterings of all n rows that remain; null if not known. Rows that no constraint names are in
   * it with k choices each, so that the number before an answer and the number after it are about the same rows.
   */
  clusterings(k: number | null, n: number): number | null {
    if (k === null) return null;
    const now = this.#now();
    if (now.clusterings === undefined) {
      const closure = closeConstraints(now.constraints);
      const graph = constraintGraph(closure);
      const { log10 } = countClusterings(graph, k, { effort: COUNTING }).atMostK;
      const free = closure.componentCount - graph.vertices + n - this.rows.length;
      now.clusterings = log10 === null ? null : log10 + free * Math.log10(k);
    }
    return now.clusterings;
  }

  /** Pairs that each answer about two rows would settle, beside the pair itself. */
  settles(question: Question): Record<string, number> {
    if (question.kind !== "pair") return {};
    const [a, b] = question.ask;
    if (this.#knowledge.relation(a, b) !== null) return { same: 0, different: 0 };
    const settled = (["same", "different"] as const).map((answer) => {
      const mark = this.#journal.mark();
      const { impliedPairs } = this.#knowledge.learn(a, b, answer);
      this.#journal.rewind(mark);
      return [answer, impliedPairs] as const;
    });
    return Object.fromEntries(settled);
  }
}

export function clusterCount(labels: Int32Array): number {
  return labels.reduce((most, label) => Math.max(most, label), -1) + 1;
}

/** The session of a plan that stands for these constraints; `letters` stay where a new one has to be opened. */
export async function sessionAt(
  loaded: TaskTable,
  plan: AskPlanInput,
  active: readonly ActiveConstraint[],
  watch: Watch,
  letters: Lettered | null = plan.run,
): Promise<LiveSession> {
  const name = nameOf(plan);
  const known = lastSession(loaded, plan);
  loaded.kept.delete(name);
  const open = (given: readonly ActiveConstraint[]) => openSession(loaded, plan, given, watch, letters);
  const kept = known ? known.follow(active) && known : await replayed(active, open, loaded.host.pause);
  const live = kept || (await open(active));
  loaded.kept.set(name, live);
  const sessions = [...loaded.kept.keys()].filter((key) => key.startsWith("session "));
  for (const old of sessions.slice(0, Math.max(0, sessions.length - MOST_SESSIONS))) loaded.kept.delete(old);
  return live;
}

/** The session of a plan, whatever it stands for; null if there is none. */
export function lastSession(loaded: TaskTable, plan: AskPlanInput): LiveSession | null {
  return (loaded.kept.get(nameOf(plan)) as LiveSession | undefined) ?? null;
}

function nameOf({ strategy, seed, k, about, run }: AskPlanInput): string {
  return `session ${JSON.stringify([strategy, seed, k, about, about === null ? null : (run?.number ?? null)])}`;
}

/** The first session of a plan takes the answers at the end of the list one by one, as an earlier one did, if they answer its questions. */
async function replayed(
  active: readonly ActiveConstraint[],
  open: (given: readonly ActiveConstraint[]) => Promise<LiveSession>,
  pause: () => Promise<void>,
): Promise<LiveSession | null> {
  const given = active.findLastIndex(({ asked }) => !asked) + 1;
  if (given === active.length || active.length - given > MOST_REPLAYED) return null;
  const live = await open(active.slice(0, given));
  const due = everyTurn();
  for (let length = given + 1; live.follow(active.slice(0, length)); length++) {
    if (length === active.length) return live;
    if (due()) await pause();
  }
  return null;
}

async function openSession(
  loaded: TaskTable,
  plan: AskPlanInput,
  active: readonly ActiveConstraint[],
  watch: Watch,
  letters: Lettered | null,
): Promise<LiveSession> {
  const { host } = loaded;
  const rows = rowsToAskAbout(loaded, plan, active);
  const whole = rows.length === loaded.instances.n;
  const points = whole ? loaded.instances : partOf(loaded.instances, rows);
  const within = whole ? active : constraintsWithin(active, new Set(rows), loaded);
  const grouping = (column: string) => groupingPart(groupingOf(loaded, column), rows);
  const { set } = consistentPart(constraintSetOf(within, points, grouping).set);
  const steps = startAskingSteps({
    points,
    strategy: plan.strategy,
    constraints: set,
    ...(plan.k === null ? {} : { k: plan.k }),
    seed: plan.seed,
    kernels: host.kernels(),
  });
  const session = await drive(steps, { pause: host.pause, due: everyTurn(), ...watch });
  const open = new Set(within.flatMap(({ constraint }) => (constraint.type === "unsure" ? [keyOf(constraint.rows)] : [])));
  const dialogue = new Dialogue(session, ({ ask }) => open.has(keyOf(ask.map((row) => idOf(points, row)))));
  return new LiveSession(dialogue, points, rows, set, active, lettersHere(letters, rows, loaded.instances.n));
}

function rowsToAskAbout(loaded: TaskTable, { about, run }: AskPlanInput, active: readonly ActiveConstraint[]): Int32Array {
  const { n } = loaded.instances;
  const all = Int32Array.from({ length: n }, (_, row) => row);
  const chosen = about === null || run?.labels.length !== n ? all : all.filter((row) => run.labels[row] === about);
  const rows = chosen.length < 2 ? all : chosen;
  if (rows.length <= MOST_ROWS) return rows;
  const named = new Set(active.flatMap(({ constraint }) => rowsOf(constraint).map((id) => loaded.rowOf.get(String(id)) ?? -1)));
  const places = [...rows.keys()].filter((place) => named.has(rows[place]!)).slice(0, MOST_ROWS);
  return evenSample(rows.length, MOST_ROWS, places).map((place) => rows[place]!);
}

/** A question whatever the order of its rows. */
function keyOf(ids: readonly InstanceId[]): string {
  return JSON.stringify(ids.map(String).sort());
}

function lettersHere(lettered: Lettered | null, rows: Int32Array, n: number): Lettered | null {
  if (lettered === null || lettered.labels.length === rows.length) return lettered;
  if (lettered.labels.length !== n) return null;
  return { labels: rows.map((row) => lettered.labels[row]!), letters: lettered.letters };
}
