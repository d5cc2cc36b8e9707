/** Principal components the slow way: covariance entry by entry, power iteration, deflation. For tests only. */
import type { Points } from "../model/points.js";

export function referenceComponents({ n, d, x }: Points, m: number): { share: number[]; loadings: number[][] } {
  const mean = Array.from(
    { length: d },
    (_, j) => Array.from({ length: n }, (_, i) => x[i * d + j]!).reduce((s, v) => s + v, 0) / n,
  );
  const matrix = mean.map((_, a) =>
    mean.map((_, b) => {
      let s = 0;
      for (let i = 0; i < n; i++) s += (x[i * d + a]! - mean[a]!) * (x[i * d + b]! - mean[b]!);
      return s / n;
    }),
  );
  const total = matrix.reduce((sum, row, j) => sum + row[j]!, 0);
  const share: number[] = [];
  const loadings: number[][] = [];
  for (let c = 0; c < m; c++) {
    let vector = mean.map((_, j) => 1 + j / 7);
    let value = 0;
    for (let step = 0; step < 20_000; step++) {
      const image = matrix.map((row) => row.reduce((s, entry, j) => s + entry * vector[j]!, 0));
      value = Math.sqrt(image.reduce((s, v) => s + v * v, 0));
      vector = image.map((v) => v / value);
    }
    share.push(value / total);
    loadings.push(vector);
    for (let a = 0; a < d; a++) for (let b = 0; b < d; b++) matrix[a]![b]! -= value * vector[a]! * vector[b]!;
  }
  return { share, loadings };
}
