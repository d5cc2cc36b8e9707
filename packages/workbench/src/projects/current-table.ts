/**
 * The table of a project as it is read now, with everything that depends on its rows: constraints, questions, diagnosis. If the reading or
 * the policy changes, a new `CurrentTable` replaces this one.
 */

import {
  badOption,
  CoterieError,
  checkedOptions,
  DEFAULT_STRATEGY,
  findStrategy,
  Journal,
  Knowledge,
  type QuestionAnswer,
  strategies,
  textHash,
} from "@coterie/core/internal";
import {
  type AnswerEffect,
  type AnsweredQuestion,
  type AskedQuestion,
  type AskInput,
  type AskOutput,
  type Implied,
  UNEXPLAINED,
} from "../compute/ask.js";
import { type AskPlanInput, nameOf } from "../compute/ask-session.js";
import { consistentPart } from "../compute/known.js";
import type { TableFacts, TaskInput, TaskName, TaskOutput } from "../compute/tasks.js";
import { type ActiveConstraint, ConstraintLog, commonLength } from "../log/constraint-log.js";
import { constraintSetOf } from "../log/constraint-set.js";
import { type Naming, presentNames } from "../log/present-names.js";
import type { Watch } from "../pool.js";
import { constraintOf, majorityOf } from "../protocol/answers.js";
import { type AskState, askPlan, type GivenAnswer, type QuestionReply, type Worth } from "../protocol/asking.js";
import type { Constraint, Entry, Provenance } from "../protocol/knowledge.js";
import { ODD_KEYS } from "../protocol/question-keys.js";
import type { RouteReply, RouteRequest } from "../protocol/routes.js";
import { sentenceOf } from "../protocol/sentences.js";
import type { StoredProject } from "../store/store.js";
import type { Context, ReadTable } from "./context.js";
import type { OpenProject } from "./open-project.js";
import { badRequest, conflict } from "./problems.js";

/** The newest diagnosis. `full` is absent until the full diagnosis has ended. */
interface KeptDiagnosis {
  /** A key of the constraints and options that were diagnosed. With another key, the diagnosis is out of date. */
  readonly key: string;
  readonly quick: Promise<RouteReply<"diagnosis">>;
  full?: RouteReply<"diagnosis">;
  isRunning?: true;
}

export class CurrentTable {
  readonly facts: TableFacts;
  readonly log: ConstraintLog;
  readonly questions: Questions;
  diagnosis: KeptDiagnosis | null = null;
  readonly #context: Context;
  readonly #table: ReadTable;
  #hash: string | (() => string);
  /** Replaces the row names in a log entry by the names that the rows have now. */
  readonly presentName: (entry: Entry) => Entry;
  readonly #ids: ReadonlySet<string> | null;
  /** The name under which a worker keeps this table's constraints. No other table uses this name. */
  readonly #name = crypto.randomUUID();
  #sent: { readonly version: number; readonly active: readonly ActiveConstraint[] } | null = null;

  /** namings: earlier row names, for older log entries. */
  constructor(project: OpenProject, { data, reading, policy }: StoredProject, facts: TableFacts, namings: readonly Naming[]) {
    const { n, ids, rows } = facts;
    const columns = new Set(facts.columns);
    this.#context = project.context;
    this.#table = { data, reading };
    this.facts = facts;
    this.#ids = ids === null ? null : new Set(ids.map(String));
    this.presentName = presentNames(namings, facts);
    this.log = new ConstraintLog({ policy, hasRow: this.hasRow, hasColumn: (name) => columns.has(name) });
    this.#hash = () => hashOf(JSON.stringify([JSON.stringify([data.sha256, reading.id]), n, rows && [...rows]]));
    this.questions = new Questions(project, this);
  }

  readonly hasRow = (id: string | number): boolean =>
    this.#ids === null ? /^(0|[1-9]\d*)$/.test(String(id)) && Number(id) < this.facts.n : this.#ids.has(String(id));

