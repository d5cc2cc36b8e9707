import type { Closure } from "../../../constraints/index.js";

/**
 * Reference for tests: figure 5 of Klein, Kamvar, Manning 2002, with the corrections of `constrain-proximities.ts`. Sets the distances of
 * must-linked rows to 0, runs Floyd-Warshall through must-linked rows only, and raises the distances of rows that must be apart.
 */
export function constrainByDefinition(matrix: Float64Array, closure: Closure): Float64Array {
  const { n, component, sizes } = closure;
  const d = matrix.slice();
  const linked = [...component.keys()].filter((i) => sizes[component[i]!]! > 1);
  for (const i of linked) for (const j of linked) if (component[i] === component[j]) d[i * n + j] = 0;
  for (const k of linked) {
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) d[i * n + j] = Math.min(d[i * n + j]!, d[i * n + k]! + d[k * n + j]!);
  }
  const most = d.reduce((a, b) => Math.max(a, b), 0);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) if (closure.apart(component[i]!, component[j]!)) d[i * n + j]! += most + 1;
  }
  return d;
}

/**
 * Reference for tests: complete linkage, figure 6 of Klein, Kamvar, Manning 2002. Takes the maximum where the figure prints "min".
 * Returns one entry per merge: its height, and the labels after the merge. Labels are numbered by first appearance.
 */
export function completeLinkByDefinition(matrix: Float64Array, n: number): { height: number; labels: number[] }[] {
  let clusters = Array.from({ length: n }, (_, row) => [row]);
  const farthest = (a: number[], b: number[]): number => Math.max(...a.flatMap((i) => b.map((j) => matrix[i * n + j]!)));
  return Array.from({ length: n - 1 }, () => {
    let best = { height: Infinity, a: clusters[0]!, b: clusters[1]! };
    clusters.forEach((a, p) => {
      for (const b of clusters.slice(p + 1)) {
        const height = farthest(a, b);
        if (height < best.height) best = { height, a, b };
      }
    });
    clusters = clusters.filter((cluster) => cluster !== best.a && cluster !== best.b);
    clusters.push([...best.a, ...best.b]);
    clusters.sort((a, b) => Math.min(...a) - Math.min(...b));
    return { height: best.height, labels: Array.from({ length: n }, (_, row) => clusters.findIndex((c) => c.includes(row))) };
  });
}
