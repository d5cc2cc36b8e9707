/**
 * The shape of a dendrogram and its cuts. Merges are those of a report: [left, right, height, size], numbered as SciPy does it;
 * a null height is a merge that a constraint forbids, and is not drawn.
 */

export type Merge = readonly [number, number, number | null, number];

export interface Shape {
  readonly n: number;
  readonly merges: readonly Merge[];
  /** Rows from left to right. */
  readonly order: Int32Array;
  /** Of each node, rows first, then merges: its place from left to right, in leaves. */
  readonly x: Float64Array;
  readonly top: number;
}

export function shapeOf(merges: readonly Merge[], n: number): Shape {
  const x = new Float64Array(n + merges.length);
  const order = new Int32Array(n);
  const isChild = new Uint8Array(n + merges.length);
  for (const [left, right] of merges) {
    isChild[left] = 1;
    isChild[right] = 1;
  }
  let placed = 0;
  // A stack of its own: trees of chains are as deep as there are rows.
  const stack: number[] = [];
  for (let root = n + merges.length - 1; root >= 0; root--) if (!isChild[root]) stack.push(root);
  stack.reverse();
  while (stack.length > 0) {
    const node = stack.pop()!;
    if (node < n) {
      x[node] = placed;
      order[placed++] = node;
      continue;
    }
    const [left, right] = merges[node - n]!;
    stack.push(right, left);
  }
  let top = 0;
  merges.forEach(([left, right, height], i) => {
    x[n + i] = (x[left]! + x[right]!) / 2;
    if (height !== null) top = Math.max(top, height);
  });
  return { n, merges, order, x, top };
}

/** The most clusters that differ: one merge each. */
export function leastClusters({ n, merges }: Shape): number {
  return Math.max(1, n - merges.filter(([, , height]) => height !== null).length);
}

/** The cluster of each node when the last merges are undone until k are left: named by the branch's node, -1 above the cut. */
export function branchesAt({ n, merges }: Shape, k: number): Int32Array {
  const kept = Math.max(0, n - Math.max(1, k));
  const branch = new Int32Array(n + merges.length).fill(-1);
  const isChild = new Uint8Array(n + merges.length);
  for (let i = 0; i < kept; i++) {
    isChild[merges[i]![0]] = 1;
    isChild[merges[i]![1]] = 1;
  }
  for (let node = n + kept - 1; node >= 0; node--) {
    if (!isChild[node]) branch[node] = node;
    if (node < n) continue;
    const [left, right] = merges[node - n]!;
    branch[left] = branch[node]!;
    branch[right] = branch[node]!;
  }
  return branch;
}

/** Between which heights k clusters lie. */
export function bandOf({ n, merges, top }: Shape, k: number): readonly [number, number] {
  const below = merges[n - k - 1]?.[2] ?? 0;
  const above = k === 1 ? top * 1.08 : (merges[n - k]?.[2] ?? top);
  return [below ?? 0, above];
}

/** How many clusters a line at a height cuts into: as many as branches cross it. */
export function clustersAt(shape: Shape, height: number): number {
  const joined = shape.merges.filter(([, , at]) => at !== null && at <= height).length;
  return Math.max(leastClusters(shape), shape.n - joined);
}

/** The letter of each branch: that of the cluster that most of its rows are in, each letter once. */
export function slotsOfBranches(branch: Int32Array, slots: Int32Array, n: number): ReadonlyMap<number, number> {
  const votes = new Map<number, Map<number, number>>();
  for (let row = 0; row < n; row++) {
    const own = votes.get(branch[row]!) ?? new Map<number, number>();
    votes.set(branch[row]!, own);
    own.set(slots[row]!, (own.get(slots[row]!) ?? 0) + 1);
  }
  const wishes = [...votes].flatMap(([node, own]) => [...own].map(([slot, count]) => ({ node, slot, count })));
  wishes.sort((a, b) => b.count - a.count);
  const given = new Map<number, number>();
  const taken = new Set<number>();
  for (const { node, slot } of wishes) {
    if (given.has(node) || taken.has(slot) || slot < 0) continue;
    given.set(node, slot);
    taken.add(slot);
  }
  let free = 0;
  for (const node of votes.keys()) {
    if (given.has(node)) continue;
    while (taken.has(free)) free++;
    given.set(node, free);
    taken.add(free);
  }
  return given;
}

/** Heights on a scale that leaves room for the low merges, where most of them are. */
export function scaleOf(top: number, height: number): (value: number) => number {
  return (value) => height - Math.sqrt(Math.max(0, value) / (top || 1)) * height;
}

/** The height under a place on the same scale. */
export function heightAt(top: number, height: number, y: number): number {
  return ((height - Math.max(0, Math.min(height, y))) / height) ** 2 * top;
}

const TICK_GAP = 44;

/** Round heights from the top down to 0, no two closer than their words are high; low ones are round at their own size. */
export function heightTicks(top: number, height: number): readonly number[] {
  if (!(top > 0 && top < Infinity)) return [0];
  const y = scaleOf(top, height);
  const found = [0];
  for (let size = 10 ** (Math.floor(Math.log10(top)) - 2); size <= top; size *= 10)
    for (const factor of [1, 2, 5]) {
      const at = Number((factor * size).toPrecision(2));
      if (at <= top && y(found.at(-1)!) - y(at) >= TICK_GAP) found.push(at);
    }
  const last = found.at(-1)!;
  // Above the last of these the scale is even enough for equal steps.
  for (let at = 2 * last; last > 0 && at <= top && y(at - last) - y(at) >= TICK_GAP; at += last)
    found.push(Number(at.toPrecision(6)));
  return found;
}

/** A person looks at few cuts; the merges below hold a handful of rows each. */
const MOST_CUTS = 200;

interface CutRow {
  readonly k: number;
  readonly from: number;
  readonly to: number;
  /** The sizes of the two branches that join above; null where nothing may join. */
  readonly joins: readonly [number, number] | null;
}

/** The cuts from the fewest clusters on: between which heights each lies, and what would join next. */
export function cutRows(shape: Shape, most = MOST_CUTS): readonly CutRow[] {
  const { n, merges } = shape;
  const least = leastClusters(shape);
  const sizeOf = (node: number) => (node < n ? 1 : merges[node - n]![3]);
  return Array.from({ length: Math.min(most, n - least + 1) }, (_, i) => {
    const k = least + i;
    const [from, to] = bandOf(shape, k);
    const next = merges[n - k];
    const joins = next && next[2] !== null ? ([sizeOf(next[0]), sizeOf(next[1])] as const) : null;
    return { k, from, to, joins };
  });
}
