/** Compares two clusterings of the same rows: which clusters correspond, which rows moved, and the scores of both. */
import {
  badInput,
  contingency,
  type Instances,
  idOf,
  type Scores,
  type ScoresOverClustered,
  SILHOUETTE_ROWS,
  silhouette,
  violationsOf,
} from "@coterie/core/internal";
import { expand, readRow } from "@coterie/core/layout";
import type { ActiveConstraint } from "../log/constraint-log.js";
import type { Comparison } from "../protocol/runs.js";
import { rowsOf } from "../protocol/sentences.js";
import type { TaskTable } from "./compute.js";
import { knownAt } from "./known.js";
import { matchedTo } from "./letters.js";

export interface ComparedRun {
  readonly labels: Int32Array;
  readonly k: number;
  readonly scores: Scores | null;
  readonly clustered: ScoresOverClustered | null;
  /** For each score, by its title in `SCORE_TITLES`: its values in runs with other seeds. */
  readonly spread: Readonly<Record<string, readonly number[]>> | null;
}

export interface CompareInput {
  readonly active: readonly ActiveConstraint[];
  readonly before: ComparedRun;
  readonly after: ComparedRun;
}

export type CompareOutput = Omit<Comparison, "before" | "after">;

export async function compareTask(loaded: TaskTable, { active, before, after }: CompareInput): Promise<CompareOutput> {
  const { instances } = loaded;
  if (before.labels.length !== instances.n || after.labels.length !== instances.n)
    throw badInput("The two runs are about other rows than the table has now.", { remedy: "Run again, then compare." });
  const matched = matchedTo(after.labels, after.k, before.labels);
  return {
    matched,
    flows: flowsOf(before, after),
    moved: movedRows(loaded, active, before, after, matched),
    rows: [...knowledgeRows(loaded, active, before, after), ...truthRows(before, after), ...shapeRows(instances, before, after)],
  };
}

function flowsOf(before: ComparedRun, after: ComparedRun): number[][] {
  const flows = Array.from({ length: before.k }, () => new Array<number>(after.k).fill(0));
  const { start, column, count } = contingency(before.labels, after.labels);
  for (let r = 0; r + 1 < start.length && r < before.k; r++)
    for (let p = start[r]!; p < start[r + 1]!; p++) flows[r]![column[p]!] = count[p]!;
  return flows;
}

function movedRows(
  loaded: TaskTable,
  active: readonly ActiveConstraint[],
  before: ComparedRun,
  after: ComparedRun,
  matched: readonly number[],
): Comparison["moved"] {
  const spoken = new Set(active.flatMap(({ constraint }) => rowsOf(constraint).map((id) => loaded.rowOf.get(String(id)) ?? -1)));
  const moved: Comparison["moved"] = [];
  for (let row = 0; row < after.labels.length; row++) {
    const [from, to] = [before.labels[row]!, after.labels[row]!];
    if ((to < 0 ? -1 : matched[to]!) === from) continue;
    moved.push({ row, id: idOf(loaded.instances, row), from, to, why: spoken.has(row) ? "answered" : "follows" });
  }
  return moved;
}

type Row = Comparison["rows"][number];

function rowOf(
  group: string,
  title: string,
  before: ComparedRun,
  after: ComparedRun,
  values: readonly [number | null, number | null],
): Row {
  return {
    group,
    title,
    before: values[0],
    after: values[1],
    spreadBefore: spreadOf(before.spread?.[title]),
    spreadAfter: spreadOf(after.spread?.[title]),
  };
}

function spreadOf(values: readonly number[] | undefined): [number, number] | null {
  if (!values || values.length < 2) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return [mean, Math.sqrt(variance)];
}

