/** Describes the clusters of a run: profiles, typical and doubtful rows, rules, broken constraints with reasons, weights of columns. */
import {
  closeConstraints,
  contradictions,
  drive,
  explainSteps,
  featureWeights,
  type Instances,
  idOf,
  type Merge,
  meetingPlaces,
  NO_RULE,
  type Report,
  someRows,
  type Violations,
  violationsOf,
} from "@coterie/core/internal";
import type { Column, NominalColumn, NumericColumn } from "@coterie/data/browser";
import type { ActiveConstraint } from "../log/constraint-log.js";
import type { Watch } from "../pool.js";
import type { Constraint } from "../protocol/knowledge.js";
import type { Understanding } from "../protocol/runs.js";
import { rowsOf as idsOf, letterName, sentenceOf } from "../protocol/sentences.js";
import { everyTurn } from "../run.js";
import type { LoadedTable } from "../tables/loaded-table.js";
import type { TaskTable } from "./compute.js";
import { knownAt, pairKey } from "./known.js";
import type { Lettered } from "./letters.js";
import { doubtOf, marginsOf } from "./margins.js";
import { evenSample } from "./part.js";

const BINS = 24;

const EMPTY: ClusterProfile = { quantiles: null, mean: null, density: null, level: null, share: null };

/** A leaf is added to the tree only if it corrects at least this share of the wrongly placed rows. This keeps the rules short. */
const LEAF_COST = 0.02;

/** Limits on the rules that explain k clusters, so that people can read them. The studio and the command line use the same limits. */
export function shortRules(k: number): { readonly leafCost: number; readonly maxLeaves: number } {
  return { leafCost: LEAF_COST, maxLeaves: 2 * k + 2 };
}

const SHOWN = 5;
/** Rules are learned from at most this number of cells. In a larger table, they are learned from an even sample of the rows. */
const MOST_CELLS = 1_000_000;

export async function understandTask(
  loaded: TaskTable,
  { run, report, active }: { run: Lettered; report: Pick<Report, "merges" | "metric">; active: readonly ActiveConstraint[] },
  watch: Watch,
): Promise<Omit<Understanding, "run">> {
  const { instances } = loaded;
  const k = run.letters.length;
  return {
    clusters: extremes(instances, run.labels, k),
    columns: columnProfiles(loaded, run.labels, k),
    rules: await rulesOf(loaded, run.labels, k, watch),
    broken: brokenBy(loaded, active, run, mergesOf(report.merges)),
    weights: weightsOf(report, instances),
  };
}

function mergesOf(merges: Report["merges"]): Merge[] | undefined {
  return merges?.map(([left, right, height, size]) => [left, right, height ?? Infinity, size] as const);
}

function extremes(points: Instances, labels: Int32Array, k: number): Understanding["clusters"] {
  const margins = marginsOf(points, labels, k);
  const members: number[][] = Array.from({ length: k }, () => []);
  labels.forEach((label, row) => {
    if (label >= 0) members[label]!.push(row);
  });
  return members.map((rows, cluster) => ({
    cluster,
    size: rows.length,
    typical: [...rows].sort((a, b) => margins.own[a]! - margins.own[b]! || a - b).slice(0, SHOWN),
    doubtful: k < 2 ? [] : [...rows].sort((a, b) => doubtOf(margins, b) - doubtOf(margins, a) || a - b).slice(0, SHOWN),
  }));
}

async function rulesOf(
  { instances, host }: TaskTable,
  labels: Int32Array,
  k: number,
  watch: Watch,
): Promise<Understanding["rules"]> {
  const most = Math.max(1_000, Math.floor(MOST_CELLS / Math.max(1, instances.d)));
  const rows = instances.n <= most ? null : evenSample(instances.n, most, []);
  const points = rows ? someRows(instances, rows) : instances;
  const here = rows ? rows.map((row) => labels[row]!) : labels;
  const none = { correct: 0, of: 0, tree: null, clusters: [] };
  // A decision tree needs a value of every column for every row. So if missing cells are skipped, there are no rules.
  if (instances.d === 0 || (instances.holes && !instances.holeFills) || here.every((label) => label < 0)) return none;
  const found = await drive(explainSteps(points, here, shortRules(k)), { pause: host.pause, due: everyTurn(), ...watch });
  const clusters = found.clusters.slice(0, k).map(({ size, coverage }, cluster) => ({
    cluster,
    words: found.rules[cluster] ?? NO_RULE,
    correct: Math.round(coverage * size),
    of: size,
  }));
  const of = clusters.reduce((sum, each) => sum + each.of, 0);
  return { correct: clusters.reduce((sum, each) => sum + each.correct, 0), of, tree: found.tree, clusters };
}

function weightsOf({ metric }: Pick<Report, "metric">, instances: Instances): Understanding["weights"] {
  if (!metric) return null;
  const all = featureWeights(metric, instances);
  return all.flatMap((weights, at) =>
    weights.map(({ name, weight }) => ({ column: name, cluster: all.length === 1 ? null : at, weight })),
  );
}

