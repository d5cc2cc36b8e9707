/**
 * Questions and answers. A question's name holds all that its answer needs, so that a server that was killed in between takes the
 * answer all the same. Several people get different questions.
 */
import { DEFAULT_STRATEGY, findStrategy, Journal, Knowledge, type QuestionAnswer, strategies } from "@coterie/core/internal";
import type { AnswerEffect, AnsweredQuestion, AskedQuestion, AskOutput } from "../compute/ask.js";
import type { AskPlanInput } from "../compute/ask-session.js";
import { consistentPart } from "../compute/known.js";
import type { TableFacts } from "../compute/tasks.js";
import { type ActiveConstraint, commonLength } from "../log/constraint-log.js";
import { constraintSetOf } from "../log/constraint-set.js";
import { type AskState, constraintOf, type QuestionReply } from "../protocol/asking.js";
import type { Constraint } from "../protocol/knowledge.js";
import type { RouteReply, RouteRequest } from "../protocol/routes.js";
import type { StoredProject } from "../store/store.js";
import type { CurrentTable } from "./current-table.js";
import type { OpenProject } from "./open-project.js";
import { badRequest, conflict } from "./problems.js";

/** Somebody who asked within this time is still there, and may be thinking about a question. */
const PRESENT_MS = 300_000;

/** Where several people answer, this many questions are looked for at once; with fewer than half of them left, the next search begins. */
const AT_ONCE = 24;

interface Person {
  seen: number;
  request: RouteRequest<"ask">;
  held: { readonly question: AskedQuestion; readonly plan: string; readonly active: readonly ActiveConstraint[] } | null;
  /** Whether a question is being chosen for them. */
  waits: boolean;
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

/** The questions about a table as it is read now. */
export class Questions {
  readonly #table: CurrentTable;
  readonly #project: OpenProject;
  readonly #people = new Map<string, Person>();
  /** Questions that were found for a plan and given to nobody yet. */
  #spare: { plan: string; questions: AskedQuestion[]; worth: number | null } = { plan: "", questions: [], worth: null };
  /** The search that fills them, which all who wait share. */
  #filling: Promise<void> | null = null;
  /** Nothing was left to ask for this plan after this many entries. */
  #exhausted: { readonly plan: string; readonly upTo: number } | null = null;
  /** The answer whose effect is being computed. */
  #computing: AnsweredQuestion | null = null;
  #pairs: KnownPairs | null = null;

  constructor(project: OpenProject, table: CurrentTable) {
    this.#project = project;
    this.#table = table;
  }

  async ask(stored: StoredProject, request: RouteRequest<"ask">): Promise<AskState> {
    return (await this.#nextFor(stored, request, null)).state;
  }

  async answer(stored: StoredProject, { by, answer, id, question }: RouteRequest<"answer">): Promise<RouteReply<"answer">> {
    const named = this.#named(question);
    const { facts } = this.#table;
    const ids = named.rows.map((row) => facts.ids?.[row] ?? row);
    const constraint = constraintOf(named.kind, ids, answer);
    if (constraint === null) throw badRequest(NO_SUCH_ANSWER[named.kind]);
    const number = this.#table.log.answersOf(by).length + 1;
    // Looked at before the answer is kept: afterwards the pair itself is known.
    const implied = this.#known().impliedBy(named.rows, answer);
    const [entry] = await this.#project.keep([
      { id, by, from: { kind: "asked", strategy: named.strategy, number }, change: { type: "add", constraint } },
    ]);
    if (entry!.change.type !== "add" || JSON.stringify(entry!.change.constraint) !== JSON.stringify(constraint))
      throw conflict("An entry with this id says something else already.");
    const person = this.#people.get(by);
    if (person) person.held = null;
    const request = person?.request ?? { project: stored.id, by, budget: 20, seed: 0, about: null, strategy: named.strategy };
    if (this.#computing) {
      // Nobody waits for another's answer: where several people move things together, what one answer did could not be separated.
      const none = { clusterings: { before: null, after: null }, broken: { before: 0, after: 0 } };
      const { state } = await this.#nextFor(stored, request, null);
      return { entry: entry!, moved: [], implied, ...none, busy: true, next: state };
    }
    const answered = { entry: id, rows: named.rows, answer };
    this.#computing = answered;
    try {
      const { state, effect } = await this.#nextFor(stored, request, answered);
      return { entry: entry!, ...effect!, implied: effect!.implied ?? implied, next: state };
    } finally {
      if (this.#computing === answered) this.#computing = null;
    }
  }

