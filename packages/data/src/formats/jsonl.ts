/**
 * Reads JSON lines: one object per line. The keys of the first object are the first columns; later keys add columns. A key that is
 * absent or null is a missing cell. Numbers are numbers, and a string is text even if it looks like a number.
 */
import { badInput } from "@coterie/core/internal";
import { shellListFlag } from "@coterie/core/shell";
import { LineIndex } from "../lines/line-index.js";
import { textLines } from "../lines/lines.js";
import { builderFor, type ColumnBuilder, SKIPPED, TEXT } from "../table/columns.js";
import { checkColumnCount, checkNames } from "../table/names.js";
import { quoted } from "../table/sentences.js";
import { type Chunks, isMissingText, type ReadOptions, type Table } from "../table/table.js";
import { textBytes } from "../table/utf8.js";

export async function readJsonLines(chunks: Chunks, options: ReadOptions): Promise<Table> {
  const { file } = options;
  const source = textBytes(chunks, options);
  const columns = new Map<string, ColumnBuilder>();
  const index = new LineIndex(1);
  let row = 0;
  let capacity = 0;
  for await (const { first, lines } of textLines(source.chunks, file)) {
    for (let i = 0; i < lines.length; i++) {
      const line = first + i;
      const text = lines[i]!;
      if (text.trim() === "") {
        index.skip(row - 1, 1);
        continue;
      }
      const record = parseObject(text, file, line);
      if (row === capacity) {
        capacity = Math.max(256, Math.floor(1.6 * capacity));
        for (const column of columns.values()) column.grow(capacity);
      }
      for (const name of Object.keys(record)) {
        if (columns.has(name)) continue;
        const column = builderFor(name, options);
        column.grow(capacity);
        if (column.mode === TEXT) column.codes.fill(-1, 0, row);
        columns.set(name, column);
        checkNames([name], { file, line });
        checkColumnCount(columns.size, { file, line });
      }
      for (const column of columns.values()) {
        const value = Object.hasOwn(record, column.name) ? record[column.name] : undefined;
        addCell(column, row, value, text, file, line, index.lineOf);
      }
      row++;
    }
  }
  if (row === 0) throw badInput("The file is empty.", { file, remedy: "JSON lines hold one object a line." });
  const notices: string[] = [];
  const kept = [...columns.values()].filter((column) => column.mode !== SKIPPED);
  return {
    n: row,
    columns: kept.flatMap((column) => column.finish(row, { file, notices })),
    skipped: [...columns.values()].filter((column) => column.mode === SKIPPED).map((column) => column.name),
    lineOf: index.lineOf,
    file,
    notices: [...source.notices, ...notices],
    contentHash: source.contentHash,
  };
}

export function parseObject(text: string, file: string, line: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badInput(`The line is not valid JSON: ${quoted(text)}.`, {
      file,
      line,
      remedy: "JSON lines hold one whole object a line; missing values are null, not NaN.",
    });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badInput(`The line holds ${quoted(text)}, not an object.`, {
      file,
      line,
      remedy: 'JSON lines hold one object a line, such as {"x": 1.5, "class": "a"}.',
    });
  }
  return value as Record<string, unknown>;
}

function addCell(
  column: ColumnBuilder,
  row: number,
  value: unknown,
  source: string,
  file: string,
  line: number,
  lineOf: (row: number) => number,
): void {
  if (column.mode === SKIPPED) return;
  if (value === undefined || value === null || (typeof value === "string" && isMissingText(value.trim()))) column.nothing(row);
  else if (typeof value === "number" && column.mode !== TEXT) {
    if (!Number.isFinite(value)) throw tooLarge(column.name, file, line);
    column.number(row, value, lineOf);
  } else if (typeof value === "number") column.text(row, numberAsWritten(source, column.name, value), lineOf);
  else if (typeof value === "string" || typeof value === "boolean") column.text(row, String(value), lineOf);
  else if (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === "number"))
    column.text(row, JSON.stringify(value), lineOf);
  else {
    throw badInput(
      `Column ${quoted(column.name)} holds ${Array.isArray(value) ? "an array that is not a list of numbers" : "an object"}.`,
      {
        file,
        line,
        remedy: `Cells are numbers, texts, booleans, lists of numbers or null: flatten the value, or leave the column out (${shellListFlag("--ignore", column.name)}).`,
      },
    );
  }
}

function tooLarge(name: string, file: string, line: number): Error {
  return badInput(`Column ${quoted(name)} holds a number too large for a double.`, {
    file,
    line,
    remedy: `Correct it, or leave the column out (${shellListFlag("--ignore", name)}).`,
  });
}

/** Returns a number of a text column as it is written in the file. As doubles, 12345678901234567890 and 1.0 would change. */
export function numberAsWritten(source: string, name: string, value: number): string {
  const key = JSON.stringify(name).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const written = new RegExp(`(?<!\\\\)${key}\\s*:\\s*(-?\\d[^,}\\s]*)`).exec(source)?.[1];
  return written !== undefined && Number(written) === value ? written : String(value);
}
