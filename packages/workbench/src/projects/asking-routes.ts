/**
 * Questions and answers. A question's name holds all that its answer needs, so that a server that was killed in between takes the
 * answer all the same. Several people get different questions.
 */
import { DEFAULT_STRATEGY, findStrategy, Journal, Knowledge, type QuestionAnswer, strategies } from "@coterie/core/internal";
import type { AnswerOutput, AskedQuestion } from "../compute/ask.js";
import type { AskPlanInput } from "../compute/ask-session.js";
import { consistentPart } from "../compute/known.js";
import type { TableFacts } from "../compute/tasks.js";
import { constraintSetOf, type Said } from "../knowledge/constraint-set.js";
import { type AskState, constraintOf, type QuestionReply } from "../protocol/asking.js";
import type { Constraint, KnowledgeReply } from "../protocol/knowledge.js";
import type { RouteReply, RouteRequest } from "../protocol/routes.js";
import type { StoredProject } from "../store/store.js";
import { type Desk, factsOf, logOf, projectOf, sourceOf, standsIn } from "./desk.js";
import { keep } from "./knowledge-routes.js";
import { badRequest, conflict } from "./problems.js";
import { currentRun, runOfTheseRows } from "./run-rows.js";

/** Somebody who asked within this time is still there, and may be thinking about a question. */
const PRESENT_MS = 300_000;

interface Person {
  seen: number;
  plan: RouteRequest<"ask">;
  held: { readonly question: AskedQuestion; readonly word: string } | null;
  /** Whether a question is being chosen for them. */
  waits: boolean;
}

interface Room {
  readonly people: Map<string, Person>;
  /** Questions that were found and not given to anybody yet, for a plan. */
  spare: { plan: string; questions: AskedQuestion[]; worth: number | null };
  /** The search that fills them, which all who wait share. */
  filling: Promise<void> | null;
  /** Nothing was left to ask for this plan after so many entries. */
  exhausted: { readonly plan: string; readonly upTo: number } | null;
  /** Whether the effect of an answer is being worked out. */
  working: boolean;
  /** What is known, in the state that was looked at last. */
  known: { readonly said: readonly Said[]; readonly facts: TableFacts; readonly pairs: KnownPairs } | null;
}

type Effect = Omit<AnswerOutput, "implied"> & { readonly implied: number; readonly busy?: true };

const rooms = new WeakMap<Desk, Map<string, Room>>();

function roomOf(desk: Desk, id: string): Room {
  const all = rooms.get(desk) ?? new Map<string, Room>();
  rooms.set(desk, all);
  const known: Room = all.get(id) ?? {
    people: new Map(),
    spare: { plan: "", questions: [], worth: null },
    filling: null,
    exhausted: null,
    working: false,
    known: null,
  };
  all.set(id, known);
  return known;
}

/** Of a project that is deleted: another of the same name begins anew. */
export function forgetQuestions(desk: Desk, id: string): void {
  rooms.get(desk)?.delete(id);
}

export async function ask(desk: Desk, request: RouteRequest<"ask">): Promise<AskState> {
  const project = await projectOf(desk, request.project);
  return await nextFor(desk, project, request);
}

async function planOf(
  desk: Desk,
  project: StoredProject,
  { strategy, seed, about, run: number }: RouteRequest<"ask">,
): Promise<AskPlanInput> {
  const name = strategy ?? DEFAULT_STRATEGY;
  const found = findStrategy(name);
  if (!found) throw badRequest(`There is no strategy "${name}"; there are ${strategies.map((each) => each.name).join(", ")}.`);
  if (found.needsK && project.k === null)
    throw conflict(
      `${found.title} needs the number of clusters.`,
      "Say how many clusters there are, or choose another strategy.",
    );
  const shown =
    number === undefined ? await currentRun(desk, project) : number === null ? null : await runOfTheseRows(desk, project, number);
  const run = shown ? { number: shown.run.number, labels: shown.labels, letters: shown.letters } : null;
  // The table may be read in another way since k was chosen, with fewer rows.
  const k = project.k === null ? null : Math.min(project.k, (await factsOf(desk, project)).n);
  return { strategy: name, seed, k, about, run };
}

/** The answers of somebody that stand, oldest first: asked and not taken back. */
function answersOf({ constraints }: KnowledgeReply, by: string) {
  return constraints.filter((standing) => standing.by === by && standing.from.kind === "asked");
}

function wordOf({ constraint }: { readonly constraint: Constraint }): AskState["history"][number] {
  if (constraint.type === "must-link") return "same";
  if (constraint.type === "cannot-link") return "different";
  return constraint.type === "relative" ? "odd" : "unsure";
}

