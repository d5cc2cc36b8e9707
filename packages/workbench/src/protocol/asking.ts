/** Questions and answers: one queue and one log, shared by everybody who answers. */
import { z } from "zod";
import { constraint, entry, provenance } from "./knowledge.js";
import { entryId, errorRate, name, row, rowId, runNumber } from "./words.js";

export const askPlan = z.strictObject({
  by: name,
  strategy: z.string().max(100).optional(),
  /** Options of the strategy; reply `info` has their schema. */
  options: z.record(z.string().max(100), z.unknown()).default({}),
  budget: z.int().min(0).default(20),
  /** If above 0, answers sent with this rate are evidence, which other answers can outweigh. */
  errorRate: errorRate.default(0),
  seed: z.int().default(0),
  /** The run on the user's screen: questions name its clusters. Default: the newest run; null for none. */
  run: runNumber.nullable().optional(),
  /** Ask only about rows of this cluster of that run; null to ask about any row. */
  about: z.int().min(0).nullable().default(null),
  /** Questions are chosen among this many rows. A larger table is reduced to an even sample and the rows that constraints name. */
  among: z.int().min(2).default(2_000),
  /** Whether questions come with reasons, and answers with their effects. Each needs one more clustering. */
  explain: z.boolean().default(true),
});

export type AskPlan = z.input<typeof askPlan>;

export const question = z.object({
  /** Names the question until it is answered. */
  question: z.string(),
  number: z.int().min(1),
  kind: z.enum(["pair", "triplet"]),
  rows: z.array(row).min(2).max(3),
  ids: z.array(rowId).min(2).max(3),
  /** The clusters of the question's rows, as letters of the run: 0 for A, -1 for none. */
  letters: z.array(z.int()).max(3),
  /** Why the question is asked, in a sentence. */
  why: z.string(),
  /** For each answer, the number of other pairs that it would settle. */
  settles: z.record(z.string(), z.int()),
});

export type QuestionReply = z.infer<typeof question>;

/** An estimate of the number of questions that are worth asking, and the reason in a sentence. */
const worth = z.object({ questions: z.int(), why: z.string() });

export type Worth = z.infer<typeof worth>;

export const askState = z.object({
  strategy: z.string(),
  budget: z.int(),
  answered: z.int(),
  /** Null when nothing is worth asking or the budget is spent; then `why` says which. */
  question: question.nullable(),
  why: z.string().nullable(),
  /** Null if nobody asked for explanations. */
  worth: worth.nullable(),
  /**
   * Number of the newest answers that the session took one by one; all older answers were its initial constraints. Null if no session was
   * needed.
   */
  taken: z.int().nullable(),
  /** Answers of this session, oldest first, for the budget bar. */
  history: z.array(z.enum(["same", "different", "unsure", "odd"])),
});

export type AskState = z.infer<typeof askState>;

const given = z.enum(["same", "different", "unsure", "a", "b", "c"]);

export type GivenAnswer = z.infer<typeof given>;

/** One person's or program's answer, where several answer the same question. */
const vote = z.strictObject({ answer: given, ...provenance.pick({ confidence: true, why: true }).shape });

export type Vote = z.infer<typeof vote>;

export const answer = z.strictObject({
  question: z.string().max(200),
  /** An answer; or the answers of several people, of which the most frequent counts. */
  answer: z.union([given, z.array(vote).min(1).max(1_000)]),
  by: name,
  /** The entry's id, made by the client. */
  id: entryId,
  ...provenance.pick({ program: true, remembered: true, evidence: true }).shape,
  /** If set, an answer that contradicts earlier answers is saved as "unsure". Otherwise it is refused. */
  orUnsure: z.literal(true).optional(),
  /** Whether to compute what the answer changes. Default: `explain` of the plan. */
  explain: z.boolean().optional(),
});

/** What an answer changed. The server sends it only after the answer is on disk. */
export const answered = z.object({
  entry,
  /** Rows that moved in the clustering behind the questions, which is not a run. `from` and `to` are letters, 0 for A. */
  moved: z.array(z.object({ row, id: rowId, from: z.int(), to: z.int() })),
  /** The sizes of the two groups of rows that the answer joined; null if it joined none. */
  joined: z.tuple([z.int(), z.int()]).nullable(),
  implied: z.int(),
  /** Logarithms to base 10 of the number of clusterings of all rows that remain; null if not known. An answer never raises it. */
  clusterings: z.object({ before: z.number().nullable(), after: z.number().nullable() }),
  broken: z.object({ before: z.int(), after: z.int() }),
  /**
   * Set if `moved` is not known: several people answer at once, no explanation was requested, or the clusters before the answer were not
   * computed.
   */
  unexplained: z.literal(true).optional(),
  /** How long it took to explain the answer and the next question. */
  milliseconds: z.number(),
  next: askState,
});

export type Answered = z.infer<typeof answered>;

/** The clusters that follow from the answers to a plan's questions. */
export const asked = z.object({
  /** The report that `coterie ask --json` prints: it includes the number of answers, and the answers that other answers outweigh. */
  report: z.record(z.string(), z.unknown()),
  /** The constraints under which the clusters were made: first the given constraints, then the constraints from answers. */
  constraints: z.array(constraint),
  /** As `taken` in `askState`. */
  taken: z.int(),
});

export type Asked = z.infer<typeof asked>;
