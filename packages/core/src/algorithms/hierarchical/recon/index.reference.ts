/**
 * Reference for tests: ReCon as printed in the paper (liu2011), with clusters as lists of rows. Every pair is tested again at every merge.
 */
import { oneTree, type Triple } from "../../../triplets/consistency.reference.js";

/** Distance between two clusters, each a list of rows. */
export type ClusterDistance = (a: readonly number[], b: readonly number[]) => number;

/** Returns the merges in order. A merge is a pair of clusters, each a sorted list of rows. */
export function slowRecon(n: number, triples: readonly Triple[], distance: ClusterDistance): [number[], number[]][] {
  let clusters = Array.from({ length: n }, (_, row) => [row]);
  const merges: [number[], number[]][] = [];
  while (clusters.length > 1) {
    let best: { i: number; j: number; d: number } | null = null;
    for (let i = 0; i < clusters.length; i++) {
      for (let j = i + 1; j < clusters.length; j++) {
        const d = distance(clusters[i]!, clusters[j]!);
        if ((best && d >= best.d) || !staysPossible(clusters, i, j, triples)) continue;
        best = { i, j, d };
      }
    }
    if (!best) throw new Error("dead end");
    const [left, right] = [clusters[best.i]!, clusters[best.j]!];
    merges.push([[...left].sort(byNumber), [...right].sort(byNumber)]);
    clusters = [...clusters.filter((cluster) => cluster !== left && cluster !== right), [...left, ...right]];
  }
  return merges;
}

const byNumber = (a: number, b: number): number => a - b;

function staysPossible(clusters: readonly number[][], i: number, j: number, triples: readonly Triple[]): boolean {
  const name = new Map<number, number>();
  clusters.forEach((rows, c) => {
    for (const row of rows) name.set(row, c === j ? i : c);
  });
  const lifted = triples.map(([a, b, c]): Triple => [name.get(a)!, name.get(b)!, name.get(c)!]).filter(([a, b]) => a !== b);
  if (lifted.some(([a, b, c]) => c === a || c === b)) return false;
  return oneTree(lifted, [...new Set(name.values())]);
}

/**
 * Reference for tests: the outlier rule as printed (liu2011 §4.2.1). Undoes merges, the last merge first, until k branches have at least
 * `least` rows. Then each smaller branch joins its nearest cluster. Returns the rows of each cluster, or null if there are fewer than k
 * large branches.
 */
export function slowOutlierRule(
  n: number,
  merges: readonly (readonly [number, number, number, number])[],
  k: number,
  least: number,
  distance: ClusterDistance,
): number[][] | null {
  const rowsOf = Array.from({ length: n }, (_, row) => [row]);
  for (const [left, right] of merges) rowsOf.push([...rowsOf[left]!, ...rowsOf[right]!].sort(byNumber));
  let branches = [rowsOf.length - 1];
  const large = (): number[] => branches.filter((node) => rowsOf[node]!.length >= least);
  while (large().length < k) {
    const undone = branches
      .filter((node) => node >= n && merges[node - n]!.slice(0, 2).some((part) => rowsOf[part]!.length >= least))
      .sort((p, q) => q - p)[0];
    if (undone === undefined) return null;
    branches = [...branches.filter((node) => node !== undone), ...merges[undone - n]!.slice(0, 2)];
  }
  const clusters = large().map((node) => rowsOf[node]!);
  const joined = clusters.map((rows) => [...rows]);
  for (const node of branches.filter((each) => !large().includes(each))) {
    const distances = clusters.map((rows) => distance(rowsOf[node]!, rows));
    joined[distances.indexOf(Math.min(...distances))]!.push(...rowsOf[node]!);
  }
  return joined.map((rows) => rows.sort(byNumber));
}