  /** The next question of somebody, and the effect of an answer: one trip to the worker where nobody else asks. */
  async #nextFor(
    stored: StoredProject,
    request: RouteRequest<"ask">,
    answered: AnsweredQuestion | null,
  ): Promise<{ readonly state: AskState; readonly effect: AnswerEffect | null }> {
    const { by, budget } = request;
    const plan = await this.#planOf(stored, request);
    await this.#project.bring(this.#table);
    const history = this.#table.log.answersOf(by).map(wordOf);
    const state = { strategy: plan.strategy, budget, answered: history.length, history };
    const person = this.#seen(request);
    if (history.length >= budget) {
      person.held = null;
      const effect = answered && (await this.#table.ask({ plan, answered, most: 0 })).effect;
      return { state: { ...state, question: null, why: spentWords(history.length, budget), worth: null }, effect };
    }
    const { question, effect } = await this.#questionFor(person, plan, answered);
    if (question === null) {
      const isWithOthers = this.#spare.questions.some((each) => !this.#isFree(person, each));
      const why = isWithOthers
        ? "The questions that are left are with others now."
        : "Nothing more is worth asking: all that this strategy would ask follows from the answers.";
      return { state: { ...state, question: null, why, worth: 0 }, effect };
    }
    // `kind.strategy.rows.table`: the last part changes with the rows.
    const name = [question.kind, plan.strategy, question.rows.join("-"), this.#table.hash].join(".");
    const asked = { ...question, question: name, number: history.length + 1 };
    return { state: { ...state, question: asked, why: null, worth: this.#spare.worth }, effect };
  }

  async #planOf(stored: StoredProject, { strategy, seed, about, run: number }: RouteRequest<"ask">): Promise<AskPlanInput> {
    const name = strategy ?? DEFAULT_STRATEGY;
    const found = findStrategy(name);
    if (!found) throw badRequest(`There is no strategy "${name}"; there are ${strategies.map((each) => each.name).join(", ")}.`);
    if (found.needsK && stored.k === null)
      throw conflict(
        `${found.title} needs the number of clusters.`,
        "Say how many clusters there are, or choose another strategy.",
      );
    const { runs } = this.#project;
    const shown =
      number === undefined ? await runs.current(stored) : number === null ? null : await runs.ofTheseRows(stored, number);
    const run = shown ? { number: shown.run.number, labels: shown.labels, letters: shown.letters } : null;
    // The table may be read in another way since k was chosen, with fewer rows.
    const k = stored.k === null ? null : Math.min(stored.k, this.#table.facts.n);
    return { strategy: name, seed, k, about, run };
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

  /** The question that somebody holds already, or one that nobody else holds. */
  async #questionFor(person: Person, plan: AskPlanInput, answered: AnsweredQuestion | null) {
    const { strategy, seed, k, about, run } = plan;
    const key = JSON.stringify([strategy, seed, k, about, run?.number ?? null]);
    const { active } = this.#table.log;
    let effect: AnswerEffect | null = null;
    person.waits = true;
    try {
      for (;;) {
        const isAlone = this.#othersOf(person).length === 0;
        let best: AskOutput | null = null;
        if ((answered && !effect) || (isAlone && !isHolding(person, key, active))) {
          best = await this.#table.ask({ plan, answered: effect ? null : answered, most: isAlone ? 1 : 0 });
          effect ??= best.effect;
          if (this.#computing === answered) this.#computing = null;
          if (isAlone) this.#spare = { plan: key, questions: [], worth: best.worth };
        }
        // Another request of the same person may have been faster.
        if (isHolding(person, key, active)) return { question: person.held!.question, effect };
        const chosen = isAlone ? (best!.questions[0] ?? null) : await this.#nextSpare(key, plan, person);
        if (chosen !== null && !this.#isFree(person, chosen)) continue;
        if (isHolding(person, key, active)) continue;
        person.held = chosen === null ? null : { question: chosen, plan: key, active };
        return { question: chosen, effect };
      }
    } finally {
      person.waits = false;
    }
  }

  #known(): KnownPairs {
    this.#pairs ??= new KnownPairs(this.#table.facts);
    return this.#pairs.after(this.#table.log.active);
  }

  /** Everybody else who has a question or is about to get one. */
  #othersOf(person: Person): Person[] {
    return [...this.#people.values()].filter((each) => each !== person && (each.held !== null || each.waits));
  }

  /** Whether nobody else holds a question. Nothing may be awaited between this and holding it. */
  #isFree(person: Person, { rows }: Pick<AskedQuestion, "rows">): boolean {
    return this.#othersOf(person).every(({ held }) => held === null || keyOf(held.question.rows) !== keyOf(rows));
  }

  /** Several people share what was found for all of them: what is still open comes next, and a search is made when nothing is left. */
  async #nextSpare(key: string, plan: AskPlanInput, person: Person): Promise<AskedQuestion | null> {
    for (let searches = 0; ; searches++) {
      await this.#project.bring(this.#table);
      const pairs = this.#known();
      if (this.#spare.plan !== key) this.#spare = { plan: key, questions: [], worth: null };
      const spare = this.#spare.questions.filter(({ rows }) => pairs.isOpen(rows));
      this.#spare.questions = spare;
      const at = spare.findIndex((question) => this.#isFree(person, question));
      const next = at < 0 ? null : spare.splice(at, 1)[0]!;
      if (next && spare.length > AT_ONCE / 2) return next;
      if (searches > 0 || (await this.#isExhausted(key))) return next;
      this.#filling ??= this.#fill(key, plan, this.#table.log.upTo, AT_ONCE + this.#othersOf(person).length / 2).finally(() => {
        this.#filling = null;
      });
      if (next) {
        // Whoever comes next waits for nobody; a search that fails is reported to somebody who waits.
        this.#filling.catch(() => undefined);
        return next;
      }
      await this.#filling;
    }
  }

  async #fill(key: string, plan: AskPlanInput, upTo: number, most: number): Promise<void> {
    const { questions, worth } = await this.#table.ask({ plan, answered: null, most });
    this.#spare = { plan: key, questions: [...questions], worth };
    if (questions.length === 0) this.#exhausted = { plan: key, upTo };
  }

  /** Nothing is left to ask as long as entries only add constraints. */
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

/** More may be answered than are wanted now: in an earlier sitting. */
function spentWords(answered: number, budget: number): string {
  if (answered > budget) return `${answered} questions are answered.`;
  return budget === 1 ? "The question is answered." : `All ${budget} questions are answered.`;
}

function keyOf(rows: readonly number[]): string {
  return [...rows].sort((a, b) => a - b).join(" ");
}

/**
 * What is known about pairs of rows, without a worker: for questions that wait, and for what an answer implies. Exclusive columns are
 * left to the workers, who hold the table: a pair that they keep apart may be asked about once too often, never wrongly.
 */
class KnownPairs {
  readonly #facts: TableFacts;
  readonly #rowOf: ReadonlyMap<string, number> | null;
  #active: readonly ActiveConstraint[] = [];
  /** The constraints after these many can be taken back one by one, to these marks of the journal. */
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

  /** What is known under these constraints: the last ones are taken back, and more are taken in, where that is possible. */
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

  /** Whether nothing is known about some rows, and nobody was asked in vain. */
  isOpen(rows: readonly number[]): boolean {
    if (this.#unsure.has(keyOf(rows))) return false;
    return rows.length !== 2 || this.#knowledge.relation(rows[0]!, rows[1]!) === null;
  }

  /** Pairs that an answer implies, beside the pair itself. */
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

  /** False where a constraint contradicts what is known, or is about more than pairs of rows: then all must be looked at. */
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
