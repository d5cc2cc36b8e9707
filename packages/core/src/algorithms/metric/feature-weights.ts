/**
 * What a learned metric makes of each column, for people: the weight on the metric's diagonal, and the share of the distances
 * between rows that the column so makes up. The share is the weight times the column's variance, of the sum of these: it does
 * not depend on the unit of the column, as the weight does.
 */

import type { Instances } from "../../model/points.js";
import type { Report } from "../../model/result.js";
import { encodedColumns, encodedVariances } from "../encode.js";

export interface FeatureWeight {
  readonly name: string;
  /** Place among the columns of the metric. */
  readonly column: number;
  readonly weight: number;
  /** Of the squared distances between rows, as far as the diagonal makes them up. */
  readonly share: number;
}

/** For each metric of a report, its columns from the largest share to the smallest. */
export function featureWeights({ kind, matrices }: NonNullable<Report["metric"]>, points: Instances): FeatureWeight[][] {
  const columns = encodedColumns(points);
  const variances = encodedVariances(points);
  return matrices.map((matrix) => {
    const weights = columns.map((_, j) => {
      const value = kind === "full" ? (matrix as (number | null)[][])[j]?.[j] : (matrix as (number | null)[])[j];
      return value ?? 0;
    });
    const parts = weights.map((weight, j) => weight * variances[j]!);
    const sum = parts.reduce((total, part) => total + part, 0);
    return columns
      .map(({ name }, column) => ({ name, column, weight: weights[column]!, share: sum > 0 ? parts[column]! / sum : 0 }))
      .sort((a, b) => b.share - a.share || b.weight - a.weight || a.column - b.column);
  });
}
