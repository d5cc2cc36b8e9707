/**
 * Number of rows that changed their cluster between two clusterings of the same rows. The numbers of clusters do not matter: old and new
 * clusters are matched greedily, the pair of clusters with the most shared rows first.
 */
export function movedRows(before: Int32Array, after: Int32Array): number {
  const shared = new Map<string, [from: number, to: number, rows: number]>();
  for (let i = 0; i < before.length; i++) {
    const key = `${before[i]} ${after[i]}`;
    const entry = shared.get(key);
    if (entry) entry[2]++;
    else shared.set(key, [before[i]!, after[i]!, 1]);
  }
  const overlaps = [...shared.values()].sort((a, b) => b[2] - a[2] || a[0] - b[0] || a[1] - b[1]);
  const left = new Set<number>();
  const taken = new Set<number>();
  let stayed = 0;
  for (const [from, to, rows] of overlaps) {
    if (left.has(from) || taken.has(to)) continue;
    left.add(from);
    taken.add(to);
    stayed += rows;
  }
  return before.length - stayed;
}