async function nextFor(desk: Desk, project: StoredProject, request: RouteRequest<"ask">): Promise<AskState> {
  const { by, budget } = request;
  const plan = await planOf(desk, project, request);
  const { knowledge, said } = await standsIn(desk, project);
  const history = answersOf(knowledge, by).map(wordOf);
  const state = { strategy: plan.strategy, budget, answered: history.length, history };
  const room = roomOf(desk, project.id);
  const person = seen(room, by, request);
  if (history.length >= budget) {
    person.held = null;
    return { ...state, question: null, why: spentWords(history.length, budget), worth: null };
  }
  const question = await questionFor(desk, project, room, person, plan, said);
  if (question === null) {
    const isWithOthers = room.spare.questions.some((each) => !isFree(room, person, each));
    const why = isWithOthers
      ? "The questions that are left are with others now."
      : "Nothing more is worth asking: all that this strategy would ask follows from the answers.";
    return { ...state, question: null, why, worth: 0 };
  }
  const name = await questionName(desk, project, plan.strategy, question);
  return { ...state, question: { ...question, question: name, number: history.length + 1 }, why: null, worth: room.spare.worth };
}

/** More may be answered than are wanted now: in an earlier sitting. */
function spentWords(answered: number, budget: number): string {
  if (answered > budget) return `${answered} questions are answered.`;
  return budget === 1 ? "The question is answered." : `All ${budget} questions are answered.`;
}

function seen({ people }: Room, by: string, plan: RouteRequest<"ask">): Person {
  const now = performance.now();
  for (const [name, person] of people) if (now - person.seen > PRESENT_MS) people.delete(name);
  const person = people.get(by) ?? { seen: now, plan, held: null, waits: false };
  person.seen = now;
  person.plan = plan;
  people.set(by, person);
  return person;
}

/** The question that somebody holds already, or one that nobody else holds. */
async function questionFor(
  desk: Desk,
  project: StoredProject,
  room: Room,
  person: Person,
  plan: AskPlanInput,
  said: readonly Said[],
): Promise<AskedQuestion | null> {
  // What was found for other rows is no question about these.
  const planWord = JSON.stringify([
    plan.strategy,
    plan.seed,
    plan.k,
    plan.about,
    plan.run?.number ?? null,
    await tableWord(desk, project),
  ]);
  const word = `${planWord} ${said.map(({ entry }) => entry).join(" ")}`;
  person.waits = true;
  try {
    for (;;) {
      // Another request of the same person may have been faster.
      if (person.held?.word === word) return person.held.question;
      const others = othersIn(room, person);
      const chosen =
        others.length === 0
          ? await bestNow(desk, project, room, planWord, plan, said)
          : await nextSpare(desk, project, room, planWord, plan, person);
      if (chosen !== null && !isFree(room, person, chosen)) continue;
      if (person.held?.word === word) continue;
      person.held = chosen === null ? null : { question: chosen, word };
      return chosen;
    }
  } finally {
    person.waits = false;
  }
}

/** Everybody else who has a question or is about to get one. */
function othersIn({ people }: Room, person: Person): Person[] {
  return [...people.values()].filter((each) => each !== person && (each.held !== null || each.waits));
}

/** Whether nobody else holds a question. Nothing may be awaited between this and holding it. */
function isFree(room: Room, person: Person, question: Pick<AskedQuestion, "rows">): boolean {
  const rows = rowsWord(question);
  return othersIn(room, person).every(({ held }) => held === null || rowsWord(held.question) !== rows);
}

/** One who is alone always gets the question that is best now. */
async function bestNow(
  desk: Desk,
  project: StoredProject,
  room: Room,
  planWord: string,
  plan: AskPlanInput,
  said: readonly Said[],
): Promise<AskedQuestion | null> {
  const { questions, worth } = await desk.compute.run(sourceOf(desk, project), "ask", { plan, said, most: 1 });
  room.spare = { plan: planWord, questions: [], worth };
  return questions[0] ?? null;
}

/** So many questions are looked for at once where several people answer; with fewer left than that half, the next search begins. */
const AT_ONCE = 24;

/** Many share what was found for all of them: what is still open comes next, and a search is made when nothing is left. */
async function nextSpare(
  desk: Desk,
  project: StoredProject,
  room: Room,
  planWord: string,
  plan: AskPlanInput,
  person: Person,
): Promise<AskedQuestion | null> {
  const facts = await factsOf(desk, project);
  for (let searches = 0; ; searches++) {
    const { knowledge, said } = await standsIn(desk, project);
    const known = knownIn(room, said, facts);
    if (room.spare.plan !== planWord) room.spare = { plan: planWord, questions: [], worth: null };
    room.spare.questions = room.spare.questions.filter(({ rows }) => known.isOpen(rows));
    const at = room.spare.questions.findIndex((question) => isFree(room, person, question));
    const next = at < 0 ? null : room.spare.questions.splice(at, 1)[0]!;
    if (next && room.spare.questions.length > AT_ONCE / 2) return next;
    if (searches > 0 || (await isExhausted(desk, project, room, planWord))) return next;
    room.filling ??= fill(
      desk,
      project,
      room,
      planWord,
      plan,
      said,
      knowledge.upTo,
      AT_ONCE + othersIn(room, person).length / 2,
    ).finally(() => {
      room.filling = null;
    });
    if (next) {
      // Whoever comes next waits for nobody; a search that fails is told to one who does.
      room.filling.catch(() => undefined);
      return next;
    }
    await room.filling;
  }
}

