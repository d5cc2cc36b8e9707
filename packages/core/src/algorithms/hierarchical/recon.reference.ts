/** ReCon as the paper prints it, on lists: every pair is tested anew at every merge. */
import { oneTree, type Triple } from "../../diagnose/triplets.reference.js";

/** Distance between two clusters, each a list of rows. */
export type ClusterDistance = (a: readonly number[], b: readonly number[]) => number;

/** The merges as pairs of sorted lists of rows. */
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
