/** The rows of a table that become points, with their ids, classes and weights. */
import { badInput, type InstanceId, type Labelling, randomFrom } from "@coterie/core/internal";
import { counted, quoted } from "../table/sentences.js";
import type { Column, NominalColumn, Table } from "../table/table.js";
import type { MissingRule } from "./instances.js";
import { STRETCH } from "./points.js";

export function asNominal(column: Column): NominalColumn {
  if (column.kind === "nominal") return column;
  const codeOf = new Map<string, number>();
  const codes = Int32Array.from(column.values, (value) => {
    if (Number.isNaN(value)) return -1;
    const text = String(value);
    const code = codeOf.get(text) ?? codeOf.size;
    codeOf.set(text, code);
    return code;
  });
  return { kind: "nominal", name: column.name, codes, levels: [...codeOf.keys()], missing: column.missing };
}

function nominalNamed(table: Table, name: string): NominalColumn {
  return asNominal(table.columns.find((column) => column.name === name)!);
}

export function* idsOf(table: Table, name: string): Generator<void, string[]> {
  const { codes, levels } = nominalNamed(table, name);
  const firstRow = new Int32Array(levels.length).fill(-1);
  const ids: string[] = [];
  for (let row = 0; row < codes.length; row++) {
    if (row % STRETCH === 0) yield;
    const code = codes[row]!;
    const place = () => placeOf(table, row);
    if (code < 0) {
      throw badInput(`${place().words} has no id in column ${quoted(name)}.`, {
        ...place().facts,
        remedy: "Give every row a unique id.",
      });
    }
    const earlier = firstRow[code]!;
    if (earlier >= 0) {
      const where = placeOf(table, earlier).words;
      throw badInput(`The id ${quoted(levels[code]!)} is used twice; ${where.toLowerCase()} has it too.`, {
        ...place().facts,
        remedy: "Give every row a unique id.",
      });
    }
    firstRow[code] = row;
    ids.push(levels[code]!);
  }
  return ids;
}

/** Where a row is, for messages: its line in the file, or its row number if the format has no lines. */
function placeOf(table: Table, row: number) {
  const line = table.lineOf?.(row);
  return line === undefined
    ? { words: `Row ${row}`, facts: { file: table.file } }
    : { words: `Line ${line}`, facts: { file: table.file, line } };
}

export function isMissing(column: Column, row: number): boolean {
  return column.kind === "numeric" ? Number.isNaN(column.values[row]!) : column.codes[row]! < 0;
}

export function keptRows(table: Table, columns: readonly Column[], missing: MissingRule, notices: string[]): Int32Array {
  const all = new Int32Array(table.n);
  for (let row = 0; row < table.n; row++) all[row] = row;
  const holed = columns.filter((column) => column.missing > 0);
  if (holed.length === 0 || missing === "auto" || missing === "impute" || missing === "skip") return all;
  if (missing === "error") throw missingError(table, holed);
  const rows = all.filter((row) => !holed.some((column) => isMissing(column, row)));
  if (rows.length === 0) {
    throw badInput("Every row has a missing cell, so none is left.", {
      file: table.file,
      remedy:
        "Leave out the emptiest columns (--ignore), fill the cells (--missing impute), or compare rows by the cells that both have (--missing skip).",
    });
  }
  notices.push(
    `${counted(table.n - rows.length, "row")} of ${table.n} with missing cells ${table.n - rows.length === 1 ? "was" : "were"} dropped.`,
  );
  return rows;
}

function missingError(table: Table, holed: readonly Column[]): Error {
  const cells: string[] = [];
  let first: number | undefined;
  const count = holed.reduce((sum, column) => sum + column.missing, 0);
  for (let row = 0; row < table.n && cells.length < 3; row++) {
    for (const column of holed) {
      if (!isMissing(column, row) || cells.length === 3) continue;
      first ??= row;
      cells.push(`${placeOf(table, row).words.toLowerCase()} column ${quoted(column.name)}`);
    }
  }
  return badInput(
    `${counted(count, "cell")} ${count === 1 ? "is" : "are"} missing (${cells.join(", ")}${count > cells.length ? ", …" : ""}).`,
    {
      ...placeOf(table, first ?? 0).facts,
      remedy:
        "Drop those rows (--missing drop), fill the cells (--missing impute), compare rows by the cells that both have (--missing skip), or leave out the columns (--ignore).",
    },
  );
}

export function droppedIds(total: number, rows: Int32Array, ids: readonly string[] | null): InstanceId[] {
  if (rows.length === total) return [];
  const kept = new Uint8Array(total);
  for (const row of rows) kept[row] = 1;
  const dropped: InstanceId[] = [];
  for (let row = 0; row < total; row++) if (kept[row] === 0) dropped.push(ids?.[row] ?? row);
  return dropped;
}

export function recoded({ codes, levels }: NominalColumn, rows: Int32Array): Labelling {
  const fresh = new Int32Array(levels.length).fill(-1);
  const names: string[] = [];
  const out = new Int32Array(rows.length).fill(-1);
  for (let i = 0; i < rows.length; i++) {
    const code = codes[rows[i]!]!;
    if (code < 0) continue;
    if (fresh[code]! < 0) fresh[code] = names.push(levels[code]!) - 1;
    out[i] = fresh[code]!;
  }
  return { codes: out, names };
}

export function labellingOf(table: Table, name: string, rows: Int32Array): Labelling {
  return recoded(nominalNamed(table, name), rows);
}

export function sampled(rows: Int32Array, count: number, seed: number, notices: string[]): Int32Array {
  if (count >= rows.length) {
    if (count > rows.length) notices.push(`There are only ${counted(rows.length, "row")}, so all of them are in the sample.`);
    return rows;
  }
  const places = randomFrom(seed).split("sample of rows").sample(rows.length, count).sort();
  notices.push(
    `${counted(count, "row")} of ${rows.length.toLocaleString("en")} ${count === 1 ? "was" : "were"} drawn (--sample, seed ${seed}); the other rows get no label.`,
  );
  return Int32Array.from(places, (place) => rows[place]!);
}

export function rowWeightsOf(table: Table, name: string, rows: Int32Array): Float64Array {
  const column = table.columns.find((each) => each.name === name)!;
  const refuse = (row: number, what: string) => {
    const place = placeOf(table, row);
    return badInput(`${place.words} has ${what} in column ${quoted(name)} (--row-weight).`, {
      ...place.facts,
      remedy: "Give every row a number above 0.",
    });
  };
  if (column.kind !== "numeric") throw refuse(rows[0] ?? 0, "a text");
  return Float64Array.from(rows, (row) => {
    const weight = column.values[row]!;
    if (Number.isNaN(weight)) throw refuse(row, "no weight");
    if (!(weight > 0)) throw refuse(row, `the weight ${weight}`);
    return weight;
  });
}