async function fill(
  desk: Desk,
  project: StoredProject,
  room: Room,
  planWord: string,
  plan: AskPlanInput,
  said: readonly Said[],
  upTo: number,
  most: number,
): Promise<void> {
  const { questions, worth } = await desk.compute.run(sourceOf(desk, project), "ask", { plan, said, most });
  room.spare = { plan: planWord, questions: [...questions], worth };
  if (questions.length === 0) room.exhausted = { plan: planWord, upTo };
}

/** What was known stays known as long as entries only add to it. */
async function isExhausted(desk: Desk, { id }: StoredProject, { exhausted }: Room, planWord: string): Promise<boolean> {
  if (exhausted?.plan !== planWord) return false;
  const since = (await logOf(desk, id)).slice(exhausted.upTo);
  return since.every(({ change }) => change.type === "add");
}

/** What is known by now: what was said since the last look is taken in, where nothing was taken back. */
function knownIn(room: Room, said: readonly Said[], facts: TableFacts): KnownPairs {
  const { known } = room;
  if (known?.said === said) return known.pairs;
  const grows =
    known !== null &&
    known.facts === facts &&
    said.length >= known.said.length &&
    said[known.said.length - 1] === known.said.at(-1);
  const pairs = grows && known.pairs.learn(said.slice(known.said.length)) ? known.pairs : knownPairsOf(said, facts);
  room.known = { said, facts, pairs };
  return pairs;
}

function rowsWord({ rows }: Pick<AskedQuestion, "rows">): string {
  return [...rows].sort((a, b) => a - b).join(" ");
}

/** `kind.strategy.rows.table`: the last part tells whether the rows are still the same. */
async function questionName(
  desk: Desk,
  project: StoredProject,
  strategy: string,
  { kind, rows }: AskedQuestion,
): Promise<string> {
  return [kind, strategy, rows.join("-"), await tableWord(desk, project)].join(".");
}

/** Which rows there are and what names them, in eight letters. */
async function tableWord(desk: Desk, project: StoredProject): Promise<string> {
  const facts = await factsOf(desk, project);
  const names = JSON.stringify([project.data.sha256, project.reading.id]);
  const known = tableWords.get(facts);
  if (known?.names === names) return known.word;
  const word = hashOf(JSON.stringify([names, facts.n, facts.rows && [...facts.rows]]));
  tableWords.set(facts, { names, word });
  return word;
}

const tableWords = new WeakMap<TableFacts, { readonly names: string; readonly word: string }>();

function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

interface Named {
  readonly kind: QuestionReply["kind"];
  readonly strategy: string;
  readonly rows: readonly number[];
}

async function namedQuestion(desk: Desk, project: StoredProject, name: string): Promise<Named> {
  const parts = /^(pair|triplet)\.([a-z0-9-]{1,60})\.(\d{1,9}(?:-\d{1,9}){1,2})\.([0-9a-f]{8})$/.exec(name);
  if (!parts) throw badRequest("This is no question of the studio.");
  const [, kind, strategy, list, table] = parts as unknown as [string, Named["kind"], string, string, string];
  const rows = list.split("-").map(Number);
  const { n } = await factsOf(desk, project);
  if (table !== (await tableWord(desk, project)) || rows.some((row) => row >= n))
    throw conflict("The table is read in another way since this question was asked.", "Ask for the next question.");
  if (rows.length !== (kind === "pair" ? 2 : 3) || new Set(rows).size < rows.length || !findStrategy(strategy))
    throw badRequest("This is no question of the studio.");
  return { kind, strategy, rows };
}

const NO_SUCH_ANSWER = {
  pair: "Two rows are the same, different, or not known.",
  triplet: "Of three rows, the odd one is a, b or c, or not known.",
} as const;

