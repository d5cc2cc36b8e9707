/** What sets clusters apart, column by column, over every column of the file: quartiles and shapes of numbers, common levels of texts. */
import type { Column, NominalColumn, NumericColumn } from "@coterie/data/browser";
import type { Understanding } from "../protocol/runs.js";
import type { LoadedTable } from "../tables/loaded-table.js";

type ColumnProfile = Understanding["columns"][number];
type ClusterProfile = ColumnProfile["clusters"][number];

const BINS = 24;

/** The most telling columns first; rows in no cluster are left out. */
export function columnProfiles({ table, rows, instances }: LoadedTable, labels: Int32Array, k: number): ColumnProfile[] {
  const features = new Set(instances.names ?? []);
  return table.columns
    .map((column) => ({ name: column.name, feature: features.has(column.name), ...profileOf(column, rows, labels, k) }))
    .sort((a, b) => Number(b.feature) - Number(a.feature) || b.tellsApart - a.tellsApart);
}

function profileOf(column: Column, rows: Int32Array, labels: Int32Array, k: number) {
  return column.kind === "numeric" ? numericProfile(column, rows, labels, k) : nominalProfile(column, rows, labels, k);
}

const EMPTY: ClusterProfile = { quantiles: null, mean: null, density: null, level: null, share: null };

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

/** Between two values the line through them. */
function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(sorted.length - 1, low + 1);
  return sorted[low]! + (at - low) * (sorted[high]! - sorted[low]!);
}

/** Shares of the values in equal bins over the column's range. */
function shape(values: Float64Array, min: number, max: number): number[] {
  const bins = new Array<number>(BINS).fill(0);
  for (const value of values)
    bins[max > min ? Math.min(BINS - 1, Math.floor(((value - min) / (max - min)) * BINS)) : 0]! += 1 / values.length;
  return bins;
}

/** For levels, spread is the chance that two rows differ; what knowing the cluster takes away from it tells clusters apart. */
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