type ColumnProfile = Understanding["columns"][number];

type ClusterProfile = ColumnProfile["clusters"][number];

function columnProfiles({ table, rows, instances }: LoadedTable, labels: Int32Array, k: number): ColumnProfile[] {
  const features = new Set(instances.names ?? []);
  return table.columns
    .map((column) => ({ name: column.name, feature: features.has(column.name), ...profileOf(column, rows, labels, k) }))
    .sort((a, b) => Number(b.feature) - Number(a.feature) || b.tellsApart - a.tellsApart);
}

function profileOf(column: Column, rows: Int32Array, labels: Int32Array, k: number) {
  return column.kind === "numeric" ? numericProfile(column, rows, labels, k) : nominalProfile(column, rows, labels, k);
}

function numericProfile({ values }: NumericColumn, rows: Int32Array, labels: Int32Array, k: number) {
  const members: number[][] = Array.from({ length: k }, () => []);
  rows.forEach((row, i) => {
    if (labels[i]! >= 0 && !Number.isNaN(values[row]!)) members[labels[i]!]!.push(values[row]!);
  });
  const sorted = members.map((each) => Float64Array.from(each).sort());
  const all = sorted.reduce((count, each) => count + each.length, 0);
  if (all === 0) return { min: null, max: null, tellsApart: 0, clusters: sorted.map(() => EMPTY) };
  const min = sorted.reduce((low, each) => Math.min(low, each[0] ?? Infinity), Infinity);
  const max = sorted.reduce((high, each) => Math.max(high, each.at(-1) ?? -Infinity), -Infinity);
  const mean = sorted.reduce((sum, each) => sum + each.reduce((s, value) => s + value, 0), 0) / all;
  let [between, whole] = [0, 0];
  const clusters = sorted.map((each): ClusterProfile => {
    if (each.length === 0) return EMPTY;
    const own = each.reduce((s, value) => s + value, 0) / each.length;
    between += each.length * (own - mean) ** 2;
    for (const value of each) whole += (value - mean) ** 2;
    return {
      ...EMPTY,
      mean: own,
      quantiles: [0, 0.25, 0.5, 0.75, 1].map((share) => quantile(each, share)),
      density: shape(each, min, max),
    };
  });
  return { min, max, tellsApart: whole > 0 ? Math.min(1, between / whole) : 0, clusters };
}

/** Returns a quantile of sorted values, with linear interpolation between neighbouring values. share: 0.5 for the median. */
function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(sorted.length - 1, low + 1);
  return sorted[low]! + (at - low) * (sorted[high]! - sorted[low]!);
}

function shape(values: Float64Array, min: number, max: number): number[] {
  const bins = new Array<number>(BINS).fill(0);
  for (const value of values)
    bins[max > min ? Math.min(BINS - 1, Math.floor(((value - min) / (max - min)) * BINS)) : 0]! += 1 / values.length;
  return bins;
}

/**
 * The profile of a nominal column. The spread of the column is the probability that two random rows have different levels. `tellsApart` is
 * the share of the spread between the clusters.
 */
function nominalProfile({ codes, levels }: NominalColumn, rows: Int32Array, labels: Int32Array, k: number) {
  const counts = Array.from({ length: k }, () => new Map<number, number>());
  const all = new Map<number, number>();
  const add = (map: Map<number, number>, code: number) => map.set(code, (map.get(code) ?? 0) + 1);
  rows.forEach((row, i) => {
    if (labels[i]! < 0 || codes[row]! < 0) return;
    add(counts[labels[i]!]!, codes[row]!);
    add(all, codes[row]!);
  });
  const size = (map: Map<number, number>) => [...map.values()].reduce((sum, count) => sum + count, 0);
  const differ = (map: Map<number, number>) => {
    const total = size(map);
    return total === 0 ? 0 : 1 - [...map.values()].reduce((sum, count) => sum + (count / total) ** 2, 0);
  };
  const whole = differ(all);
  const within = counts.reduce((sum, each) => sum + (size(each) / (size(all) || 1)) * differ(each), 0);
  const clusters = counts.map((each): ClusterProfile => {
    const total = size(each);
    if (total === 0) return EMPTY;
    const [code, count] = [...each].reduce((best, next) =>
      next[1] > best[1] || (next[1] === best[1] && next[0] < best[0]) ? next : best,
    );
    return { ...EMPTY, level: levels[code]!.slice(0, 1_000), share: count / total };
  });
  return { min: null, max: null, tellsApart: whole > 0 ? Math.max(0, 1 - within / whole) : 0, clusters };
}

type Broken = Understanding["broken"][number];

interface Matter {
  readonly instances: Instances;
  readonly run: Lettered;
  readonly merges: readonly Merge[] | undefined;
  readonly chains: ReadonlyMap<string, readonly number[]>;
  readonly entryOf: (constraint: Constraint) => string | null;
}

