/** Questions and answers. Everybody who answers a project shares its questions and its log. */
import { z } from "zod";
import { constraint, entry, provenance } from "./knowledge.js";
import { entryId, errorRate, name, row, rowId, runNumber } from "./words.js";

export const askPlan = z.strictObject({
  by: name,
  strategy: z.string().max(100).optional(),
  /** Options of the strategy. The reply to `info` has their JSON schema. */
  options: z.record(z.string().max(100), z.unknown()).default({}),
  budget: z.int().min(0).default(20),
  /** The probability that an answer is wrong. If it is above 0, other answers can outweigh an answer. */
  errorRate: errorRate.default(0),
  seed: z.int().default(0),
  /** The run on the user's screen. Questions name its clusters. Default: the newest run; null: no run. */
  run: runNumber.nullable().optional(),
  /** A cluster of this run. All questions are about rows of this cluster. Null: questions are about any rows. */
  about: z.int().min(0).nullable().default(null),
  /** If the table has more rows than this, questions are only about some rows: the rows that constraints name, and an even sample. */
  among: z.int().min(2).default(2_000),
  /** Whether each question comes with its reason, and each answer with its effect. Both need a clustering, which takes time. */
  explain: z.boolean().default(true),
});

export type AskPlan = z.input<typeof askPlan>;

export const question = z.object({
  /** The name of the question. An answer refers to the question by this name. */
  question: z.string(),
  number: z.int().min(1),
  kind: z.enum(["pair", "triplet"]),
  rows: z.array(row).min(2).max(3),
  ids: z.array(rowId).min(2).max(3),
  letters: z.array(z.int()).max(3),
  why: z.string(),
  /** For each possible answer: the number of other pairs of rows that it would settle, together or apart. */
  settles: z.record(z.string(), z.int()),
});

export type QuestionReply = z.infer<typeof question>;

/** An estimate of the number of questions that are still worth asking. why: the reason, as a sentence. */
const worth = z.object({ questions: z.int(), why: z.string() });

export type Worth = z.infer<typeof worth>;

export const askState = z.object({
  strategy: z.string(),
  budget: z.int(),
  answered: z.int(),
  /** The next question. Null if nothing is worth asking or if the budget is spent; `why` says which of the two. */
  question: question.nullable(),
  why: z.string().nullable(),
  /** How many more questions are worth asking; null if nobody asked for explanations. */
  worth: worth.nullable(),
  /**
   * Number of answers that the session took one by one. The constraints with which it was opened do not count. Null if there is no session.
   */
  taken: z.int().nullable(),
  history: z.array(z.enum(["same", "different", "unsure", "odd"])),
});

export type AskState = z.infer<typeof askState>;

const given = z.enum(["same", "different", "unsure", "a", "b", "c"]);

export type GivenAnswer = z.infer<typeof given>;

const vote = z.strictObject({ answer: given, ...provenance.pick({ confidence: true, why: true }).shape });

export type Vote = z.infer<typeof vote>;

export const answer = z.strictObject({
  question: z.string().max(200),
  /** The answer of one person, or the votes of several people. The answer with the most votes counts. */
  answer: z.union([given, z.array(vote).min(1).max(1_000)]),
  by: name,
  /** The id of the log entry for this answer. The client makes the id. */
  id: entryId,
  ...provenance.pick({ program: true, remembered: true, evidence: true }).shape,
  /** If true, an answer that contradicts earlier answers is saved as "unsure". If absent, it is refused. */
  orUnsure: z.literal(true).optional(),
  /** Whether to compute what the answer changes. The default is `explain` of the plan. */
  explain: z.boolean().optional(),
});

export const answered = z.object({
  entry,
  /** Rows that moved to another cluster of the question session. from, to: the letters of the clusters, 0 for A. */
  moved: z.array(z.object({ row, id: rowId, from: z.int(), to: z.int() })),
  joined: z.tuple([z.int(), z.int()]).nullable(),
  implied: z.int(),
  /**
   * Decimal logarithms of the number of clusterings that the constraints still allow, before and after the answer; null if not known. An
   * answer never makes this number larger.
   */
  clusterings: z.object({ before: z.number().nullable(), after: z.number().nullable() }),
  broken: z.object({ before: z.int(), after: z.int() }),
  /**
   * Present if `moved` is not known, for one of these reasons:
   * - Several people are answering.
   * - Nobody asked for it.
   * - The clusters before the answer were not computed.
   */
  unexplained: z.literal(true).optional(),
  milliseconds: z.number(),
  next: askState,
});

export type Answered = z.infer<typeof answered>;

export const asked = z.object({
  report: z.record(z.string(), z.unknown()),
  /** The constraints that led to the clusters: first the given constraints, then the constraints from answers. */
  constraints: z.array(constraint),
  /** Number of answers that the session took, as in `askState`. */
  taken: z.int(),
});

export type Asked = z.infer<typeof asked>;
