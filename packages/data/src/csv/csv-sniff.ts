/** Detects the separator and the decimal mark of a CSV file from its first records. */
import { badOption } from "@coterie/core/internal";
import { CARRIAGE_RETURN, LINE_FEED, QUOTE, recordAt } from "../lines/csv-record.js";
import type { ReadOptions } from "../table/table.js";

const COMMA = 44;
const SEMICOLON = 59;
const TAB = 9;
const candidates: readonly number[] = [COMMA, SEMICOLON, TAB];

const SAMPLED_RECORDS = 200;

export interface Dialect {
  readonly delimiter: number;
  readonly decimal: number;
}

const delimiterNames: Readonly<Record<number, string>> = { [COMMA]: "commas", [SEMICOLON]: "semicolons", [TAB]: "tabs" };

/** Returns the separator and the decimal mark of a CSV file, given by options or detected. An unusual detected value gets a notice. */
export function dialectOf(
  bytes: Uint8Array,
  start: number,
  end: number,
  atEnd: boolean,
  options: ReadOptions,
  expected: number,
  notices: string[],
): Dialect {
  const given = options.delimiter === undefined ? undefined : delimiterByte(options.delimiter);
  const delimiter = given ?? recognisedDelimiter(bytes, start, end);
  if (given === undefined && delimiter !== expected) {
    notices.push(`${options.file} separates its cells by ${delimiterNames[delimiter]} (recognised; --delimiter overrides).`);
  }
  if (options.decimal !== undefined) {
    if (options.decimal !== "." && options.decimal !== ",") throw badOption("--decimal", options.decimal, '"." or ","');
    return { delimiter, decimal: options.decimal.charCodeAt(0) };
  }
  if (delimiter === COMMA || !usesDecimalCommas(bytes, start, end, atEnd, delimiter, options.file)) {
    return { delimiter, decimal: ".".charCodeAt(0) };
  }
  notices.push(`${options.file} writes its numbers with decimal commas (recognised; --decimal overrides).`);
  return { delimiter, decimal: COMMA };
}

function delimiterByte(delimiter: string): number {
  const text = delimiter === "tab" || delimiter === "\\t" ? "\t" : delimiter;
  const byte = text.length === 1 ? text.charCodeAt(0) : 0;
  if (byte === 0 || byte > 126 || (byte < 32 && byte !== TAB) || /[0-9A-Za-z"+.-]/.test(text)) {
    throw badOption("--delimiter", delimiter, '"tab", or one character other than a letter, digit, quote, sign or point');
  }
  return byte;
}

/**
 * Returns the separator that fits the first records best. It must split the header. The criteria, in this order:
 * 1. It splits every sampled record into the same number of cells.
 * 2. It gives the most cells.
 * 3. It comes first in the list.
 */
function recognisedDelimiter(bytes: Uint8Array, start: number, end: number): number {
  const records = splitCounts(bytes, start, end);
  const header = records[0] ?? [0, 0, 0];
  let best = 0;
  let bestScore = 0;
  candidates.forEach((_, c) => {
    const splits = header[c]!;
    if (splits === 0) return;
    const steady = records.length > 1 && records.every((record) => record[c] === splits);
    const score = splits + (steady ? 1e9 : 0);
    if (score > bestScore) {
      best = c;
      bestScore = score;
    }
  });
  return candidates[best]!;
}

/** For each of the first records, how often each possible separator occurs outside quotes. Blank lines are left out. */
function splitCounts(bytes: Uint8Array, start: number, end: number): number[][] {
  const records: number[][] = [];
  let counts = [0, 0, 0];
  let length = 0;
  let cellStart = true;
  for (let p = start; p <= end && records.length < SAMPLED_RECORDS; p++) {
    const c = p < end ? bytes[p]! : LINE_FEED;
    if (c === QUOTE && cellStart) {
      p++;
      while (p < end && (bytes[p] !== QUOTE || bytes[p + 1] === QUOTE)) p += bytes[p] === QUOTE ? 2 : 1;
      length++;
      cellStart = false;
      continue;
    }
    if (c === LINE_FEED || c === CARRIAGE_RETURN) {
      // The last record of the sample can be cut off and so have too few cells. It is left out, unless it is the only record.
      if (length > 0 && (p < end || records.length === 0)) records.push(counts);
      counts = [0, 0, 0];
      length = 0;
      cellStart = true;
      continue;
    }
    const candidate = candidates.indexOf(c);
    if (candidate >= 0) counts[candidate]!++;
    cellStart = candidate >= 0;
    length++;
  }
  return records;
}

const commaNumber = /^[+-]?\d*,\d+(?:[eE][+-]?\d+)?$/;
const pointNumber = /^[+-]?\d*\.\d+(?:[eE][+-]?\d+)?$/;

/** Whether the file uses decimal commas: a sampled cell has a comma inside a number, and no cell has a decimal point. */
function usesDecimalCommas(
  bytes: Uint8Array,
  start: number,
  end: number,
  atEnd: boolean,
  delimiter: number,
  file: string,
): boolean {
  let commas = 0;
  let p = start;
  let line = 1;
  for (let r = 0; r <= SAMPLED_RECORDS && p < end; r++) {
    const record = recordAt(bytes, p, end, delimiter, atEnd, { file, line });
    if (!record) break;
    p = record.next;
    line += record.lines;
    if (r === 0) continue;
    for (const cell of record.cells) {
      const text = cell.trim();
      if (pointNumber.test(text)) return false;
      if (commaNumber.test(text)) commas++;
    }
  }
  return commas > 0;
}