function brokenBy(
  loaded: TaskTable,
  active: readonly ActiveConstraint[],
  run: Lettered,
  merges: readonly Merge[] | undefined,
): Broken[] {
  const { instances } = loaded;
  const { set } = knownAt(loaded, active);
  const violations = violationsOf(set, run.labels, merges);
  const chains = new Map(contradictions(closeConstraints(set)).map(({ rows, path }) => [pairKey(...rows), path]));
  const entries = new Map(active.map(({ entry, constraint }) => [keyOf(constraint), entry]));
  const matter: Matter = { instances, run, merges, chains, entryOf: (constraint) => entries.get(keyOf(constraint)) ?? null };
  return sentences(violations, matter);
}

function keyOf(constraint: Constraint): string {
  const ids = idsOf(constraint).map(String);
  switch (constraint.type) {
    case "relative":
      return `relative ${JSON.stringify([ids.slice(0, 2).sort(), ids[2]])}`;
    case "label":
      return `label ${JSON.stringify([ids, constraint.class])}`;
    case "exclusive":
      return `exclusive ${constraint.column}`;
    default:
      return `${constraint.type} ${JSON.stringify(ids.sort())}`;
  }
}

function sentences(violations: Violations, matter: Matter): Broken[] {
  const { instances, run, entryOf } = matter;
  const id = (row: number) => idOf(instances, row);
  const brokenOf = (constraint: Constraint, why: string, cut: Broken["cut"] = null): Broken => ({
    entry: entryOf(constraint),
    sentence: sentenceOf(constraint),
    why,
    cut,
  });
  const apart = apartWords(matter);
  const joined = joinedWords(matter);
  return [
    ...violations.mustLink.map(([a, b]) => brokenOf({ type: "must-link", a: id(a), b: id(b) }, apart(a, b))),
    ...violations.cannotLink.map(([a, b]) => {
      const { why, cut } = joined(a, b);
      return brokenOf({ type: "cannot-link", a: id(a), b: id(b) }, why, cut);
    }),
    ...violations.relative.map(([a, b, c]) =>
      brokenOf(
        { type: "relative", a: id(a), b: id(b), c: id(c) },
        `Row ${id(c)} joins one of the two before they join each other.`,
      ),
    ),
    ...violations.labels.map(([row, name]) =>
      brokenOf(
        { type: "label", a: id(row), class: name },
        `Most rows that are ${name} are in another cluster than ${clusterWords(run, row)}.`,
      ),
    ),
    ...violations.exclusive.map(({ column, value, cluster, rows }) =>
      brokenOf(
        { type: "exclusive", column },
        `${letterName(run.letters[cluster] ?? cluster)} holds ${rows.length} rows with ${column} = ${value}: ${rows.slice(0, 5).map(id).join(", ")}.`,
      ),
    ),
  ];
}

function clusterWords({ labels, letters }: Lettered, row: number): string {
  return labels[row]! < 0 ? "none" : letterName(letters[labels[row]!]!);
}

function apartWords({ instances, run }: Matter): (a: number, b: number) => string {
  const margins = marginsOf(instances, run.labels, run.letters.length);
  return (a, b) => {
    if (run.labels[a]! < 0 || run.labels[b]! < 0) return "One of them is in no cluster.";
    const [doubtful, sure] = doubtOf(margins, a) >= doubtOf(margins, b) ? [a, b] : [b, a];
    const place = `Row ${idOf(instances, sure)} is in ${clusterWords(run, sure)}, row ${idOf(instances, doubtful)} in ${clusterWords(run, doubtful)}`;
    return doubtOf(margins, doubtful) > 0.8
      ? `${place}, and a close call there.`
      : `${place}, and near the middle of it: to keep this would have cost more.`;
  };
}

/**
 * Returns a function that explains why two rows share a cluster although a constraint keeps them apart. For a hierarchy, it also gives the
 * cut that separates them.
 */
function joinedWords({ instances, run, merges, chains }: Matter): (a: number, b: number) => { why: string; cut: Broken["cut"] } {
  const meet = merges ? meetingPlaces(instances.n, merges) : null;
  return (a, b) => {
    const chain = chains.get(pairKey(a, b));
    if (chain && chain.length > 0)
      return {
        why: `Contradiction: ${chain.map((row) => idOf(instances, row)).join(" = ")}. No clustering can keep it.`,
        cut: null,
      };
    if (!meet || !merges)
      return { why: `Both are in ${clusterWords(run, a)}: to keep them apart would have cost more.`, cut: null };
    const merge = meet(a, b) - instances.n;
    const height = merges[merge]?.[2] ?? null;
    const k = instances.n - merge;
    if (height === null || !Number.isFinite(height)) return { why: "They join above every cut that was allowed.", cut: null };
    return {
      why: `They join at height ${Number(height.toPrecision(3))}. Keeping them apart needs ${k} clusters.`,
      cut: { height, k },
    };
  };
}
