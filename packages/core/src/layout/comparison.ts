/** How a run compared rows, so that the map shows the same comparison: by columns, directions, a learned metric, or given distances. */
import { distancesOf } from "../algorithms/distance-between.js";
import { encodedColumns } from "../algorithms/encode.js";
import { isMeasuredHere } from "../algorithms/row-distances.js";
import { badInput } from "../errors.js";
import type { Metric } from "../kernels/kernels.js";
import { distanceSeen } from "../measured-by.js";
import type { Instances } from "../model/points.js";
import type { Report } from "../model/result.js";
import type { RowView } from "./encoded-rows.js";
import { diagonalRoot, fullRoot, type MetricRoot } from "./metric-root.js";

export interface RowComparison {
  /** Text after "PC 1" on an axis, as in "PC 1 under the learned metric"; empty for the plain columns. */
  readonly axis: string;
  /** Text after "by", as in "150 rows, by the learned metric". */
  readonly by: string;
  /** A sentence below the map. */
  readonly caption?: string;
  /** How rows are transformed before the map projects them. */
  readonly view?: RowView;
  /** The distance of two rows, from which the map is computed if there are no coordinates. */
  readonly between?: (i: number, j: number) => number;
}

const PLAIN_COLUMNS: RowComparison = { axis: "", by: "" };

export type MeasuredRun = Pick<Report, "algorithm" | "options" | "metric" | "sizes" | "chosen">;

export function comparisonOf(report: MeasuredRun, instances: Instances): RowComparison {
  if (instances.distances) return givenDistances(instances);
  if (report.metric) return learned(report.metric, report, instances);
  const metric = distanceSeen(report, instances);
  // Methods that use means fill missing cells and split nominal columns, so Euclid's distance over the known cells does not exist.
  const isSplit = metric === "euclidean" && (instances.nominal?.includes(1) ?? false);
  if (isMeasuredHere(instances, metric) && !isSplit) return distances(metric, instances);
  if (metric === "cosine") return DIRECTIONS;
  const numbers = instances.nominal?.includes(0) ?? true;
  if (metric === "gower" || (metric === "hamming" && numbers)) return distances(metric, instances);
  return columnComparison(instances);
}

/** Rows as their columns place them. Nearly every text is a level of its own, so with texts it is Gower's distance, which compares texts. */
export function columnComparison(instances: Instances): RowComparison {
  return instances.texts?.includes(1) ? distances("gower", instances) : PLAIN_COLUMNS;
}

const DIRECTIONS: RowComparison = {
  axis: " of directions",
  by: "the direction of rows",
  caption: "The cosine compares only directions: each row is drawn at length 1.",
  view: { directions: true },
};

const MEANINGS: Readonly<Record<Metric, readonly [name: string, meaning: string]>> = {
  gower: ["Gower’s distance", "the mean over columns of range-scaled differences"],
  hamming: ["Hamming’s distance", "the number of columns that differ"],
  euclidean: ["Euclid’s distance", "over the cells that both rows have"],
  sqeuclidean: ["Euclid’s distance, squared", "over the cells that both rows have"],
  cosine: ["the cosine", "of the angle between rows"],
};

function distances(metric: Metric, instances: Instances): RowComparison {
  const [name, meaning] = MEANINGS[metric];
  return {
    axis: name,
    by: name,
    caption: `Rows are drawn by ${name}, ${meaning}, as well as a plane allows.`,
    between: distancesOf(instances, metric).between,
  };
}

function givenDistances(instances: Instances): RowComparison {
  return {
    axis: "given distances",
    by: "the distances that were given",
    caption: "Rows are drawn by the distances that were given, as well as a plane allows.",
    between: distancesOf(instances, undefined).between,
  };
}

function learned(metric: NonNullable<Report["metric"]>, { options, sizes }: MeasuredRun, instances: Instances): RowComparison {
  const d = encodedColumns(instances).length;
  const several = metric.matrices.length > 1;
  const view = { root: rootOf(metric, sizes, d), directions: options.distance === "cosine" };
  if (!several) {
    return {
      axis: " under the learned metric",
      by: "the learned metric",
      caption: "Rows are drawn by the learned metric, not by the columns as they are.",
      view,
    };
  }
  return {
    axis: " under the mean of the learned metrics",
    by: "the mean of the learned metrics",
    caption: "Each cluster has a metric of its own: rows are drawn by the mean of these, weighted by rows.",
    view,
  };
}

function rootOf({ kind, matrices }: NonNullable<Report["metric"]>, sizes: readonly number[], d: number): MetricRoot {
  const length = kind === "diagonal" ? d : d * d;
  const mean = new Float64Array(length);
  const total = sizes.reduce((sum, size) => sum + size, 0) || 1;
  matrices.forEach((matrix, cluster) => {
    const values = numbersOf(matrix);
    if (values.length !== length) {
      throw badInput(`The report's metric is about other columns: it has ${values.length} numbers, not ${length}.`, {
        remedy: "Give the report and the data of the same run.",
      });
    }
    const weight = matrices.length === 1 ? 1 : (sizes[cluster] ?? 0) / total;
    for (let at = 0; at < length; at++) mean[at]! += weight * (values[at] ?? 0);
  });
  return kind === "diagonal" ? diagonalRoot(mean) : fullRoot(mean, d);
}

/** The numbers of a matrix: nested rows in a report, one array in a result. */
function numbersOf(matrix: unknown): readonly (number | null)[] {
  if (matrix instanceof Float64Array) return [...matrix];
  return (matrix as readonly (number | null | readonly (number | null)[])[]).flat();
}
