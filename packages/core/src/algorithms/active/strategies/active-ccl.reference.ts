/** Reference for tests: active complete linkage by its definition, on plain lists. Every distance, medoid and merge is recomputed. */
import type { PairAnswer } from "../../../steps/index.js";

export interface ReferenceDialogue {
  readonly asked: readonly (readonly [number, number])[];
  readonly labels: readonly number[];
  /**
   * The merges from height alpha up to one cluster. rows: the rows of the merged cluster. height: the distance of the two merged clusters
   * when the merge was proposed.
   */
  readonly merges: readonly { readonly rows: readonly number[]; readonly height: number }[];
}

export interface ReferenceSetting {
  /**
   * `distances`: distances between rows. `constrained`: the same distances after the given constraints are applied. Entries of at least
   * `barred` are pairs that must not be together.
   */
  readonly distances: readonly (readonly number[])[];
  readonly constrained: readonly (readonly number[])[];
  readonly barred: number;
  /** Groups of rows that must-links join. */
  readonly linked: readonly (readonly number[])[];
  readonly k: number;
  readonly budget: number;
  readonly share: number;
  readonly answer: (i: number, j: number) => PairAnswer;
}

interface Cluster {
  readonly rows: readonly number[];
}

export function activeCclReference(setting: ReferenceSetting): ReferenceDialogue {
  const { k, barred, budget, answer } = setting;
  const n = setting.distances.length;
  const alpha = alphaOf(setting);
  const d = new Map<Cluster, Map<Cluster, { length: number; bar: boolean }>>();
  let clusters: Cluster[] = startClusters(setting);
  for (const a of clusters) d.set(a, new Map(clusters.map((b) => [b, entryOf(setting, a, b)])));
  const entry = (a: Cluster, b: Cluster) => d.get(a)!.get(b)!;
  const set = (a: Cluster, b: Cluster, length: number, bar: boolean): void => {
    d.get(a)!.set(b, { length, bar });
    d.get(b)!.set(a, { length, bar });
  };
  const merges: { rows: readonly number[]; height: number }[] = [];
  const merge = (a: Cluster, b: Cluster, height: number): void => {
    const union = { rows: [...a.rows, ...b.rows].sort((x, y) => x - y) };
    merges.push({ rows: union.rows, height });
    d.set(union, new Map());
    for (const x of clusters) {
      if (x === a || x === b) continue;
      set(union, x, Math.max(entry(a, x).length, entry(b, x).length), entry(a, x).bar || entry(b, x).bar);
    }
    // Clusters stay in the order of their lowest start cluster, because ties are broken by this order.
    clusters = clusters.map((x) => (x === a ? union : x)).filter((x) => x !== b);
  };
  const contract = (a: Cluster, b: Cluster): void => {
    const others = clusters.filter((x) => x !== a && x !== b);
    for (const x of others) {
      if (!entry(a, x).bar && !entry(b, x).bar) continue;
      for (const end of [a, b]) set(end, x, entry(end, x).length, true);
    }
    const ends = [a, b];
    const near = others.filter((x) => !entry(a, x).bar);
    const reach = new Map(near.map((x) => [x, Math.min(...ends.map((end) => entry(end, x).length))]));
    for (const x of near) for (const end of ends) set(end, x, reach.get(x)!, false);
    for (const x of near) {
      for (const y of near) {
        if (x === y || entry(x, y).bar) continue;
        set(x, y, Math.min(entry(x, y).length, reach.get(x)! + reach.get(y)!), false);
      }
    }
  };

  const asked: (readonly [number, number])[] = [];
  const joined: (readonly [number, number])[] = setting.linked.flatMap((rows) => rows.map((row) => [rows[0]!, row] as const));
  const isJoined = (i: number, j: number): boolean => reaches(joined, i, j);
  const nearest = (): readonly [Cluster, Cluster] => {
    let best: readonly [Cluster, Cluster] | undefined;
    for (const a of clusters) {
      for (const b of clusters.slice(clusters.indexOf(a) + 1)) {
        if (best === undefined || effective(entry(a, b), barred) < effective(entry(...best), barred)) best = [a, b];
      }
    }
    return best!;
  };
  while (clusters.length > k) {
    const [a, b] = nearest();
    const height = entry(a, b).bar ? Infinity : entry(a, b).length;
    if (effective(entry(a, b), barred) >= alpha && !entry(a, b).bar && asked.length < budget) {
      const roots = [medoid(setting, a), medoid(setting, b)] as const;
      const known = isJoined(...roots);
      if (!known) asked.push(roots);
      const given = known ? "same" : answer(...roots);
      if (given === "different") {
        set(a, b, entry(a, b).length, true);
        continue;
      }
      if (given === "same") {
        joined.push(roots);
        contract(a, b);
      }
    }
    merge(a, b, height);
  }
  const labels = Array.from({ length: n }, (_, row) => clusters.findIndex(({ rows }) => rows.includes(row)));
  while (clusters.length > 1) {
    const [a, b] = nearest();
    merge(a, b, entry(a, b).bar ? Infinity : entry(a, b).length);
  }
  return { asked, labels, merges };
}

