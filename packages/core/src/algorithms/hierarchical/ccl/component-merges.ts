/**
 * Hierarchies over must-link components. Members of a component are at distance 0 and equally far from all others, so they merge
 * first, and from then on the component is one leaf: for every linkage, also where other rows are duplicates of its members.
 */
import type { Closure } from "../../../constraints/index.js";
import type { Merge } from "../../../model/result.js";

/**
 * Ward's linkage of a component and another is what merging their members at distance 0 would have made of it: the distance
 * times the root of 2ab / (a + b) for a and b members.
 */
export function weighForWard(d: Float64Array | Float32Array, sizes: Int32Array): void {
  const m = sizes.length;
  const factor = (a: number, b: number): number => Math.sqrt((2 * a * b) / (a + b));
  for (let a = 0; a < m; a++) {
    if (sizes[a] === 1) continue;
    for (let b = 0; b < m; b++) {
      if (b === a || (sizes[b]! > 1 && b < a)) continue;
      d[a * m + b] = d[a * m + b]! * factor(sizes[a]!, sizes[b]!);
      d[b * m + a] = d[a * m + b]!;
    }
  }
}

/**
 * Merges between components that must be apart get height Infinity. Each is found at the first merge that joins the two: by a
 * neighbour on the other side, or by a clique that has members on both. The smaller side is looked through.
 */
export function markForbidden(merges: readonly Merge[], { componentCount: m, edges, cliques }: Closure): Merge[] {
  const linked = Array.from({ length: m }, (_, c) => (edges.start[c] === edges.start[c + 1] ? undefined : new Set([c])));
  const grouped = Array.from({ length: m }, (_, c) =>
    cliques.of.start[c] === cliques.of.start[c + 1]
      ? undefined
      : new Set(cliques.of.items.subarray(cliques.of.start[c]!, cliques.of.start[c + 1]!)),
  );
  const isLinked = (c: number, others: ReadonlySet<number>): boolean => {
    for (let p = edges.start[c]!; p < edges.start[c + 1]!; p++) if (others.has(edges.other[p]!)) return true;
    return false;
  };
  return merges.map(([left, right, height, size], t) => {
    const byLink = unite(linked, left, right, m + t, isLinked);
    const byClique = unite(grouped, left, right, m + t, (q, others) => others.has(q));
    return [left, right, byLink || byClique ? Infinity : height, size] as const;
  });
}

/** Puts the sets of two clusters together as that of a third; true if an item of the smaller one meets the larger one. */
function unite(
  sets: (Set<number> | undefined)[],
  left: number,
  right: number,
  into: number,
  meets: (item: number, others: ReadonlySet<number>) => boolean,
): boolean {
  const [one, other] = [sets[left], sets[right]];
  sets[into] = one ?? other;
  if (one === undefined || other === undefined) return false;
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  let met = false;
  for (const item of small) met ||= meets(item, large);
  for (const item of small) large.add(item);
  sets[into] = large;
  return met;
}

/** The place of the first merge that a constraint forbids; their number when there is none. */
export function firstForbidden(merges: readonly Merge[]): number {
  const first = merges.findIndex((merge) => merge[2] === Infinity);
  return first < 0 ? merges.length : first;
}

/** The hierarchy over all rows: first the merges inside components, at height 0, then those between them. */
export function expandMerges(between: readonly Merge[], { n, componentCount: m, members }: Closure): readonly Merge[] {
  if (m === n) return between;
  const merges: Merge[] = [];
  const names = new Int32Array(m + between.length);
  const sizes = new Int32Array(m + between.length);
  for (let c = 0; c < m; c++) {
    const rows = members.items.subarray(members.start[c]!, members.start[c + 1]!);
    sizes[c] = rows.length;
    names[c] = rows[0]!;
    for (let p = 1; p < rows.length; p++) {
      merges.push([Math.min(names[c]!, rows[p]!), Math.max(names[c]!, rows[p]!), 0, p + 1]);
      names[c] = n + merges.length - 1;
    }
  }
  between.forEach(([left, right, height], t) => {
    sizes[m + t] = sizes[left]! + sizes[right]!;
    const [a, b] = [names[left]!, names[right]!];
    merges.push([Math.min(a, b), Math.max(a, b), height, sizes[m + t]!]);
    names[m + t] = n + merges.length - 1;
  });
  return merges;
}
