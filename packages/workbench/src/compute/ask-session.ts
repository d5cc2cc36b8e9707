/**
 * Sessions of questions that live between calls. The log is the truth: a session stands for a state of what was said, and one that
 * has fallen behind is opened anew from there. An answer to the very question that it asked brings it along without that.
 */
import {
  type ConstraintSet,
  closeConstraints,
  constraintGraph,
  countClusterings,
  drive,
  type Instances,
  Journal,
  Knowledge,
  type Question,
  type QuestionAnswer,
  renumber,
  type Session,
  startAskingSteps,
  violationCount,
  violationsOf,
} from "@coterie/core/internal";
import { constraintSetOf, type Said } from "../knowledge/constraint-set.js";
import type { Watch } from "../pool.js";
import { rowsOf } from "../protocol/knowledge.js";
import { everyTurn } from "../run.js";
import { groupingOf } from "../tables/loaded-table.js";
import type { Seat } from "./compute.js";
import { consistentPart } from "./known.js";
import { type Lettered, lettersOf } from "./letters.js";
import { evenSample, groupingPart, partOf, saidWithin } from "./part.js";

export interface AskPlanInput {
  readonly strategy: string;
  readonly seed: number;
  readonly k: number | null;
  /** Ask about rows of this cluster of `run` alone; null for any. */
  readonly about: number | null;
  /** The run that questions name clusters by; null where there is none. */
  readonly run: (Lettered & { readonly number: number }) | null;
}

/** Questions are chosen among so many rows; of more, an even sample and the rows that somebody spoke about. */
const MOST_ROWS = 2_000;
/** Nodes of effort for the number of clusterings that remain. */
const COUNTING = 2_000;
/** Sessions that stay in memory for a table. */
const MOST_SESSIONS = 8;

export class LiveSession {
  readonly session: Session;
  /** Rows of the table that questions are about; the session's rows are places in it. */
  readonly rows: Int32Array;
  readonly points: Instances;
  /** What nobody knew: not asked again. */
  readonly #open: ReadonlySet<string>;
  #set: ConstraintSet;
  #clustering: Lettered | null = null;
  #letters: Lettered | null;

  constructor(
    session: Session,
    points: Instances,
    rows: Int32Array,
    set: ConstraintSet,
    open: ReadonlySet<string>,
    letters: Lettered | null,
  ) {
    this.session = session;
    this.points = points;
    this.rows = rows;
    this.#set = set;
    this.#open = open;
    this.#letters = letters;
  }

