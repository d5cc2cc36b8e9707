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
  letters: z.array(z.int()).max(3),
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
  /** Number of the newest answers that the session took one by one, after its initial constraints; null without a session. */
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
  /** An answer; or the answers of several people, of which the most frequent answer counts. */
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

export const answered = z.object({
  entry,
  /** Rows that moved between clusters of the question session. `from` and `to` are letters, 0 for A. */
  moved: z.array(z.object({ row, id: rowId, from: z.int(), to: z.int() })),
  joined: z.tuple([z.int(), z.int()]).nullable(),
  implied: z.int(),
  /** Logarithms to base 10 of the number of clusterings of all rows that remain; null if not known. An answer never raises it. */
  clusterings: z.object({ before: z.number().nullable(), after: z.number().nullable() }),
  broken: z.object({ before: z.int(), after: z.int() }),
  /** Set if `moved` is unknown: several people answer, nobody asked for it, or the clusters before were not computed. */
  unexplained: z.literal(true).optional(),
  milliseconds: z.number(),
  next: askState,
});

export type Answered = z.infer<typeof answered>;

export const asked = z.object({
  report: z.record(z.string(), z.unknown()),
  /** The constraints under which the clusters were made: first the given constraints, then the constraints from answers. */
  constraints: z.array(constraint),
  /** The same as `taken` in `askState`. */
  taken: z.int(),
});

export type Asked = z.infer<typeof asked>;
