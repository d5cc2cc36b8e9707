/** `--pairs`: reads pairs of rows that another program scored. `--pairs-out` and `--golden`: write what a search for duplicates found. */
import { badOption, type Instances, idOf, type Matches, type Result, whyMatched } from "@coterie/core/internal";
import { cellTexts } from "@coterie/core/layout";
import { csvCell, type PairTable, pairsAlone, pairsFor, readPairs, type TableInstances, writePairs } from "@coterie/data";
import { type Io, refuseColumnFlags } from "./command.js";
import { type Flag, flagList, textOf, UsageError, type Values } from "./flags.js";
import type { Progress } from "./progress.js";

export const PAIRS_FLAGS: readonly Flag[] = flagList({
  "--pairs FILE":
    "cluster the scored pairs in FILE (a,b,probability or a,b,weight, also as Splink and recordlinkage write them) instead of comparing columns; DATA is then optional",
  "--pairs-out FILE": "duplicates: write the compared pairs to FILE, with probability and reason",
  "--golden FILE": "duplicates: write one row for each cluster to FILE, with the best value of each column",
  "--golden-rule RULE":
    "value of a column in --golden: frequent (most frequent, then longest), longest, or newest=COL (from the row with the largest value in COL); default: frequent",
});

/** Throws if flags about pairs do not fit together, or do not fit the method. */
export function checkPairs(values: Values, data: string | undefined, algorithm: string): void {
  const flag = ["pairs", "pairs-out", "golden"].find((name) => values[name] !== undefined);
  if (flag !== undefined && algorithm !== "duplicates")
    throw new UsageError(`--${flag} is for duplicates (--algorithm duplicates); ${algorithm} scores no pairs.`);
  if (values["golden-rule"] !== undefined) {
    if (values.golden === undefined) throw new UsageError("--golden-rule needs --golden FILE.");
    goldenRule(values);
  }
  if (values.pairs === undefined || data !== undefined) return;
  if (values.distances !== undefined) throw new UsageError("Give --pairs or --distances, not both.");
  refuseColumnFlags(values, "golden");
}

export async function readGivenPairs(file: string, values: Values, io: Io, progress: Progress): Promise<PairTable> {
  const delimiter = textOf(values, "delimiter");
  return await readPairs(file, {
    ...(delimiter ? { delimiter: delimiter === "tab" || delimiter === "\\t" ? "\t" : delimiter } : {}),
    signal: io.signal,
    onProgress: (done, total) => progress.show({ phase: "reading pairs (bytes)", done, total }),
  });
}

/** Adds the scored pairs of the file to the table. */
export function withPairs(table: TableInstances, given: PairTable): TableInstances {
  const { pairs, notices } = pairsFor(given, table);
  return Object.assign(table, { pairs, notices: [...table.notices, ...given.notices, ...notices] });
}

/** Makes a table from scored pairs alone: its rows are the ids that the file of pairs names. */
export function rowsOfPairs(given: PairTable): TableInstances {
  const { file, contentHash } = given;
  const { n, ids, pairs, notices } = pairsAlone(given);
  const rows = {
    n,
    d: 0,
    x: new Float64Array(0),
    ids,
    pairs,
    rows: Int32Array.from({ length: n }, (_, i) => i),
    total: n,
    dropped: [],
    imputed: 0,
    sources: [],
    notices: [...given.notices, ...notices],
    early: [],
    file,
    contentHash,
  };
  return Object.defineProperty(rows, "contentHash", { enumerable: false });
}

/** Lowest probability of a match for which a pair is written to the file. Pairs of rows in one cluster are always written. */
const LEAST_WRITTEN = 0.01;

/** The compared pairs as CSV, the most probable match first. */
export function pairsFile({ labels }: Pick<Result, "labels">, matches: Matches, instances: Instances): Iterable<string> {
  const { a, b, probability, evidence } = matches;
  const together = (p: number) => labels[a[p]!] === labels[b[p]!];
  const shown = [...probability.keys()].filter((p) => probability[p]! >= LEAST_WRITTEN || together(p));
  shown.sort((p, q) => probability[q]! - probability[p]! || p - q);
  return writePairs(
    (function* () {
      for (const p of shown)
        yield [
          idOf(instances, a[p]!),
          idOf(instances, b[p]!),
          probability[p]!,
          together(p),
          evidence ? whyMatched(evidence, p) : "given",
        ] as const;
    })(),
  );
}

type GoldenRule = { readonly kind: "frequent" | "longest" } | { readonly kind: "newest"; readonly column: string };

function goldenRule(values: Values): GoldenRule {
  const rule = textOf(values, "golden-rule") ?? "frequent";
  if (rule === "frequent" || rule === "longest") return { kind: rule };
  if (rule.startsWith("newest=") && rule.length > "newest=".length)
    return { kind: "newest", column: rule.slice("newest=".length) };
  throw badOption("--golden-rule", rule, "frequent, longest or newest=COL");
}

/**
 * The golden records as CSV: one row for each cluster, with its number, its size, the ids of its rows, and the best value of each column.
 */
export function* goldenFile(
  { labels, sizes }: Pick<Result, "labels"> & { readonly sizes: readonly number[] },
  instances: TableInstances,
  values: Values,
): Generator<string> {
  const rule = goldenRule(values);
  const names = instances.names ?? [];
  const by = rule.kind === "newest" ? names.indexOf(rule.column) : -1;
  if (rule.kind === "newest" && (by < 0 || instances.nominal?.[by] === 1))
    throw badOption(
      "--golden-rule",
      `newest=${rule.column}`,
      `newest=COL with a column of dates or numbers (${names.join(", ")})`,
    );
  const members = sizes.map((): number[] => []);
  labels.forEach((cluster, row) => void members[cluster]?.push(row));
  const texts = names.map((_, f) => cellTexts(instances, f));
  yield `cluster,rows,ids,${names.map(csvCell).join(",")}\n`;
  for (const [cluster, rows] of members.entries()) {
    const ordered = by < 0 ? rows : [...rows].sort((i, j) => valueAt(instances, j, by) - valueAt(instances, i, by) || i - j);
    const cells = texts.map((text) =>
      bestValue(
        ordered.map(text).filter((cell) => cell !== null),
        rule.kind,
      ),
    );
    const ids = rows.map((row) => String(idOf(instances, row))).join(";");
    yield `${[cluster, rows.length, ids, ...cells].map((cell) => csvCell(String(cell))).join(",")}\n`;
  }
}

/** The value of a cell for sorting; a missing cell comes last. */
function valueAt({ x, d }: Instances, row: number, column: number): number {
  const value = x[row * d + column]!;
  return Number.isNaN(value) ? -Infinity : value;
}

/**
 * The best of the cells of a cluster in one column, by the rule `kind`. `cells` has no missing cells; the rule "newest" takes the first
 * cell.
 */
function bestValue(cells: readonly string[], kind: GoldenRule["kind"]): string {
  if (kind === "newest" || cells.length === 0) return cells[0] ?? "";
  const counts = new Map<string, number>();
  for (const cell of cells) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  const score = (cell: string) => (kind === "longest" ? cell.length : counts.get(cell)!);
  return [...counts.keys()].reduce((best, cell) =>
    score(cell) > score(best) || (score(cell) === score(best) && cell.length > best.length) ? cell : best,
  );
}