  /** The next questions, none of which hangs on the answer to another; fewer if there are no more. */
  questions(most: number): Question[] {
    const found: Question[] = [];
    let skipped = 0;
    for (let question = this.session.next(); question && found.length < most; question = this.session.next()) {
      if (!this.#open.has(keyOf(question.ask))) found.push(question);
      if (found.length === most) break;
      this.session.answer("unsure");
      skipped++;
    }
    for (; skipped > 0; skipped--) this.session.undo();
    return found;
  }

  /** Whether this is the question that the session asks now: then its answer can be told. */
  asks(rows: readonly number[]): boolean {
    const question = this.session.next();
    return question?.ask.every((place, i) => this.rows[place] === rows[i]) ?? false;
  }

  tell(answer: QuestionAnswer): void {
    this.#letters = this.clustering();
    this.session.answer(answer);
    this.#set = this.session.result().constraints;
    this.#clustering = null;
  }

  /** The clustering that follows from what is known, with letters that stay. */
  clustering(): Lettered {
    if (this.#clustering === null) {
      const { labels } = renumber(this.session.result().outcome.labels);
      this.#clustering = { labels, letters: lettersOf(labels, clusterCount(labels), this.#letters) };
    }
    return this.#clustering;
  }

  broken(): number {
    return violationCount(violationsOf(this.#set, this.clustering().labels));
  }

  /**
   * The logarithm to base 10 of the clusterings of all n rows that remain; null if not known. Rows that nobody spoke about are in
   * it with k choices each, so that the number before an answer and the number after it are about the same rows.
   */
  clusterings(k: number | null, n: number): number | null {
    if (k === null) return null;
    const closure = closeConstraints(this.#set);
    const graph = constraintGraph(closure);
    const { log10 } = countClusterings(graph, k, { effort: COUNTING }).atMostK;
    const free = closure.componentCount - graph.vertices + n - this.rows.length;
    return log10 === null ? null : log10 + free * Math.log10(k);
  }

  /** Pairs that each answer about two rows would settle, beside the pair itself. */
  settles(question: Question): Record<string, number> {
    if (question.kind !== "pair") return {};
    const journal = new Journal();
    const knowledge = new Knowledge(this.#set, journal);
    const [a, b] = question.ask;
    if (knowledge.relation(a, b) !== null) return { same: 0, different: 0 };
    const settled = (["same", "different"] as const).map((answer) => {
      const mark = journal.mark();
      const { impliedPairs } = knowledge.learn(a, b, answer);
      journal.rewind(mark);
      return [answer, impliedPairs] as const;
    });
    return Object.fromEntries(settled);
  }
}

export function clusterCount(labels: Int32Array): number {
  return labels.reduce((most, label) => Math.max(most, label), -1) + 1;
}

function keyOf(rows: readonly number[]): string {
  return [...rows].sort((a, b) => a - b).join(" ");
}

/** What was said, as a word: two states with the same word are the same. */
function stateOf(said: readonly Said[]): string {
  return said.map(({ entry, constraint }) => ("weight" in constraint ? `${entry}*${constraint.weight}` : entry)).join(" ");
}

interface Kept {
  readonly live: LiveSession;
  readonly state: string;
}

/** The session of a plan in a state of what was said; `letters` stay where one has to be opened. */
export async function sessionAt(
  seat: Seat,
  plan: AskPlanInput,
  said: readonly Said[],
  watch: Watch,
  letters: Lettered | null = plan.run,
): Promise<LiveSession> {
  const name = nameOf(plan);
  const kept = seat.kept.get(name) as Kept | undefined;
  const state = stateOf(said);
  if (kept?.state === state) return kept.live;
  const live = await open(seat, plan, said, watch, letters);
  keepSession(seat, plan, said, live);
  return live;
}

/** The session of a plan in whatever state it is; null if there is none. */
export function lastSession(seat: Seat, plan: AskPlanInput): LiveSession | null {
  return (seat.kept.get(nameOf(plan)) as Kept | undefined)?.live ?? null;
}

/** The session of a plan, if it is in this state. */
export function heldSession(seat: Seat, plan: AskPlanInput, said: readonly Said[]): LiveSession | null {
  const kept = seat.kept.get(nameOf(plan)) as Kept | undefined;
  return kept?.state === stateOf(said) ? kept.live : null;
}

export function keepSession(seat: Seat, plan: AskPlanInput, said: readonly Said[], live: LiveSession): void {
  const name = nameOf(plan);
  seat.kept.delete(name);
  seat.kept.set(name, { live, state: stateOf(said) } satisfies Kept);
  const sessions = [...seat.kept.keys()].filter((key) => key.startsWith("session "));
  for (const old of sessions.slice(0, Math.max(0, sessions.length - MOST_SESSIONS))) seat.kept.delete(old);
}

function nameOf({ strategy, seed, k, about, run }: AskPlanInput): string {
  return `session ${JSON.stringify([strategy, seed, k, about, about === null ? null : (run?.number ?? null)])}`;
}

async function open(
  seat: Seat,
  plan: AskPlanInput,
  said: readonly Said[],
  watch: Watch,
  letters: Lettered | null,
): Promise<LiveSession> {
  const { loaded, host } = seat;
  const rows = rowsToAskAbout(seat, plan, said);
  const whole = rows.length === loaded.instances.n;
  const points = whole ? loaded.instances : partOf(loaded.instances, rows);
  const within = whole ? said : saidWithin(said, new Set(rows), loaded);
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
  const place = new Map(Array.from(rows, (row, at) => [row, at]));
  const open = within.flatMap(({ constraint }) =>
    constraint.type === "unsure" ? [keyOf(constraint.rows.map((id) => place.get(loaded.rowOf.get(String(id))!)!))] : [],
  );
  return new LiveSession(session, points, rows, set, new Set(open), lettersHere(letters, rows, loaded.instances.n));
}

function rowsToAskAbout({ loaded }: Seat, { about, run }: AskPlanInput, said: readonly Said[]): Int32Array {
  const { n } = loaded.instances;
  const all = Int32Array.from({ length: n }, (_, row) => row);
  const chosen = about === null || run?.labels.length !== n ? all : all.filter((row) => run.labels[row] === about);
  const rows = chosen.length < 2 ? all : chosen;
  if (rows.length <= MOST_ROWS) return rows;
  const spoken = new Set(said.flatMap(({ constraint }) => rowsOf(constraint).map((id) => loaded.rowOf.get(String(id)) ?? -1)));
  const places = [...rows.keys()].filter((place) => spoken.has(rows[place]!)).slice(0, MOST_ROWS);
  return evenSample(rows.length, MOST_ROWS, places).map((place) => rows[place]!);
}

function lettersHere(lettered: Lettered | null, rows: Int32Array, n: number): Lettered | null {
  if (lettered === null || lettered.labels.length === rows.length) return lettered;
  if (lettered.labels.length !== n) return null;
  return { labels: rows.map((row) => lettered.labels[row]!), letters: lettered.letters };
}
