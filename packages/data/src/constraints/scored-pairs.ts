/**
 * Reads scored pairs of rows from a table: two columns of ids, and a column with a probability or a weight. So Coterie can cluster pairs
 * that another program scored. It recognises the column names of Splink and recordlinkage.
 */
import { badInput, exp, type InstanceId, log, type ScoredPairs } from "@coterie/core/internal";
import { csvCell } from "../csv/csv-write.js";
import { counted, listed, quoted } from "../table/sentences.js";
import type { Column, NominalColumn, ReadOptions, Table } from "../table/table.js";
import { MOST_LONE_ROWS, type NamedRows, namingFinder, type RowFinder, rowFinder } from "./row-names.js";

/**
 * Names of the two id columns, in any case. Splink writes unique_id_l and unique_id_r; recordlinkage writes the last four pairs of names.
 */
const IDS: readonly (readonly [string, string])[] = [
  ["a", "b"],
  ["id_a", "id_b"],
  ["unique_id_l", "unique_id_r"],
  ["id_l", "id_r"],
  ["left_id", "right_id"],
  ["id_left", "id_right"],
  ["ltable_id", "rtable_id"],
  ["id1", "id2"],
  ["id_1", "id_2"],
  ["rec_id_1", "rec_id_2"],
  ["level_0", "level_1"],
];
/** Names of columns with the probability of a match. recordlinkage gives this column no name, so pandas calls it 0. */
const PROBABILITIES = ["probability", "match_probability", "prob", "score", "confidence", "0"];
/** Names of columns with a weight of evidence in bits: log2(probability / (1 - probability)). */
const WEIGHTS = ["weight", "match_weight"];

const SHAPE = "Name the columns a, b and probability (0 to 1), or a, b and weight (log2 of the odds of a match).";

/** Scored pairs as they stand in a file, before their ids are looked up. */
export interface PairTable {
  readonly file: string;
  readonly notices: readonly string[];
  readonly first: NominalColumn;
  readonly second: NominalColumn;
  readonly score: Column;
  readonly isWeight: boolean;
  readonly lineOf: (row: number) => number;
  contentHash(): Promise<string>;
}

export interface PairsFor {
  readonly pairs: ScoredPairs;
  readonly notices: readonly string[];
}

/** How to read the columns of a file of pairs: ids as text, and only the needed columns. */
export function pairReading(): Pick<ReadOptions, "guess" | "skip" | "rowNames"> {
  const isId = (name: string) => IDS.flat().includes(lower(name));
  const isScore = (name: string) => [...PROBABILITIES, ...WEIGHTS].includes(lower(name));
  return { guess: isId, skip: (name) => !isId(name) && !isScore(name), rowNames: "(row names)" };
}

function lower(name: string): string {
  return name.trim().toLowerCase();
}

export function pairTableOf(table: Table): PairTable {
  const { file, notices, contentHash } = table;
  const named = new Map(table.columns.map((column) => [lower(column.name), column]));
  const ids = IDS.find((pair) => pair.every((name) => named.has(name)));
  const scoreName = [...PROBABILITIES, ...WEIGHTS].find((name) => named.has(name));
  if (!ids || scoreName === undefined) {
    const names = [...table.columns.map(({ name }) => name), ...(table.skipped ?? [])];
    throw badInput(
      `The file has no ${ids ? "column with a score" : "two columns with ids"}: its columns are ${listed(names, 30)}.`,
      {
        file,
        line: 1,
        remedy: SHAPE,
      },
    );
  }
  const [first, second] = ids.map((name) => textColumn(named.get(name)!)) as [NominalColumn, NominalColumn];
  return {
    file,
    notices,
    first,
    second,
    score: named.get(scoreName)!,
    isWeight: WEIGHTS.includes(scoreName),
    lineOf: (row) => table.lineOf?.(row) ?? row + 2,
    contentHash,
  };
}

/** Turns an id column of whole numbers (from Parquet, Arrow or another typed format) into texts, because ids are compared as texts. */
function textColumn(column: Column): NominalColumn {
  if (column.kind === "nominal") return column;
  const codeOf = new Map<number, number>();
  const codes = Int32Array.from(column.values, (value) => {
    if (Number.isNaN(value)) return -1;
    if (!codeOf.has(value)) codeOf.set(value, codeOf.size);
    return codeOf.get(value)!;
  });
  return { kind: "nominal", name: column.name, codes, levels: [...codeOf.keys()].map(String), missing: column.missing };
}

