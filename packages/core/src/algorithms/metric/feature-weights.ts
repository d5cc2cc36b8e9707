/**
 * The effect of a learned metric on each column, for reports: the column's weight (diagonal entry of the metric), and its share of the
 * squared distances between rows: weight · variance / Σ weight · variance. Unlike the weight, the share does not depend on the unit of the
 * column.
 */

import type { Instances } from "../../model/points.js";
import type { Report } from "../../model/result.js";
import { encodedColumns, encodedVariances } from "../encode.js";

export interface FeatureWeight {
  readonly name: string;
  /** Index among the columns of the metric. */
  readonly column: number;
  readonly weight: number;
  /** Share of the squared distances between rows, as far as the diagonal determines them. */
  readonly share: number;
}

/** For each metric of a report: its columns, from the largest share to the smallest. */
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