function effective({ length, bar }: { readonly length: number; readonly bar: boolean }, barred: number): number {
  return bar ? barred + length : length;
}

function entryOf({ constrained, barred }: ReferenceSetting, a: Cluster, b: Cluster): { length: number; bar: boolean } {
  const entries = a.rows.flatMap((i) => b.rows.map((j) => constrained[i]![j]!));
  const lengths = entries.map((value) => (value >= barred ? value - barred : value));
  return { length: Math.max(...lengths), bar: entries.some((value) => value >= barred) };
}

function medoid({ distances }: ReferenceSetting, { rows }: Cluster): number {
  const totals = rows.map((i) => rows.reduce((sum, j) => sum + distances[i]![j]!, 0));
  return rows[totals.indexOf(Math.min(...totals))]!;
}

/** The merges of complete linkage without questions, on the distances under constraints. Must-linked rows merge first. */
function plainMerges(setting: ReferenceSetting): { readonly height: number; readonly a: Cluster; readonly b: Cluster }[] {
  const { constrained, linked } = setting;
  const merges: { readonly height: number; readonly a: Cluster; readonly b: Cluster }[] = [];
  let clusters: Cluster[] = constrained.map((_, row) => ({ rows: [row] }));
  const height = (a: Cluster, b: Cluster): number => {
    const together = linked.find(
      (rows) => a.rows.every((row) => rows.includes(row)) && b.rows.every((row) => rows.includes(row)),
    );
    return together ? -1 : Math.max(...a.rows.flatMap((i) => b.rows.map((j) => constrained[i]![j]!)));
  };
  while (clusters.length > 1) {
    let best: { readonly height: number; readonly a: Cluster; readonly b: Cluster } | undefined;
    for (const a of clusters) {
      for (const b of clusters.slice(clusters.indexOf(a) + 1)) {
        const h = height(a, b);
        if (best === undefined || h < best.height) best = { height: h, a, b };
      }
    }
    const { a, b } = best!;
    merges.push(best!);
    clusters = [...clusters.filter((x) => x !== a && x !== b), { rows: [...a.rows, ...b.rows] }];
  }
  return merges;
}

function alphaOf(setting: ReferenceSetting): number {
  const { distances, k, share, budget, barred } = setting;
  const heights = plainMerges(setting).map(({ height }) => height);
  const free = heights.filter((height) => height < barred).length;
  const links = heights.filter((height) => height < 0).length;
  const last = Math.min(free, distances.length - k);
  const first = Math.max(links, last - Math.round(share * budget));
  return heights[first] ?? Infinity;
}

/** The clusters that exist when the questions start, after all merges below height alpha, ordered by their lowest rows. */
function startClusters(setting: ReferenceSetting): Cluster[] {
  const alpha = alphaOf(setting);
  const pairs = plainMerges(setting)
    .filter(({ height }) => height < alpha)
    .map(({ a, b }) => [a.rows[0]!, b.rows[0]!] as const);
  const clusters: Cluster[] = [];
  setting.distances.forEach((_, row) => {
    if (clusters.some(({ rows }) => rows.includes(row))) return;
    clusters.push({ rows: setting.distances.map((_, other) => other).filter((other) => reaches(pairs, row, other)) });
  });
  return clusters;
}

function reaches(pairs: readonly (readonly [number, number])[], from: number, to: number): boolean {
  const reached = new Set([from]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const [i, j] of pairs) {
      if (reached.has(i) === reached.has(j)) continue;
      reached.add(i).add(j);
      grown = true;
    }
  }
  return reached.has(to);
}
