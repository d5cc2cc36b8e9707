/** Reads the answer of a program from a line of JSON. For an invalid line, returns what is wrong with it. */
import type { Question, QuestionAnswer } from "@coterie/core/internal";
import { shortened } from "./question-line.js";

export interface Reply {
  readonly answer: QuestionAnswer;
  readonly confidence?: number | undefined;
  readonly why?: string | undefined;
}

/** Either a valid answer to a question, or the reason why the line is invalid. `id` is null if the line names no question. */
export type ReadReply =
  | { readonly id: number; readonly reply: Reply; readonly wrong?: undefined }
  | { readonly id: number | null; readonly reply?: undefined; readonly wrong: string };

const WORDS: Readonly<Record<Question["kind"], Readonly<Record<string, QuestionAnswer>>>> = {
  pair: { same: "same", different: "different", unknown: "unsure", unsure: "unsure" },
  triplet: { a: "a", b: "b", c: "c", unknown: "unsure", unsure: "unsure" },
};

const LONGEST_WHY = 500;

export function readReply(line: string, kindOf: (id: number) => Question["kind"] | undefined): ReadReply {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { id: null, wrong: "that is no line of JSON" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { id: null, wrong: "that is no JSON object" };
  const { id, answer, confidence, why } = value as Readonly<Record<string, unknown>>;
  const kind = typeof id === "number" ? kindOf(id) : undefined;
  if (kind === undefined) return { id: null, wrong: "its id belongs to no question" };
  const known = typeof answer === "string" && Object.hasOwn(WORDS[kind], answer) ? WORDS[kind][answer] : undefined;
  if (known === undefined)
    return { id: id as number, wrong: `its answer must be ${kind === "pair" ? "same, different" : "a, b, c"} or unknown` };
  if (confidence !== undefined && confidence !== null && !isShare(confidence))
    return { id: id as number, wrong: "its confidence must be a number from 0 to 1" };
  return {
    id: id as number,
    reply: {
      answer: known,
      ...(isShare(confidence) ? { confidence } : {}),
      ...(typeof why === "string" && why.trim() !== "" ? { why: shortened(why.trim(), LONGEST_WHY) } : {}),
    },
  };
}

export function isShare(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}