export function pairsFor(given: PairTable, rows: NamedRows): PairsFor {
  return pairsWith(given, rowFinder(rows), rows.n);
}

/** Pairs without a table: each id in the file becomes a row, in the order in which the file first names it. */
export function pairsAlone(given: PairTable): PairsFor & { readonly n: number; readonly ids: readonly string[] } {
  const ids: string[] = [];
  const found = pairsWith(given, namingFinder(ids), MOST_LONE_ROWS);
  return { ...found, n: ids.length, ids };
}

function pairsWith(given: PairTable, finder: RowFinder, n: number): PairsFor {
  const { file, first, second, lineOf } = given;
  const count = first.codes.length;
  const rowOf = [new Int32Array(first.levels.length).fill(-1), new Int32Array(second.levels.length).fill(-1)] as const;
  const rowAt = (column: NominalColumn, known: Int32Array, at: number): number => {
    const code = column.codes[at]!;
    if (code < 0)
      throw badInput(`Column ${quoted(column.name)} has no id.`, { file, line: lineOf(at), remedy: "Every pair needs two ids." });
    if (known[code]! < 0) known[code] = finder.byId(column.levels[code]!, { file, line: lineOf(at) });
    return known[code]!;
  };
  const placeOf = new Map<number, number>();
  const [a, b, probability, lines]: number[][] = [[], [], [], []];
  let repeated = 0;
  for (let at = 0; at < count; at++) {
    const [u, v] = [rowAt(first, rowOf[0], at), rowAt(second, rowOf[1], at)];
    const chance = probabilityAt(given, at);
    if (u === v)
      throw badInput(`The pair has the id ${quoted(first.levels[first.codes[at]!]!)} twice.`, {
        file,
        line: lineOf(at),
        remedy: "Leave pairs of a row with itself out.",
      });
    const key = Math.min(u, v) * n + Math.max(u, v);
    const before = placeOf.get(key);
    if (before === undefined) {
      placeOf.set(key, a!.push(Math.min(u, v)) - 1);
      b!.push(Math.max(u, v));
      probability!.push(chance);
      lines!.push(at);
    } else if (Math.abs(probability![before]! - chance) <= SAME) repeated++;
    else
      throw badInput(
        `The pair has the probability ${short(chance)} here and ${short(probability![before]!)} in line ${lineOf(lines![before]!)}.`,
        { file, line: lineOf(at), remedy: "Keep one score for each pair; both directions count as one pair." },
      );
  }
  return {
    pairs: { a: Int32Array.from(a!), b: Int32Array.from(b!), probability: Float64Array.from(probability!) },
    notices: repeated === 0 ? [] : [`${file} repeats ${counted(repeated, "pair")} with the same score: each is used once.`],
  };
}

/** Two scores of one pair count as equal up to this difference: programs write probabilities with few digits. */
const SAME = 1e-6;

function short(value: number): number {
  return Number(value.toPrecision(6));
}

function probabilityAt({ file, score, isWeight, lineOf }: PairTable, at: number): number {
  const value = score.kind === "numeric" ? score.values[at]! : Number.NaN;
  const text = score.kind === "nominal" ? (score.levels[score.codes[at]!] ?? "") : String(value);
  if (isWeight && Number.isFinite(value)) return 1 / (1 + exp(-value * log(2)));
  if (!isWeight && value >= 0 && value <= 1) return value;
  const isMissing = text === "" || (score.kind === "numeric" && Number.isNaN(value));
  const remedy = isWeight ? "Weights are numbers: log2 of the odds of a match." : "Probabilities are numbers from 0 to 1.";
  throw badInput(isMissing ? "The pair has no score." : `The ${isWeight ? "weight" : "probability"} is ${quoted(text)}.`, {
    file,
    line: lineOf(at),
    remedy,
  });
}

/** Writes pairs as a CSV file that `pairTableOf` can read again. The column `why` explains each score. */
export function* writePairs(
  rows: Iterable<readonly [a: InstanceId, b: InstanceId, probability: number, together: boolean, why: string]>,
): Generator<string, void, void> {
  let piece = "a,b,probability,together,why\n";
  for (const [a, b, probability, together, why] of rows) {
    piece += `${csvCell(String(a))},${csvCell(String(b))},${short(probability)},${together},${csvCell(why)}\n`;
    if (piece.length < 1 << 16) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}
