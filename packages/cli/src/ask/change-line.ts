/** Describes an answer and its effect in one sentence. */
import type { AnswerRecord } from "@coterie/data";

export interface Change {
  readonly joined: readonly [number, number] | null;
  readonly implied: number;
  readonly moved: number | null;
}

export function numberOf({ number }: AnswerRecord): string {
  return `${String(number).padStart(3)}  `;
}

export function changeLine(record: AnswerRecord, change: Change | null): string {
  return `${answerText(record)}${change ? consequences(change) : ""}`;
}

export function answerText({ ask, answer }: AnswerRecord): string {
  const [a, b, c] = ask;
  if (answer === "same") return `${a} = ${b}`;
  if (answer === "different") return `${a} ≠ ${b}`;
  if (answer === "a") return `${b} ${c} | ${a}`;
  if (answer === "b") return `${a} ${c} | ${b}`;
  if (answer === "c") return `${a} ${b} | ${c}`;
  return `${c === undefined ? `${a} ? ${b}` : `${a} ? ${b} ? ${c}`}: left open`;
}

function consequences({ joined, implied, moved }: Change): string {
  const parts = [
    joined && joined[0] + joined[1] > 2 ? `${joined[0]} + ${joined[1]} rows are one group` : "",
    implied > 0 ? `${counted(implied, "more pair")} ${implied === 1 ? "follows" : "follow"}` : "",
    moved === null ? "" : moved === 0 ? "no row moved" : `${counted(moved, "row")} moved`,
  ].filter((part) => part !== "");
  return parts.map((part) => ` · ${part}`).join("");
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
