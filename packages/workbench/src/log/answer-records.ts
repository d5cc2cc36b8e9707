/** Converts between the two forms of an answer: a record in a log of answers, and an entry of a project. */
import type { AnswerRecord, StartRecord } from "@coterie/data/browser";
import { askedBy, constraintOf } from "../protocol/answers.js";
import { type Constraint, type NewEntry, ODD_KEYS } from "../protocol/index.js";

export interface ProjectAnswer {
  readonly constraint: Constraint;
  readonly from: Extract<NewEntry["from"], { kind: "asked" }>;
  readonly by?: string | undefined;
}

export function entryOf(
  { record: _, kind, ask, answer, number, by, evidence, ...about }: AnswerRecord,
  { strategy, errorRate = "learn" }: Pick<StartRecord, "strategy" | "errorRate">,
): ProjectAnswer {
  const odd = ODD_KEYS.find((key) => key === answer);
  return {
    constraint: constraintOf(kind, ask, answer)!,
    from: { kind: "asked", strategy, number, ...(odd ? { odd } : {}), ...about, ...(evidence ? { evidence: errorRate } : {}) },
    by,
  };
}

export function recordOf({ constraint, from, by }: ProjectAnswer, number: number): AnswerRecord | null {
  const asked = askedBy(constraint, from.odd);
  if (asked === null) return null;
  const { votes, confidence, why, remembered, evidence, said } = from;
  const about = { votes, confidence, why, by, remembered, evidence: evidence ? true : undefined, said };
  const known = Object.entries(about).filter(([, value]) => value !== undefined);
  const { kind, ask, answer } = asked;
  return { record: "answer", number, kind, ask, answer, ...Object.fromEntries(known) } as AnswerRecord;
}