  /**
   * A hash of the rows and their names, as eight hexadecimal digits. It is part of the name of a question. If the rows change, questions
   * from before are refused.
   */
  get hash(): string {
    if (typeof this.#hash !== "string") this.#hash = this.#hash();
    return this.#hash;
  }

  /** Adds the entries that this table lacks. `log`: the whole log. */
  append(log: readonly Entry[]): void {
    this.log.append(log.slice(this.log.upTo).map(this.presentName));
  }

  run<N extends TaskName>(name: N, input: TaskInput<N>, watch?: Watch): Promise<TaskOutput<N>> {
    return this.#context.run(this.#table, name, input, watch);
  }

  /** The constraints for the questions of a plan. If answers can be wrong, the list also contains answers that other answers outweigh. */
  constraintsFor({ errorRate }: Pick<AskInput["plan"], "errorRate">): readonly ActiveConstraint[] {
    return errorRate === 0 ? this.log.active : this.log.weighed;
  }

  /**
   * Asks a worker for questions under the constraints that count now. If the worker still has the constraints of the last request, it
   * receives only the change; otherwise it receives all constraints.
   */
  async ask(input: Omit<AskInput, "constraints">): Promise<AskOutput> {
    const active = this.constraintsFor(input.plan);
    const before = this.#sent;
    const version = before?.active === active ? before.version : (before?.version ?? 0) + 1;
    this.#sent = { version, active };
    const send = (since: number | null, kept: number) =>
      this.run("ask", { ...input, constraints: { of: this.#name, version, since, kept, more: active.slice(kept) } });
    const output = before ? await send(before.version, commonLength(before.active, active)) : null;
    return output ?? (await send(null, 0))!;
  }

  /** Returns a copy of the log with one more entry, to see what this entry would change. */
  logWith(stored: Pick<StoredProject, "policy">, log: readonly Entry[], more: Entry): ConstraintLog {
    const { hasRow } = this;
    const columns = new Set(this.facts.columns);
    const tried = new ConstraintLog({ policy: stored.policy, hasRow, hasColumn: (name) => columns.has(name) });
    tried.append([...log, more].map(this.presentName));
    return tried;
  }
}

function hashOf(text: string): string {
  return (textHash(text) >>> 0).toString(16).padStart(8, "0");
}

/*
 * Questions and answers. The name of a question contains everything that is needed to take an answer. So the server accepts an answer even
 * after a restart. If several people answer, each person gets different questions.
 */

/**
 * A person counts as present for this time after the last request, in milliseconds. During this time, the person can think about a
 * question.
 */
const PRESENT_MS = 300_000;

/**
 * If several people answer, one search finds this number of questions for all of them. When fewer than half are left, a new search begins.
 */
const AT_ONCE = 24;

interface Person {
  seen: number;
  request: RouteRequest<"ask">;
  held: { readonly question: AskedQuestion; readonly plan: string; readonly active: readonly ActiveConstraint[] } | null;
  /** Whether a question is being chosen for this person. */
  waits: boolean;
}

interface Spare {
  readonly plan: string;
  questions: AskedQuestion[];
  readonly worth: Worth | null;
  readonly taken: number | null;
}

const NO_SPARE: Spare = { plan: "", questions: [], worth: null, taken: null };

/** A person's next question, and what their answer changed. */
interface Next {
  readonly state: AskState;
  readonly effect: AnswerEffect | null;
  readonly implied: Implied | null;
  /** Time spent on explanations. */
  readonly milliseconds: number;
}

interface Answering {
  readonly by: string;
  readonly id: string;
  readonly named: NamedQuestion;
  readonly answer: GivenAnswer;
  readonly about: Provenance;
  readonly explain: boolean | undefined;
}

interface NamedQuestion {
  readonly kind: QuestionReply["kind"];
  readonly strategy: string;
  readonly rows: readonly number[];
}

const NO_SUCH_ANSWER = {
  pair: "Two rows are the same, different, or not known.",
  triplet: "Of three rows, the odd one is a, b or c, or not known.",
} as const;

/** Whether an error means that a session cannot take an answer: the answer makes k clusters impossible, or contradicts other answers. */
function isRefusal(error: unknown): boolean {
  return error instanceof CoterieError && ["infeasible", "gave-up", "inconsistent"].includes(error.problem.code);
}

function effectIn(output: AskOutput | null): Omit<Next, "state"> {
  const { effect = null, implied = null, milliseconds = 0 } = output ?? {};
  return { effect, implied, milliseconds };
}

function freshId(): string {
  return crypto.randomUUID();
}

/** Returns the fields of an object without the undefined fields. */
function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Chooses questions about a table, for everybody who answers, and takes the answers. */
class Questions {
  readonly #table: CurrentTable;
  readonly #project: OpenProject;
  readonly #people = new Map<string, Person>();
  /** Questions that a search found for a plan and that nobody has got yet. */
  #spare: Spare = NO_SPARE;
  /** The search for more questions (`#spare`) that is running now. Everybody who needs a question waits for the same search. */
  #filling: Promise<void> | null = null;
  /** The last search that found no more questions. plan: its plan. upTo: number of log entries at that time. */
  #exhausted: { readonly plan: string; readonly upTo: number } | null = null;
  /** The answer whose effect on the clusters is being computed now. */
  #computing: AnsweredQuestion | null = null;
  #pairs: KnownPairs | null = null;

  constructor(project: OpenProject, table: CurrentTable) {
    this.#project = project;
    this.#table = table;
  }

  async ask(stored: StoredProject, request: RouteRequest<"ask">): Promise<AskState> {
    return (await this.#nextFor(stored, request, null)).state;
  }

  async answer(stored: StoredProject, sent: RouteRequest<"answer">): Promise<RouteReply<"answer">> {
    const { by, id, question, orUnsure, explain } = sent;
    const { answer, ...about } = Array.isArray(sent.answer) ? majorityOf(sent.answer) : { answer: sent.answer };
    const named = this.#named(question);
    const { program, remembered, evidence } = sent;
    const given = { ...about, ...defined({ program, remembered, evidence: evidence || undefined }) };
    try {
      return await this.#take(stored, { by, id, named, answer, about: given, explain });
    } catch (error) {
      if (!orUnsure || !isRefusal(error)) throw error;
      const about = { ...given, said: answer };
      return await this.#take(stored, { by, id: freshId(), named, answer: "unsure", about, explain });
    }
  }

  /** Saves an answer, then passes it to the session. If the session cannot take it, an undo entry takes the answer back. */
  async #take(stored: StoredProject, { by, id, named, answer, about, ...sent }: Answering): Promise<RouteReply<"answer">> {
    const { facts, log } = this.#table;
    const ids = named.rows.map((row) => facts.ids?.[row] ?? row);
    const constraint = constraintOf(named.kind, ids, answer);
    if (constraint === null) throw badRequest(NO_SUCH_ANSWER[named.kind]);
    const number = log.answersOf(by).length + 1;
    const odd = ODD_KEYS.find((key) => key === answer);
    const person = this.#people.get(by);
    const request = person?.request ?? { project: stored.id, ...askPlan.parse({ by, strategy: named.strategy }) };
    // This must be computed before the answer is saved, because afterwards the answer counts as known.
    const explain = sent.explain ?? request.explain;
    const implied = explain && !about.evidence ? this.#known().impliedBy(named.rows, answer) : 0;
    const from = { kind: "asked" as const, strategy: named.strategy, number, ...defined({ odd }), ...about };
    const [entry] = await this.#project.keep([{ id, by, from, change: { type: "add", constraint } }]);
    if (entry!.change.type !== "add" || JSON.stringify(entry!.change.constraint) !== JSON.stringify(constraint))
      throw conflict("An entry with this id says something else already.");
    if (person) person.held = null;
    // Only the effect of one answer is computed at a time, because two changes at once cannot be separated. If another effect is being
    // computed, this answer is reported without an effect.
    const answered = this.#computing ? null : { entry: id, rows: named.rows, answer, explain };
    this.#computing ??= answered;
    try {
      const { state, effect, milliseconds, ...next } = await this.#nextFor(stored, request, answered);
      const known = next.implied ?? { implied, joined: null };
      return { entry: entry!, ...known, ...(effect ?? UNEXPLAINED), milliseconds, next: state };
    } catch (error) {
      if (answered && isRefusal(error)) await this.#takeBack(by, entry!);
      throw error;
    } finally {
      if (answered && this.#computing === answered) this.#computing = null;
    }
  }

  async #takeBack(by: string, { id: entry, from }: Entry): Promise<void> {
    await this.#project.keep([{ id: freshId(), by, from, change: { type: "undo", entry } }]);
    await this.#project.bring(this.#table);
  }

  /** Computes the clusters that follow from the answers, with a report about the questions of the person `by`. */
  async asked(stored: StoredProject, request: RouteRequest<"asked">): Promise<RouteReply<"asked">> {
    const plan = await this.#planOf(stored, request);
    await this.#project.bring(this.#table);
    const { log } = this.#table;
    const answers = log.answersOf(request.by);
    const unsure = answers.filter(({ constraint }) => constraint.type === "unsure").length;
    const report = { strategy: plan.strategy, budget: request.budget, asked: answers.length, unsure };
    const { asked, taken } = await this.#table.ask({ plan, answered: null, explain: false, most: 0, report });
    const { overruled, constraints } = asked!;
    const outweighed = overruled?.map(({ entry, why }) => {
      const { from, constraint } = log.standing(entry)!;
      return { number: from.kind === "asked" ? from.number : 0, statement: sentenceOf(constraint), why };
    });
    const questions = { ...asked!.report.questions, ...defined({ overruled: outweighed }) };
    return { report: { ...asked!.report, questions }, constraints, taken };
  }

  /**
   * Finds a person's next question, and computes the effect of their last answer. If nobody else is answering, one call to the worker does
   * both.
   */
  async #nextFor(stored: StoredProject, request: RouteRequest<"ask">, answered: AnsweredQuestion | null): Promise<Next> {
    const { by, budget } = request;
    const plan = await this.#planOf(stored, request);
    await this.#project.bring(this.#table);
    const history = this.#table.log.answersOf(by).map(({ constraint }) => wordOf(constraint));
    const state = { strategy: plan.strategy, budget, answered: history.length, history };
    const person = this.#seen(request);
    if (history.length >= budget) {
      person.held = null;
      const { explain } = request;
      const output = answered && (await this.#table.ask({ plan, answered, explain, most: 0 }));
      const over = { question: null, why: spentWords(history.length, budget), worth: null, taken: output?.taken ?? null };
      return { state: { ...state, ...over }, ...effectIn(output) };
    }
    const { question, ...found } = await this.#questionFor(person, plan, answered);
    const { taken } = this.#spare;
    if (question === null) {
      const isWithOthers = this.#spare.questions.some((each) => !this.#isFree(person, each));
      const why = isWithOthers
        ? "The questions that are left are with others now."
        : "Nothing more is worth asking: all that this strategy would ask follows from the answers.";
      return { state: { ...state, question: null, why, worth: { questions: 0, why }, taken }, ...found };
    }
    // The name of a question has the form `kind.strategy.rows.hash`. The hash changes when the rows of the table change.
    const name = [question.kind, plan.strategy, question.rows.join("-"), this.#table.hash].join(".");
    const asked = { ...question, question: name, number: history.length + 1 };
    return { state: { ...state, question: asked, why: null, worth: this.#spare.worth, taken }, ...found };
  }

  async #planOf(
    stored: StoredProject,
    { strategy, options, errorRate, budget, seed, about, among, run: number }: RouteRequest<"ask">,
  ): Promise<AskPlanInput> {
    const name = strategy ?? DEFAULT_STRATEGY;
    const found = findStrategy(name);
    if (!found) throw badRequest(`There is no strategy "${name}"; there are ${strategies.map((each) => each.name).join(", ")}.`);
    if (errorRate !== 0 && name !== DEFAULT_STRATEGY)
      throw badOption("errorRate", errorRate, `0 with ${name}, which takes answers as certain`);
    if (found.needsK && stored.k === null)
      throw conflict(
        `${found.title} needs the number of clusters.`,
        "Say how many clusters there are, or choose another strategy.",
      );
    const { runs } = this.#project;
    const shown =
      number === undefined ? await runs.current(stored) : number === null ? null : await runs.ofTheseRows(stored, number);
    return {
      strategy: name,
      options: checkedOptions(found.options, options) as Readonly<Record<string, unknown>>,
      seed,
      // The table can have fewer rows now than when k was chosen.
      k: stored.k === null || found.findsK ? null : Math.min(stored.k, this.#table.facts.n),
      errorRate,
      budget: found.plansBudget ? budget : null,
      about,
      among,
      run: shown ? { number: shown.run.number, labels: shown.labels, letters: shown.letters } : null,
    };
  }

  #seen(request: RouteRequest<"ask">): Person {
    const now = performance.now();
    for (const [name, person] of this.#people) if (now - person.seen > PRESENT_MS) this.#people.delete(name);
    const person = this.#people.get(request.by) ?? { seen: now, request, held: null, waits: false };
    person.seen = now;
    person.request = request;
    this.#people.set(request.by, person);
    return person;
  }

  /** Returns the question that the person already has. If there is none, returns a question that nobody else has. */
  async #questionFor(person: Person, plan: AskPlanInput, answered: AnsweredQuestion | null) {
    const { explain } = person.request;
    const key = `${nameOf(plan)} ${plan.run?.number ?? ""} ${explain}`;
    const active = this.#table.constraintsFor(plan);
    let first: AskOutput | null = null;
    const found = (question: AskedQuestion | null) => ({ question, ...effectIn(first) });
    person.waits = true;
    try {
      for (;;) {
        const isAlone = this.#othersOf(person).length === 0;
        let best: AskOutput | null = null;
        if ((answered && !first) || (isAlone && !isHolding(person, key, active))) {
          best = await this.#table.ask({ plan, answered: first ? null : answered, explain, most: isAlone ? 1 : 0 });
          first ??= best;
          if (this.#computing === answered) this.#computing = null;
          if (isAlone) this.#spare = { plan: key, questions: [], worth: best.worth, taken: best.taken };
        }
        // While this request waited, another request of the same person can have found a question.
        if (isHolding(person, key, active)) return found(person.held!.question);
        const chosen = isAlone ? (best!.questions[0] ?? null) : await this.#nextSpare(key, plan, person);
        if (chosen !== null && !this.#isFree(person, chosen)) continue;
        if (isHolding(person, key, active)) continue;
        person.held = chosen === null ? null : { question: chosen, plan: key, active };
        return found(chosen);
      }
    } finally {
      person.waits = false;
    }
  }

  #known(): KnownPairs {
    this.#pairs ??= new KnownPairs(this.#table.facts);
    return this.#pairs.after(this.#table.log.active);
  }

  /** The other people who have a question or wait for a question. */
  #othersOf(person: Person): Person[] {
    return [...this.#people.values()].filter((each) => each !== person && (each.held !== null || each.waits));
  }

  /** Whether no other person has this question. If so, the caller must give it out at once, without waiting for anything. */
  #isFree(person: Person, { rows }: Pick<AskedQuestion, "rows">): boolean {
    return this.#othersOf(person).every(({ held }) => held === null || keyOf(held.question.rows) !== keyOf(rows));
  }

  /** Takes a question for one person from the shared questions of a plan. If too few questions are left, starts a search. */
  async #nextSpare(key: string, plan: AskPlanInput, person: Person): Promise<AskedQuestion | null> {
    for (let searches = 0; ; searches++) {
      await this.#project.bring(this.#table);
      const pairs = this.#known();
      if (this.#spare.plan !== key) this.#spare = { ...NO_SPARE, plan: key };
      // Drop questions whose answer follows from other answers. If answers can be wrong, keep all questions.
      const spare = this.#spare.questions.filter(({ rows }) => plan.errorRate !== 0 || pairs.isOpen(rows));
      this.#spare.questions = spare;
      const at = spare.findIndex((question) => this.#isFree(person, question));
      const next = at < 0 ? null : spare.splice(at, 1)[0]!;
      if (next && spare.length > AT_ONCE / 2) return next;
      if (searches > 0 || (await this.#isExhausted(key))) return next;
      this.#filling ??= this.#fill(key, plan, this.#table.log.upTo, AT_ONCE + this.#othersOf(person).length / 2).finally(() => {
        this.#filling = null;
      });
      if (next) {
        // This request does not wait for the search, so it ignores an error of the search. Requests that wait report the error.
        this.#filling.catch(() => undefined);
        return next;
      }
      await this.#filling;
    }
  }

  async #fill(key: string, plan: AskPlanInput, upTo: number, most: number): Promise<void> {
    const { questions, worth, taken } = await this.#table.ask({ plan, answered: null, explain: true, most });
    this.#spare = { plan: key, questions: [...questions], worth, taken };
    if (questions.length === 0) this.#exhausted = { plan: key, upTo };
  }

  /** Whether a search for this plan found no more questions. This stays true as long as new entries only add constraints. */
  async #isExhausted(key: string): Promise<boolean> {
    if (this.#exhausted?.plan !== key) return false;
    const since = (await this.#project.entries()).slice(this.#exhausted.upTo);
    return since.every(({ change }) => change.type === "add");
  }

  #named(name: string): NamedQuestion {
    const parts = /^(pair|triplet)\.([a-z0-9-]{1,60})\.(\d{1,9}(?:-\d{1,9}){1,2})\.([0-9a-f]{8})$/.exec(name);
    if (!parts) throw badRequest("This is no question of the studio.");
    const [, kind, strategy, list, hash] = parts as unknown as [string, NamedQuestion["kind"], string, string, string];
    const rows = list.split("-").map(Number);
    if (hash !== this.#table.hash || rows.some((row) => row >= this.#table.facts.n))
      throw conflict("The table is read in another way since this question was asked.", "Ask for the next question.");
    if (rows.length !== (kind === "pair" ? 2 : 3) || new Set(rows).size < rows.length || !findStrategy(strategy))
      throw badRequest("This is no question of the studio.");
    return { kind, strategy, rows };
  }
}

function isHolding({ held }: Person, plan: string, active: readonly ActiveConstraint[]): boolean {
  return held !== null && held.plan === plan && held.active === active;
}

function wordOf({ type }: Constraint): AskState["history"][number] {
  if (type === "must-link") return "same";
  if (type === "cannot-link") return "different";
  return type === "relative" ? "odd" : "unsure";
}

/** The sentence if the budget is spent. If an earlier session had a larger budget, there can be more answers than the budget. */
function spentWords(answered: number, budget: number): string {
  if (answered > budget) return `${answered} questions are answered.`;
  return budget === 1 ? "The question is answered." : `All ${budget} questions are answered.`;
}

function keyOf(rows: readonly number[]): string {
  return [...rows].sort((a, b) => a - b).join(" ");
}

/**
 * What the constraints imply about pairs of rows, computed without a worker. It shows whether a question still needs an answer, and what an
 * answer implies.
 *
 * Exclusive columns are ignored, because only workers hold the table. So some questions are asked although an exclusive column already
 * gives the answer. But no answer becomes wrong.
 */
class KnownPairs {
  readonly #facts: TableFacts;
  readonly #rowOf: ReadonlyMap<string, number> | null;
  #active: readonly ActiveConstraint[] = [];
  /**
   * The first `#base` constraints cannot be taken back one by one. The later constraints can: #marks has a mark in the journal for each.
   */
  #base = 0;
  #marks: number[] = [];
  #journal = new Journal();
  #knowledge: Knowledge;
  readonly #unsure = new Set<string>();

  constructor(facts: TableFacts) {
    this.#facts = facts;
    this.#rowOf = facts.ids === null ? null : new Map(facts.ids.map((id, row) => [String(id), row]));
    this.#knowledge = this.#rebuilt([]);
  }

  /** Replaces the constraints by `active`. If possible, takes back the last constraints and adds the new ones. Otherwise starts again. */
  after(active: readonly ActiveConstraint[]): this {
    const common = commonLength(this.#active, active);
    if (common < this.#base) this.#knowledge = this.#rebuilt(active);
    else if (this.#active !== active) {
      if (common < this.#active.length) this.#journal.rewind(this.#marks[common - this.#base]!);
      this.#marks.length = common - this.#base;
      if (!active.slice(common).every(({ constraint }) => this.#take(constraint))) this.#knowledge = this.#rebuilt(active);
    }
    this.#active = active;
    return this;
  }

  /** Whether the constraints imply nothing about these rows, and nobody answered "unsure" about them. */
  isOpen(rows: readonly number[]): boolean {
    if (this.#unsure.has(keyOf(rows))) return false;
    return rows.length !== 2 || this.#knowledge.relation(rows[0]!, rows[1]!) === null;
  }

  /** Number of other pairs of rows for which this answer decides "same" or "different". */
  impliedBy([a, b, ...more]: readonly number[], answer: QuestionAnswer): number {
    if ((answer !== "same" && answer !== "different") || more.length > 0 || this.#knowledge.relation(a!, b!) !== null) return 0;
    const mark = this.#journal.mark();
    const { impliedPairs } = this.#knowledge.learn(a!, b!, answer);
    this.#journal.rewind(mark);
    return impliedPairs;
  }

  #rebuilt(active: readonly ActiveConstraint[]): Knowledge {
    const pairs = active.filter(({ constraint }) => constraint.type !== "exclusive");
    const { n, ids } = this.#facts;
    const { set } = constraintSetOf(pairs, { n, ...(ids ? { ids } : {}) }, () => {
      throw new Error("Exclusive columns were left out.");
    });
    this.#base = active.length;
    this.#marks = [];
    this.#journal = new Journal();
    this.#unsure.clear();
    for (const { constraint } of active) if (constraint.type === "unsure") this.#unsure.add(this.#keyOf(constraint.rows));
    return new Knowledge(consistentPart(set).set, this.#journal);
  }

  /**
   * Adds a constraint. Returns false if this is not possible, for example because it contradicts other constraints. Then the caller must
   * start again with all constraints.
   */
  #take(constraint: Constraint): boolean {
    this.#marks.push(this.#journal.mark());
    if (constraint.type === "relative") return true;
    if (constraint.type === "unsure") {
      const key = this.#keyOf(constraint.rows);
      if (!this.#unsure.has(key)) this.#journal.did(() => this.#unsure.delete(key));
      this.#unsure.add(key);
      return true;
    }
    if (constraint.type !== "must-link" && constraint.type !== "cannot-link") return false;
    const [a, b] = [this.#row(constraint.a), this.#row(constraint.b)];
    const answer = constraint.type === "must-link" ? "same" : "different";
    const known = this.#knowledge.relation(a, b);
    if (known === null) this.#knowledge.learn(a, b, answer);
    return known === null || known === answer;
  }

  #keyOf(ids: readonly (string | number)[]): string {
    return keyOf(ids.map((id) => this.#row(id)));
  }

  #row(id: string | number): number {
    return this.#rowOf?.get(String(id)) ?? Number(id);
  }
}