export async function answer(desk: Desk, request: RouteRequest<"answer">): Promise<RouteReply<"answer">> {
  const { by, answer: given, id } = request;
  const project = await projectOf(desk, request.project);
  const named = await namedQuestion(desk, project, request.question);
  const facts = await factsOf(desk, project);
  const ids = named.rows.map((row) => facts.ids?.[row] ?? row);
  const constraint = constraintOf(named.kind, ids, given);
  if (constraint === null) throw badRequest(NO_SUCH_ANSWER[named.kind]);
  const before = await standsIn(desk, project);
  const number = answersOf(before.knowledge, by).length + 1;
  const room = roomOf(desk, project.id);
  // Looked at before the answer is kept: afterwards the pair itself is known.
  const known = knownIn(room, before.said, facts);
  const implied = given === "same" || given === "different" ? known.impliedBy(named.rows, given) : 0;
  const [entry] = await keep(desk, project, [
    { id, by, from: { kind: "asked", strategy: named.strategy, number }, change: { type: "add", constraint } },
  ]);
  if (entry!.change.type !== "add" || JSON.stringify(entry!.change.constraint) !== JSON.stringify(constraint))
    throw conflict("An entry with this id says something else already.");
  const person = room.people.get(by);
  if (person) person.held = null;
  const plan = person?.plan ?? { project: project.id, by, budget: 20, seed: 0, about: null, strategy: named.strategy };
  const effect = await effectOf(desk, project, room, plan, before.said, { rows: named.rows, answer: given }, implied);
  return { entry: entry!, ...effect, next: await nextFor(desk, project, plan) };
}

/**
 * What an answer changed. Where another's answer is being worked out already, nobody waits: several people at once move things
 * together, and what one answer did could not be told apart.
 */
async function effectOf(
  desk: Desk,
  project: StoredProject,
  room: Room,
  request: RouteRequest<"ask">,
  before: readonly Said[],
  given: { readonly rows: readonly number[]; readonly answer: QuestionAnswer },
  impliedPairs: number,
): Promise<Effect> {
  if (room.working)
    return {
      moved: [],
      implied: impliedPairs,
      clusterings: { before: null, after: null },
      broken: { before: 0, after: 0 },
      busy: true,
    };
  room.working = true;
  try {
    const { said } = await standsIn(desk, project);
    const plan = await planOf(desk, project, request);
    const input = { plan, before, after: said, ...given };
    const { implied, ...effect } = await desk.compute.run(sourceOf(desk, project), "answer", input);
    return { ...effect, implied: implied ?? impliedPairs };
  } finally {
    room.working = false;
  }
}

/* What is known about pairs of rows, without a worker: for questions that wait, and for what an answer implies. */

interface KnownPairs {
  /** Whether nothing is known about two rows, and nobody was asked in vain. */
  isOpen(rows: readonly number[]): boolean;
  /** Pairs that an answer about two rows implies, beside the pair itself. */
  impliedBy(rows: readonly number[], answer: "same" | "different"): number;
  /** Takes in what was said since; false where it denies what is known, or is about more than two rows: then all must be looked at. */
  learn(more: readonly Said[]): boolean;
}

/** Exclusive columns are left to the workers, who hold the table: what they keep apart may be asked about once too often, never wrongly. */
function knownPairsOf(said: readonly Said[], facts: TableFacts): KnownPairs {
  const speaking = said.filter(({ constraint }) => constraint.type !== "exclusive");
  const instances = { n: facts.n, ...(facts.ids ? { ids: facts.ids } : {}) };
  const { set } = constraintSetOf(speaking, instances, () => {
    throw new Error("Exclusive columns were left out.");
  });
  const journal = new Journal();
  const knowledge = new Knowledge(consistentPart(set).set, journal);
  const rowOf = facts.ids === null ? null : new Map(facts.ids.map((id, row) => [String(id), row]));
  const row = (id: string | number): number => rowOf?.get(String(id)) ?? Number(id);
  const unsure = new Set<string>();
  const notKnown = ({ constraint }: Said) => constraint.type === "unsure" && unsure.add(keyOf(constraint.rows.map(row)));
  said.forEach(notKnown);
  const take = (each: Said): boolean => {
    const { constraint } = each;
    if (constraint.type === "unsure") return notKnown(each) !== false;
    if (constraint.type !== "must-link" && constraint.type !== "cannot-link") return constraint.type === "relative";
    const [a, b] = [row(constraint.a), row(constraint.b)];
    const says = constraint.type === "must-link" ? "same" : "different";
    const known = knowledge.relation(a, b);
    if (known === null) knowledge.learn(a, b, says);
    return known === null || known === says;
  };
  return {
    isOpen: (rows) => !unsure.has(keyOf(rows)) && (rows.length !== 2 || knowledge.relation(rows[0]!, rows[1]!) === null),
    impliedBy(rows, answer) {
      if (rows.length !== 2 || knowledge.relation(rows[0]!, rows[1]!) !== null) return 0;
      const mark = journal.mark();
      const { impliedPairs } = knowledge.learn(rows[0]!, rows[1]!, answer);
      journal.rewind(mark);
      return impliedPairs;
    },
    learn: (more) => more.every(take),
  };
}

function keyOf(rows: readonly number[]): string {
  return [...rows].sort((a, b) => a - b).join(" ");
}
