/**
 * A dialogue of questions in the terminal. It is a client of a workbench that runs in the same process and has one project: the log of
 * answers.
 */
import { createHash, randomUUID } from "node:crypto";
import {
  badInput,
  badOption,
  type ConstraintSet,
  CoterieError,
  type Kernels,
  type Question,
  type Report,
  type Step,
} from "@coterie/core/internal";
import { type AnswerRecord, type AnswersLog, openBytes, type StartRecord, type Stretch, writeConstraints } from "@coterie/data";
import {
  type Continuation,
  constraintSetOf,
  continuationOf,
  type OpenAnswers,
  openAnswers,
  rowsById,
  type Watch,
} from "@coterie/workbench";
import { type AskState, constraintOf, type GivenAnswer, type NewEntry, type RouteInput } from "@coterie/workbench/protocol";
import type { Io } from "../command.js";
import { listOf, textOf, type Values } from "../flags.js";
import { pause } from "../host.js";
import type { Inputs } from "../inputs.js";
import type { Progress } from "../progress.js";
import { VERSION } from "../version.js";
import type { Change } from "./change-line.js";
import type { AskRequest } from "./request.js";

/**
 * Time limit in milliseconds for computing the effect of an answer. If one answer exceeds the limit, the effects of later answers are not
 * computed, so that the person does not wait for the next question.
 */
const WAIT_MS = 80;
/** In tables with more rows, the clusters before the first answer are not computed, because a person would have to wait for them. */
const FEW_ROWS = 2_000;

type AnswerInput = RouteInput<"answer">;

export class Dialogue {
  readonly notices: readonly string[];
  readonly #open: OpenAnswers;
  readonly #inputs: Inputs;
  readonly #budget: number;
  #explain: boolean;
  #plan: OpenAnswers["plan"];
  #state: AskState;

  constructor(open: OpenAnswers, { inputs, request, explain }: Opening, notices: readonly string[]) {
    this.notices = notices;
    this.#open = open;
    this.#plan = open.plan;
    this.#state = open.state;
    this.#inputs = inputs;
    this.#budget = request.budget;
    this.#explain = explain;
  }

  get answers(): readonly AnswerRecord[] {
    return this.#open.store.answers;
  }

