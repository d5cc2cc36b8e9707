/** An answer and what it changed, in one sentence. */
import type { Change } from "@coterie/core/internal";
import type { AnswerRecord } from "@coterie/data";

/** What stands before it: the number of the answer. */
export function numberOf({ number }: AnswerRecord): string {
  return `${String(number).padStart(3)}  `;
}

export function changeLine(record: AnswerRecord, change: Change | null): string {
  return `${answerText(record)}${change ? consequences(change) : ""}`;
}

/** The answer as people write it: a = b, a ≠ b, a b | c. */
export function answerText({ ask, answer }: AnswerRecord): string {
  const [a, b, c] = ask;
  if (answer === "same") return `${a} = ${b}`;
  if (answer === "different") return `${a} ≠ ${b}`;
  if (answer === "a") return `${b} ${c} | ${a}`;
  if (answer === "b") return `${a} ${c} | ${b}`;
  if (answer === "c") return `${a} ${b} | ${c}`;
  return `${c === undefined ? `${a} ? ${b}` : `${a} ? ${b} ? ${c}`}: left open`;
}

function consequences({ joined, impliedPairs, moved }: Change): string {
  const parts = [
    joined && joined[0].length + joined[1].length > 2 ? `${joined[0].length} + ${joined[1].length} rows are one group` : "",
    impliedPairs > 0 ? `${counted(impliedPairs, "more pair")} ${impliedPairs === 1 ? "follows" : "follow"}` : "",
    moved === null ? "" : moved === 0 ? "no row moved" : `${counted(moved, "row")} moved`,
  ].filter((part) => part !== "");
  return parts.map((part) => ` · ${part}`).join("");
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