function knowledgeRows(loaded: TaskTable, active: readonly ActiveConstraint[], before: ComparedRun, after: ComparedRun): Row[] {
  const { set } = knownAt(loaded, active);
  const broken = [before, after].map(({ labels }) => violationsOf(set, labels));
  const kinds = [
    ["Must-links broken", set.mustLinks.a.length, "mustLink"],
    ["Cannot-links broken", set.cannotLinks.a.length, "cannotLink"],
    ["Relative broken", set.relative.a.length, "relative"],
    ["Labels broken", set.labels.row.length, "labels"],
    ["Exclusive groups broken", set.exclusive.length, "exclusive"],
  ] as const;
  return kinds
    .filter(([, count]) => count > 0)
    .map(([words, count, kind]) => {
      const title = kind === "exclusive" ? words : `${words} of ${count}`;
      return rowOf("Your knowledge", title, before, after, [broken[0]![kind].length, broken[1]![kind].length]);
    });
}

export const SCORE_TITLES: readonly (readonly [keyof Scores, string])[] = [
  ["adjustedRand", "Adjusted Rand"],
  ["normalizedMutualInformation", "Normalised mutual information"],
  ["rand", "Rand"],
  ["pairwiseF", "Pairwise F"],
  ["constrainedRand", "Constrained Rand"],
];

function truthRows(before: ComparedRun, after: ComparedRun): Row[] {
  if (before.scores === null && after.scores === null) return [];
  const all = SCORE_TITLES.map(([score, title]) =>
    rowOf("Against known classes", title, before, after, [before.scores?.[score] ?? null, after.scores?.[score] ?? null]),
  );
  if (before.clustered === null && after.clustered === null) return all;
  const [first, second] = [before, after].map(({ scores, clustered }) => clustered ?? scores);
  const rows = [before, after].map(({ clustered }) => (clustered === null ? "all rows" : counted(clustered.rows)));
  const words = rows[0] === rows[1] ? rows[0]! : `${rows[0]} before, ${rows[1]} after`;
  // These scores are over clustered rows. The spread over seeds is only known for scores over all rows.
  const alone = SCORE_TITLES.map(([score, title]) => ({
    ...rowOf(`Against known classes, over clustered rows alone: ${words}`, title, before, after, [
      first?.[score] ?? null,
      second?.[score] ?? null,
    ]),
    spreadBefore: null,
    spreadAfter: null,
  }));
  return [
    ...all.map((row) => ({ ...row, group: `${row.group}, each row in no cluster counted as a cluster of its own` })),
    ...alone,
  ];
}

function counted(rows: number): string {
  return `${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"}`;
}

function shapeRows(points: Instances, before: ComparedRun, after: ComparedRun): Row[] {
  const runs = [before, after] as const;
  const squares = runs.map(({ labels, k }) => squaresWithin(points, labels, k)) as [number | null, number | null];
  const widths = runs.map(({ labels, k }) => silhouette(points, labels, k)) as [number | null, number | null];
  return [
    rowOf("Shape", "Squared distance to centres", before, after, squares),
    rowOf("Shape", points.n > SILHOUETTE_ROWS ? "Silhouette, of a sample" : "Silhouette", before, after, widths),
  ];
}

function squaresWithin(points: Instances, labels: Int32Array, k: number): number | null {
  if (points.d === 0) return null;
  const expansion = expand(points, {});
  const [width, row] = [expansion.size, new Float64Array(expansion.size)];
  const [sums, squares, sizes] = [new Float64Array(k * width), new Float64Array(k), new Float64Array(k)];
  for (let i = 0; i < points.n; i++) {
    const c = labels[i]!;
    if (c < 0) continue;
    readRow(points, expansion, i, row);
    sizes[c]!++;
    for (let j = 0; j < width; j++) {
      sums[c * width + j]! += row[j]!;
      squares[c]! += row[j]! ** 2;
    }
  }
  let total = 0;
  for (let c = 0; c < k; c++) {
    let mean = 0;
    for (let j = 0; j < width; j++) mean += sums[c * width + j]! ** 2;
    total += squares[c]! - mean / (sizes[c] || 1);
  }
  return Math.max(0, total);
}
