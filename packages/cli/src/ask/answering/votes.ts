/** Several answers to one question: the one that most gave counts; a tie leaves the question open. */
import type { QuestionAnswer } from "@coterie/core/internal";
import type { Reply } from "./reply.js";

export interface Verdict extends Reply {
  /** How many gave each answer; where there was more than one. */
  readonly votes?: Readonly<Record<string, number>>;
}

/** "unsure" counts only where nobody said anything else. */
export function majorityOf(replies: readonly Reply[]): Verdict {
  if (replies.length === 1) return replies[0]!;
  const votes: Record<string, number> = {};
  for (const { answer } of replies) votes[answer] = (votes[answer] ?? 0) + 1;
  const counts = Object.entries(votes).filter(([answer]) => answer !== "unsure");
  const most = Math.max(0, ...counts.map(([, count]) => count));
  const leading = counts.filter(([, count]) => count === most);
  if (leading.length !== 1) return { answer: "unsure", votes };
  const answer = leading[0]![0] as QuestionAnswer;
  const agreeing = replies.filter((reply) => reply.answer === answer);
  const confidences = agreeing.flatMap(({ confidence }) => confidence ?? []);
  const why = agreeing.find((reply) => reply.why !== undefined)?.why;
  return {
    answer,
    votes,
    ...(confidences.length > 0 ? { confidence: confidences.reduce((a, b) => a + b, 0) / confidences.length } : {}),
    ...(why === undefined ? {} : { why }),
  };
}
