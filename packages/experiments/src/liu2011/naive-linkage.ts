/**
 * Section 4.2: what ReCon would be without its test of compatibility. Centroid linkage that takes the closest pair whose merge
 * breaks no statement at once; where every pair would, it has come to a dead end.
 */
import type { ConstraintSet, Instances } from "@coterie/core/internal";

/** ab|c, by the clusters that hold the three. */
type Statement = readonly [a: number, b: number, c: number];

/** How many clusters are left: one, unless there is a dead end. */
export function naiveClustersLeft({ n, d, x }: Instances, { relative }: ConstraintSet): number {
  const sizes = new Float64Array(n).fill(1);
  const alive = Array.from({ length: n }, (_, row) => row);
  const squares = squaredDistances(x, n, d);
  let statements = Array.from(relative.a, (a, s): Statement => [a, relative.b[s]!, relative.c[s]!]);
  while (alive.length > 1) {
    const pair = closestAllowed(alive, squares, n, barredBy(statements, n));
    if (!pair) break;
    merge(pair, alive, sizes, squares, n);
    const [i, j] = pair;
    // Cluster j is now i. A statement whose two near ones are together is done.
    const now = (cluster: number): number => (cluster === j ? i : cluster);
    statements = statements.map(([a, b, c]): Statement => [now(a), now(b), now(c)]).filter(([a, b]) => a !== b);
  }
  return alive.length;
}

/** Pairs that a statement keeps apart: neither of the near ones may join the far one before they are together. */
function barredBy(statements: readonly Statement[], n: number): Set<number> {
  const barred = new Set<number>();
  for (const [a, b, c] of statements) for (const near of [a, b]) barred.add(Math.min(near, c) * n + Math.max(near, c));
  return barred;
}

function closestAllowed(
  alive: readonly number[],
  squares: Float64Array,
  n: number,
  barred: ReadonlySet<number>,
): [number, number] | null {
  let best: [number, number] | null = null;
  let least = Infinity;
  for (let p = 0; p < alive.length; p++) {
    for (let q = p + 1; q < alive.length; q++) {
      const place = alive[p]! * n + alive[q]!;
      if (squares[place]! < least && !barred.has(place)) {
        least = squares[place]!;
        best = [alive[p]!, alive[q]!];
      }
    }
  }
  return best;
}

/** Cluster j joins cluster i < j; distances between centroids follow. */
function merge([i, j]: readonly [number, number], alive: number[], sizes: Float64Array, squares: Float64Array, n: number): void {
  const at = (p: number, q: number): number => Math.min(p, q) * n + Math.max(p, q);
  const [a, b] = [sizes[i]!, sizes[j]!];
  const between = squares[at(i, j)]!;
  alive.splice(alive.indexOf(j), 1);
  for (const other of alive) {
    if (other === i) continue;
    const moved = (a * squares[at(i, other)]! + b * squares[at(j, other)]!) / (a + b) - (a * b * between) / (a + b) ** 2;
    squares[at(i, other)] = Math.max(0, moved);
  }
  sizes[i] = a + b;
}

/** Above the diagonal. */
function squaredDistances(x: Float64Array, n: number, d: number): Float64Array {
  const squares = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      let sum = 0;
      for (let c = 0; c < d; c++) sum += (x[i * d + c]! - x[j * d + c]!) ** 2;
      squares[i * n + j] = sum;
    }
  }
  return squares;
}
