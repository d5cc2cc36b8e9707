/** Questions and answers: one queue for all who answer, one log for all they say. */
import { z } from "zod";
import { type Constraint, entry, rowsOf } from "./knowledge.js";
import { ODD_KEYS } from "./question-keys.js";
import { entryId, name, row, rowId, runNumber } from "./words.js";

export const askPlan = z.strictObject({
  by: name,
  strategy: z.string().max(100).optional(),
  budget: z.int().min(1).max(1_000_000).default(20),
  seed: z.int().default(0),
  /** The run that questions name clusters by: the run on the asker's screen. The newest run if not given; null for none. */
  run: runNumber.nullable().optional(),
  /** Ask only about rows of this cluster of that run, or about anything. */
  about: z.int().min(0).nullable().default(null),
});

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

export type GivenAnswer = z.infer<typeof answer>["answer"];

/** What an answer to a question says about its rows; null where such a question has no such answer. */
export function constraintOf(
  kind: QuestionReply["kind"],
  ids: readonly (string | number)[],
  given: GivenAnswer,
): Constraint | null {
  const [a, b, c] = ids as [string | number, string | number, string | number];
  if (given === "unsure") return { type: "unsure", rows: [...ids] };
  if (kind === "pair") {
    if (given === "same") return { type: "must-link", a, b };
    return given === "different" ? { type: "cannot-link", a, b } : null;
  }
  if (given === "a") return { type: "relative", a: b, b: c, c: a };
  if (given === "b") return { type: "relative", a, b: c, c: b };
  return given === "c" ? { type: "relative", a, b, c } : null;
}

/** What a constraint answers to a question about these rows; null if it is no answer to it. */
export function answerIn(
  constraint: Constraint,
  kind: QuestionReply["kind"],
  ids: readonly (string | number)[],
): GivenAnswer | null {
  const asked = ids.map(String);
  const named = rowsOf(constraint).map(String);
  const weight = ("weight" in constraint ? constraint.weight : undefined) ?? 1;
  if (named.length !== asked.length || !asked.every((id) => named.includes(id)) || weight !== 1) return null;
  if (constraint.type === "unsure") return "unsure";
  if (constraint.type === "relative") return ODD_KEYS[asked.indexOf(String(constraint.c))]!;
  if (kind !== "pair") return null;
  return constraint.type === "must-link" ? "same" : "different";
}

/** What an answer changed. Sent when the answer is on disk, never before. */
export const answered = z.object({
  entry,
  /** Moves in the clusters that the questions go by, which no run has named: `from` and `to` are letters, 0 for A. */
  moved: z.array(z.object({ row, id: rowId, from: z.int(), to: z.int() })),
  implied: z.int(),
  /** Logarithms to base 10 of the number of clusterings of all rows that remain; null if not known. An answer never raises it. */
  clusterings: z.object({ before: z.number().nullable(), after: z.number().nullable() }),
  broken: z.object({ before: z.int(), after: z.int() }),
  /** There where several people answer at once: what one answer moved is then not worked out, and `moved` is empty. */
  busy: z.literal(true).optional(),
  next: askState,
});

export type Answered = z.infer<typeof answered>;
