/**
 * Writes a question as a line of JSON for a program. Also hashes the content of its rows, so that a question with the same content is asked
 * only once.
 */
import { createHash } from "node:crypto";
import { type InstanceId, type Instances, idOf, type Question, type QuestionAnswer } from "@coterie/core/internal";
import type { ShownColumn } from "../shown-columns.js";

export interface ReadableRow {
  readonly id: InstanceId;
  readonly columns: Readonly<Record<string, string | number | null>>;
}

/** Texts of a question are cut to this number of characters, because a language model must read the question. */
const LONGEST_TEXT = 500;

export function shortened(text: string, most = LONGEST_TEXT): string {
  return text.length > most ? `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}

export function readableRows({ ask }: Question, instances: Instances, columns: readonly ShownColumn[]): ReadableRow[] {
  return ask.map((row) => ({
    id: idOf(instances, row),
    columns: Object.fromEntries(columns.map((column) => [column.name, cellOf(column, row)])),
  }));
}

function cellOf({ text, isNumber }: ShownColumn, row: number): string | number | null {
  const shown = text(row);
  if (shown === "–") return null;
  const number = Number(shown);
  return isNumber && Number.isFinite(number) ? number : shortened(shown);
}

export interface QuestionLine {
  readonly id: number;
  readonly kind: Question["kind"];
  readonly rows: readonly ReadableRow[];
  /** The number of this request, from 1, if the same question is sent several times to collect several answers. */
  readonly vote?: number | undefined;
}

export function questionLine({ id, kind, rows, vote }: QuestionLine): string {
  return `${JSON.stringify({ id, kind: kind === "pair" ? "pair" : "triple", rows, ...(vote === undefined ? {} : { vote }) })}\n`;
}

/**
 * Identifies a question by the content of its rows. `key`: a hash that does not depend on the order of the rows. `order`: the positions of
 * the rows in the question, sorted by content.
 */
export interface Content {
  readonly key: string;
  readonly order: readonly number[];
}

export function contentOf(kind: Question["kind"], rows: readonly ReadableRow[]): Content {
  const bare = rows.every(({ columns }) => Object.keys(columns).length === 0);
  const texts = rows.map(({ id, columns }) => JSON.stringify(bare ? id : Object.entries(columns)));
  const order = [...texts.keys()].sort((a, b) => (texts[a]! < texts[b]! ? -1 : texts[a]! > texts[b]! ? 1 : a - b));
  const hash = createHash("sha256").update(JSON.stringify([kind, ...order.map((place) => texts[place])]));
  return { key: hash.digest("hex"), order };
}

const PLACES: readonly QuestionAnswer[] = ["a", "b", "c"];

export function toKeyOrder(answer: QuestionAnswer, { order }: Content): QuestionAnswer {
  const place = PLACES.indexOf(answer);
  return place < 0 ? answer : PLACES[order.indexOf(place)]!;
}

export function fromKeyOrder(answer: QuestionAnswer, { order }: Content): QuestionAnswer {
  const place = PLACES.indexOf(answer);
  return place < 0 ? answer : PLACES[order[place]!]!;
}
