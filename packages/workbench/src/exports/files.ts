/** Files to take away: labels with names, constraints, answers as the command line's log has them. */
import type { InstanceId } from "@coterie/core/internal";
import { type AnswerRecord, type LogRecord, recordLine } from "@coterie/data/browser";
import type { Said } from "../knowledge/constraint-set.js";
import { type Constraint, rowsOf } from "../protocol/knowledge.js";
import { safeCell } from "./cells.js";

export function labelsFile(
  labels: Int32Array,
  ids: readonly InstanceId[] | null,
  names: readonly (string | null)[] | null,
): string {
  const lines = [names ? "id,cluster,name" : "id,cluster"];
  labels.forEach((label, row) => {
    const name = names ? `,${safeCell(names[label] ?? "")}` : "";
    lines.push(`${safeCell(ids?.[row] ?? row)},${label}${name}`);
  });
  return `${lines.join("\n")}\n`;
}

export function constraintsFile(said: readonly Said[]): string {
  const lines = said.flatMap(({ constraint }) => {
    const line = cellsOf(constraint);
    return line === null ? [] : [line.map((value) => (value === "" ? "" : safeCell(value))).join(",")];
  });
  return `${["type,a,b,c,weight", ...lines].join("\n")}\n`;
}

/** Exclusive columns and bounds on sizes are no lines of such a file. */
function cellsOf(constraint: Constraint): (string | number)[] | null {
  switch (constraint.type) {
    case "must-link":
    case "cannot-link":
      return [constraint.type, constraint.a, constraint.b, "", constraint.weight ?? 1];
    case "relative":
      return [constraint.type, constraint.a, constraint.b, constraint.c, constraint.weight ?? 1];
    case "label":
      return [constraint.type, constraint.a, constraint.class, "", constraint.weight ?? 1];
    default:
      return null;
  }
}

/** The answers that count, oldest first, each question once with its newest answer, under one start record. */
export function answersFile(start: LogRecord, answers: readonly Constraint[]): string {
  const newest = new Map(answers.map((constraint) => [JSON.stringify(rowsOf(constraint).map(String).sort()), constraint]));
  const records = answers
    .filter((constraint) => newest.get(JSON.stringify(rowsOf(constraint).map(String).sort())) === constraint)
    .flatMap((constraint) => answerRecord(constraint) ?? [])
    .map((record, i) => ({ ...record, number: i + 1 }));
  return [start, ...records].map(recordLine).join("");
}

function answerRecord(constraint: Constraint): AnswerRecord | null {
  const number = 1;
  switch (constraint.type) {
    case "must-link":
      return { record: "answer", number, kind: "pair", ask: [constraint.a, constraint.b], answer: "same" };
    case "cannot-link":
      return { record: "answer", number, kind: "pair", ask: [constraint.a, constraint.b], answer: "different" };
    case "relative":
      return { record: "answer", number, kind: "triplet", ask: [constraint.a, constraint.b, constraint.c], answer: "c" };
    case "unsure": {
      const [a, b, c] = constraint.rows;
      return c === undefined
        ? { record: "answer", number, kind: "pair", ask: [a!, b!], answer: "unsure" }
        : { record: "answer", number, kind: "triplet", ask: [a!, b!, c], answer: "unsure" };
    }
    default:
      return null;
  }
}