  get newer(): readonly AnswerRecord[] {
    return this.answers.slice(this.#open.store.begun);
  }

  /** Adds the answers of this dialogue to `log`. A new dialogue can continue from the returned log. */
  reread(log: AnswersLog): AnswersLog {
    return { ...log, stretches: this.#open.store.stretches() as Stretch[], cut: false };
  }

  get state(): AskState {
    return this.#state;
  }

  next(): Question | null {
    const { question } = this.#state;
    return question && ({ kind: question.kind, ask: question.rows } as unknown as Question);
  }

  /** How many more questions are worth asking; null if this number is not computed, to save time. */
  get worth(): AskState["worth"] {
    return this.#state.worth;
  }

  record() {
    const { kind, ids } = this.#state.question!;
    const number = this.answers.length + 1;
    return { record: "question", number, kind, ask: ids, left: this.#budget - number + 1 };
  }

  /**
   * Answers the current question. Resolves when the answer is saved and the session has used it. Returns the record of the answer and its
   * effect. The effect is null if computing it takes too long.
   */
  async answer(answer: AnswerInput["answer"], about: Partial<AnswerInput> = {}): Promise<[AnswerRecord, Change | null]> {
    const { project, by } = this.#plan;
    const explain = this.#explain;
    const given = { ...about, project, by, answer, question: this.#state.question!.question, id: randomUUID(), explain };
    const reply = await this.#open.call("answer", given);
    this.#state = reply.next;
    if (reply.milliseconds > WAIT_MS) {
      this.#explain = false;
      await this.#ask({ ...this.#plan, explain: false });
    }
    return [this.answers.at(-1)!, explain ? { ...reply, moved: reply.unexplained ? null : reply.moved.length } : null];
  }

  async #ask(plan = this.#plan): Promise<void> {
    this.#plan = plan;
    this.#state = await this.#open.call("ask", plan);
  }

  async undo(): Promise<AnswerRecord | null> {
    const record = this.newer.at(-1);
    if (!record) return null;
    await this.#change({ type: "undo", entry: this.#open.store.entryAt(record.number)! });
    await this.#ask();
    return record;
  }

  /**
   * Replaces the answer with this number and returns the old answer. Throws if other answers contradict the new answer. Afterwards the
   * dialogue must be opened again.
   */
  async revise(number: number, answer: GivenAnswer): Promise<AnswerRecord> {
    const old = this.answers[number - 1];
    if (!old) throw badOption("number", number, `that of an answer, from 1 to ${this.answers.length}`);
    const constraint = constraintOf(old.kind, old.ask, answer);
    if (!constraint) throw badOption("answer", answer, `${old.kind === "pair" ? "same, different" : "a, b, c"}, unsure`);
    await this.#change({ type: "revise", entry: this.#open.store.entryAt(number)!, constraint });
    return old;
  }

  async #change(change: NewEntry["change"]): Promise<void> {
    const { project, by } = this.#plan;
    await this.#open.call("append", { project, entries: [{ id: randomUUID(), by, from: { kind: "drawn" }, change }] });
  }

  async clusters(): Promise<{ report: Report; labels: Int32Array; constraints: ConstraintSet }> {
    const { instances } = this.#inputs;
    const reply = await this.#open.call("asked", this.#plan);
    const report = reply.report as unknown as Report;
    const unsure = this.answers.filter(({ answer }) => answer === "unsure").length;
    const questions = { ...report.questions!, budget: this.#budget, asked: this.answers.length, unsure };
    const constraints = reply.constraints.map((constraint) => ({ entry: "", constraint }));
    const groupingOf = (name: string) => instances.exclusive!.find(({ column }) => column === name)!;
    return {
      report: { ...report, questions },
      labels: Int32Array.from(instances.rows, (row) => report.labels[row]!),
      constraints: constraintSetOf(constraints, instances, groupingOf).set,
    };
  }
}

export interface Opening {
  readonly request: AskRequest;
  readonly inputs: Inputs;
  readonly log: AnswersLog | null;
  readonly path: string;
  readonly data: string | undefined;
  readonly kernels: Kernels;
  readonly acceptChanges: boolean;
  readonly explain: boolean;
}

export async function openDialogue(opening: Opening, io: Pick<Io, "signal">, progress: Progress): Promise<Dialogue> {
  const { log, inputs, kernels, explain } = opening;
  const { strategy, options, k, budget, seed, errorRate } = opening.request;
  const { instances } = inputs;
  if (k !== undefined && k > instances.n) throw new CoterieError({ code: "k-too-large", k, n: instances.n });
  const start = log && (await startRecord(opening));
  const continuation = log && continuationOf(log.stretches, start!);
  if (continuation) refuseChanges(continuation, opening);
  const notices = (isAnew: boolean) => (isAnew ? noticesOf(continuation!, opening) : []);
  const all = (isAnew: boolean) => [...inputs.notices, ...notices(isAnew)];
  const open = await openAnswers(
    { ...inputs, k: k ?? null, notices: all },
    {
      ...{ by: "terminal", strategy: strategy.name, options: { ...options }, budget, seed, errorRate },
      ...{ run: null, among: Number.MAX_SAFE_INTEGER, explain: explain && instances.n <= FEW_ROWS },
    },
    log && { log, start: start! },
    { kernels: () => kernels, pause, version: VERSION, watched: (work) => watched(work, io, progress) },
  );
  return new Dialogue(open, opening, notices(open.isAnew));
}

/** Runs work and shows its progress until it ends or Ctrl-C stops it; then removes the progress line. */
async function watched<R>(work: (watch: Watch) => Promise<R>, { signal }: Pick<Io, "signal">, progress: Progress): Promise<R> {
  let shown = false;
  const onStep = (step: Step): void => {
    shown = true;
    progress.show(step);
  };
  return await work({ signal, onStep }).finally(() => shown && progress.clear());
}

async function startRecord({ request, data, inputs: { instances, constraints } }: Opening): Promise<StartRecord> {
  const { strategy, options, k, budget, seed, reading, values, errorRate } = request;
  const distances = await distancesFacts(values);
  return {
    record: "start",
    format: 1,
    version: VERSION,
    data: data ?? instances.file,
    sha256: await instances.contentHash(),
    rows: instances.n,
    features: [...(instances.names ?? [])],
    strategy: strategy.name,
    options: JSON.parse(JSON.stringify(options)),
    k: k ?? null,
    budget,
    seed,
    reading,
    constraints: listOf(values, "constraints") ?? [],
    known: hashOf(writeConstraints(constraints, instances.ids)),
    ...(errorRate === 0 ? {} : { errorRate }),
    ...(distances ? { distances } : {}),
  };
}

async function distancesFacts(values: Values): Promise<StartRecord["distances"]> {
  const file = textOf(values, "distances");
  if (file === undefined) return undefined;
  const hash = createHash("sha256");
  for await (const piece of (await openBytes(file)).chunks) hash.update(piece);
  return { file, sha256: hash.digest("hex") };
}

function hashOf(pieces: Iterable<string>): string {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}

/** Throws if the data changed since the answers were given, unless the user accepts the changes (`--accept-changes`). */
function refuseChanges(continuation: Continuation, { inputs, path, acceptChanges }: Opening): void {
  if (continuation.kind !== "anew" || acceptChanges) return;
  const data = continuation.changed.filter((what) => ["the data", "the number of rows", "the distances"].includes(what));
  if (data.length === 0) return;
  throw badInput(
    `The answers were given about other data: since then ${data.join(" and ")} changed (${inputs.instances.file}).`,
    {
      file: path,
      remedy:
        "Bring the old file back, begin another log (--answers FILE), or keep the answers as knowledge about the new data (--accept-changes).",
    },
  );
}

function noticesOf(continuation: Continuation, { log, inputs }: Opening): string[] {
  const earlier = log!.stretches.flatMap(({ answers }) => answers);
  const answers = earlier.length === 1 ? "the one answer so far is" : `the ${earlier.length} answers so far are`;
  const why =
    continuation.kind === "anew"
      ? `The log was begun with other settings (${continuation.changed.join(", ")})`
      : "The strategy asks other questions now than when the log was begun";
  const rows = rowsById(inputs.instances);
  const lost = earlier.filter(({ ask }) => ask.some((id) => !rows.has(String(id))));
  return [
    `${why}: ${answers} kept as knowledge, and questions go on from there.`,
    ...(lost.length > 0 ? [`${lost.length} of them are about rows that are no longer there and are left out.`] : []),
  ];
}
