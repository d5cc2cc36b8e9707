/** Questions and answers: one queue for all who answer, one log for all they say. */
import { z } from "zod";
import { entry } from "./knowledge.js";
import { entryId, name, row, rowId } from "./words.js";

export const askPlan = z.strictObject({
  by: name,
  strategy: z.string().max(100).optional(),
  budget: z.int().min(1).max(1_000_000).default(20),
  seed: z.int().default(0),
  /** Ask only about rows of this cluster of the newest run, or about anything. */
  about: z.int().min(0).nullable().default(null),
});

export const question = z.object({
  /** Names the question until it is answered. */
  question: z.string(),
  number: z.int().min(1),
  kind: z.enum(["pair", "triplet"]),
  rows: z.array(row).min(2).max(3),
  ids: z.array(rowId).min(2).max(3),
  /** The groups that its rows are in so far, as letters: 0 for A, -1 for none. */
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
  /** How many more questions are worth asking, as far as can be told. */
  worth: z.int().nullable(),
  /** Answers of this sitting, oldest first: for the budget bar. */
  history: z.array(z.enum(["same", "different", "unsure", "odd"])),
});

export type AskState = z.infer<typeof askState>;

export const answer = z.strictObject({
  question: z.string().max(200),
  answer: z.enum(["same", "different", "unsure", "a", "b", "c"]),
  by: name,
  /** The entry's id, made by whoever answers. */
  id: entryId,
});

/** What an answer changed. Sent when the answer is on disk, never before. */
export const answered = z.object({
  entry,
  /** From and to are letters, 0 for A. */
  moved: z.array(z.object({ row, id: rowId, from: z.int(), to: z.int() })),
  implied: z.int(),
  /** Logarithms to base 10 of the number of clusterings that remain; null if not known. */
  clusterings: z.object({ before: z.number().nullable(), after: z.number().nullable() }),
  broken: z.object({ before: z.int(), after: z.int() }),
  /** There where several people answer at once: what one answer moved is then not worked out, and `moved` is empty. */
  busy: z.literal(true).optional(),
  next: askState,
});

export type Answered = z.infer<typeof answered>;
