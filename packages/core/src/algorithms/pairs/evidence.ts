import type { Clustering, LevelWeights, MatchCounts, MatchEvidence, Matches } from "../../model/result.js";

/** Explains a pair in words: the level of likeness and the weight of each column, the largest weight first. */
export function whyMatched({ columns, levelNames, levels, weights }: MatchEvidence, pair: number): string {
  const parts = columns.map((column, c) => {
    const level = levels[pair * columns.length + c]!;
    const weight = level === 0 ? 0 : weights[c * levelNames.length + level - 1]!;
    return { text: level === 0 ? `${column} missing` : `${column} ${levelNames[level - 1]} (${signed(weight)})`, weight };
  });
  parts.sort((one, other) => Math.abs(other.weight) - Math.abs(one.weight));
  return parts.map(({ text }) => text).join(", ");
}

/** For each column: the weight of each level of likeness. Null for levels that no pair has. */
export function levelWeights({ columns, levelNames, levels, weights }: MatchEvidence): LevelWeights[] {
  const seen = new Uint8Array(weights.length);
  for (let q = 0; q < levels.length; q++) if (levels[q]! > 0) seen[(q % columns.length) * levelNames.length + levels[q]! - 1] = 1;
  return columns.map((column, c) => ({
    column,
    levels: Object.fromEntries(
      levelNames.map((name, l) => {
        const at = c * levelNames.length + l;
        return [name, seen[at] === 1 ? Number(weights[at]!.toFixed(4)) : null];
      }),
    ),
  }));
}

/** A weight with its sign and one decimal: "+2.5", "-0.7". */
export function signed(weight: number): string {
  return `${weight < 0 ? "-" : "+"}${Math.abs(weight).toFixed(1)}`;
}

/** A pair is doubtful if its probability is within these bounds. */
const DOUBT = [0.1, 0.9] as const;

export function matchCounts({ probability }: Pick<Matches, "probability">, sizes: readonly number[]): MatchCounts {
  const groups = sizes.filter((size) => size > 1);
  return {
    groups: groups.length,
    rows: groups.reduce((sum, size) => sum + size, 0),
    doubtful: probability.reduce((count, chance) => count + (chance >= DOUBT[0] && chance <= DOUBT[1] ? 1 : 0), 0),
  };
}

/**
 * The share of true pairs that are among the compared pairs. A true pair has two rows of one known class. Null if there are no true pairs.
 */
export function comparedShare({ a, b }: Pick<Matches, "a" | "b">, classes: Int32Array): number | null {
  const sizes = new Map<number, number>();
  for (const code of classes) if (code >= 0) sizes.set(code, (sizes.get(code) ?? 0) + 1);
  let [all, compared] = [0, 0];
  for (const size of sizes.values()) all += (size * (size - 1)) / 2;
  for (let p = 0; p < a.length; p++) if (classes[a[p]!]! >= 0 && classes[a[p]!] === classes[b[p]!]) compared++;
  return all === 0 ? null : compared / all;
}

export interface MatchGroup {
  readonly cluster: number;
  readonly rows: readonly number[];
  /**
   * How well the least certain row fits. Each row has its largest probability of a match with another row of the group, or 0. The support
   * is the smallest of these probabilities.
   */
  readonly support: number;
}

/** The clusters with at least two rows. The group with the least support comes first. */
export function matchGroups(
  { a, b, probability }: Matches,
  { labels, sizes }: Pick<Clustering, "labels" | "sizes">,
): MatchGroup[] {
  const best = new Float64Array(labels.length);
  for (let p = 0; p < a.length; p++) {
    const [i, j] = [a[p]!, b[p]!];
    if (labels[i] !== labels[j]) continue;
    best[i] = Math.max(best[i]!, probability[p]!);
    best[j] = Math.max(best[j]!, probability[p]!);
  }
  const rows = sizes.map((): number[] => []);
  labels.forEach((cluster, i) => {
    if (cluster >= 0) rows[cluster]!.push(i);
  });
  const groups = rows.flatMap((own, cluster) =>
    own.length < 2 ? [] : [{ cluster, rows: own, support: own.reduce((least, i) => Math.min(least, best[i]!), 1) }],
  );
  return groups.sort((one, other) => one.support - other.support || one.cluster - other.cluster);
}

/**
 * Among the pairs with rows in different clusters, the pairs with the largest probability of a match. Returns at most `most` indices of
 * pairs.
 */
export function nearMisses({ a, b, probability }: Matches, labels: Int32Array, most: number): number[] {
  const apart = [...probability.keys()].filter((p) => labels[a[p]!] !== labels[b[p]!]);
  return apart.sort((p, q) => probability[q]! - probability[p]! || p - q).slice(0, most);
}
