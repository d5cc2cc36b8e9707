/** Converts between answers to questions and constraints on rows. Pages can load this file without loading the schemas. */
import type { GivenAnswer, QuestionReply, Vote } from "./asking.js";
import type { Constraint, Provenance } from "./knowledge.js";
import { ODD_KEYS } from "./question-keys.js";
import { rowsOf } from "./sentences.js";

interface Verdict extends Provenance {
  readonly answer: GivenAnswer;
}

/**
 * The answer that most people gave, not counting "unsure". If several answers have the most votes, or if everybody is unsure, it is
 * "unsure".
 */
export function majorityOf(votes: readonly Vote[]): Verdict {
  if (votes.length === 1) return votes[0]!;
  const tally: Record<string, number> = {};
  for (const { answer } of votes) tally[answer] = (tally[answer] ?? 0) + 1;
  const counts = Object.entries(tally).filter(([answer]) => answer !== "unsure");
  const most = Math.max(0, ...counts.map(([, count]) => count));
  const leading = counts.filter(([, count]) => count === most);
  if (leading.length !== 1) return { answer: "unsure", votes: tally };
  const agreeing = votes.filter(({ answer }) => answer === leading[0]![0]);
  const confidences = agreeing.flatMap(({ confidence }) => confidence ?? []);
  const why = agreeing.find((each) => each.why !== undefined)?.why;
  return {
    answer: agreeing[0]!.answer,
    votes: tally,
    ...(confidences.length > 0 ? { confidence: confidences.reduce((a, b) => a + b, 0) / confidences.length } : {}),
    ...(why === undefined ? {} : { why }),
  };
}

/** The constraint that follows from an answer to a question about these rows; null if the question does not allow this answer. */
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

/** The question and the answer from which a constraint follows. odd: the key of the odd row, for a question about three rows. */
export function askedBy(
  constraint: Constraint,
  odd: (typeof ODD_KEYS)[number] = "c",
): { readonly kind: QuestionReply["kind"]; readonly ask: (string | number)[]; readonly answer: GivenAnswer } | null {
  const ask = [...rowsOf(constraint)];
  switch (constraint.type) {
    case "must-link":
      return { kind: "pair", ask, answer: "same" };
    case "cannot-link":
      return { kind: "pair", ask, answer: "different" };
    case "unsure":
      return { kind: ask.length === 2 ? "pair" : "triplet", ask, answer: "unsure" };
    case "relative": {
      const { a, b, c } = constraint;
      return { kind: "triplet", ask: { a: [c, a, b], b: [a, c, b], c: [a, b, c] }[odd], answer: odd };
    }
    default:
      return null;
  }
}

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
