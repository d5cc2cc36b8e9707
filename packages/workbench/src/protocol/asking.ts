/** Questions and answers: one queue for all who answer, one log for all they say. */
import { z } from "zod";
import { constraint, entry, provenance } from "./knowledge.js";
import { entryId, errorRate, name, row, rowId, runNumber } from "./words.js";

export const askPlan = z.strictObject({
  by: name,
  strategy: z.string().max(100).optional(),
  /** Options of the strategy, by the schema that `info` has of it. */
  options: z.record(z.string().max(100), z.unknown()).default({}),
  budget: z.int().min(0).default(20),
  /** Above 0, answers that are sent with this rate are evidence: other answers can outweigh them. */
  errorRate: errorRate.default(0),
  seed: z.int().default(0),
  /** The run that questions name clusters by: the run on the asker's screen. The newest run if not given; null for none. */
  run: runNumber.nullable().optional(),
  /** Ask only about rows of this cluster of that run, or about anything. */
  about: z.int().min(0).nullable().default(null),
  /** Questions are chosen among this many rows; of more, among an even sample and the rows that constraints name. */
  among: z.int().min(2).default(2_000),
  /** Whether questions come with reasons and answers with what they changed, which takes a clustering each. */
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
  /** The clusters of its rows in the run that names them, as letters: 0 for A, -1 for none. */
  letters: z.array(z.int()).max(3),
  /** Why it is asked, in a sentence. */
  why: z.string(),
  /** Pairs that would follow from each answer, beside the pair itself. */
  settles: z.record(z.string(), z.int()),
});

export type QuestionReply = z.infer<typeof question>;

export const askState = z.object({
  strategy: z.string(),
  budget: z.int(),
  answered: z.int(),
  /** Null when nothing is worth asking or the budget is spent; then `why` says which. */
  question: question.nullable(),
  why: z.string().nullable(),
  /** Rows that are close calls and that nobody spoke about: a question about each may be worth asking. */
  worth: z.int().nullable(),
  /** How many of the newest answers the session took one by one; it began with all others as constraints. Null if no session was needed. */
  taken: z.int().nullable(),
  /** Answers of this sitting, oldest first: for the budget bar. */
  history: z.array(z.enum(["same", "different", "unsure", "odd"])),
});

export type AskState = z.infer<typeof askState>;

const given = z.enum(["same", "different", "unsure", "a", "b", "c"]);

export type GivenAnswer = z.infer<typeof given>;

/** One of several answers to a question. */
const vote = z.strictObject({ answer: given, ...provenance.pick({ confidence: true, why: true }).shape });

export type Vote = z.infer<typeof vote>;

export const answer = z.strictObject({
  question: z.string().max(200),
  /** An answer; or the answers of several who were asked, of which the answer that most of them gave counts. */
  answer: z.union([given, z.array(vote).min(1).max(1_000)]),
  by: name,
  /** The entry's id, made by whoever answers. */
  id: entryId,
  ...provenance.pick({ program: true, remembered: true, evidence: true }).shape,
  /** An answer that the questions cannot take is kept as "unsure". Otherwise such an answer is refused. */
  orUnsure: z.literal(true).optional(),
  /** Whether to work out what the answer changes; if not given, as the plan says. */
  explain: z.boolean().optional(),
});

/** What an answer changed. Sent when the answer is on disk, never before. */
export const answered = z.object({
  entry,
  /** Moves in the clusters that the questions go by, which no run has named: `from` and `to` are letters, 0 for A. */
  moved: z.array(z.object({ row, id: rowId, from: z.int(), to: z.int() })),
  /** The sizes of the two groups of rows that the answer joined; null if it joined none. */
  joined: z.tuple([z.int(), z.int()]).nullable(),
  implied: z.int(),
  /** Logarithms to base 10 of the number of clusterings of all rows that remain; null if not known. An answer never raises it. */
  clusterings: z.object({ before: z.number().nullable(), after: z.number().nullable() }),
  broken: z.object({ before: z.int(), after: z.int() }),
  /** What moved is not known: several people answer at once, nobody asked for it, or nobody knew the clusters before the answer. */
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
