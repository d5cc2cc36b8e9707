/** Distances between two rows, directly from their definitions. For tests only. */
import type { Metric } from "./kernels.js";

export function referenceDistance(metric: Metric, a: readonly number[], b: readonly number[], ranges: readonly number[]): number {
  const pairs = a.map((value, f) => [value, b[f]!] as const);
  const total = (terms: readonly number[]) => terms.reduce((sum, term) => sum + term, 0);
  switch (metric) {
    case "euclidean":
      return Math.sqrt(referenceDistance("sqeuclidean", a, b, ranges));
    case "sqeuclidean":
      return total(pairs.map(([p, q]) => (p - q) * (p - q)));
    case "hamming":
      return pairs.filter(([p, q]) => p !== q).length;
    case "gower":
      return total(pairs.map(([p, q], f) => gowerTerm(p, q, ranges[f]!))) / a.length;
    case "cosine": {
      const norms = [Math.sqrt(total(a.map((p) => p * p))), Math.sqrt(total(b.map((q) => q * q)))] as const;
      if (norms[0] === 0 || norms[1] === 0) return norms[0] === norms[1] ? 0 : 1;
      return 1 - total(pairs.map(([p, q]) => p * q)) / (norms[0] * norms[1]);
    }
  }
}

function gowerTerm(p: number, q: number, range: number): number {
  if (range === -1) return p === q ? 0 : 1;
  return range === 0 ? 0 : Math.abs(p - q) / range;
}
