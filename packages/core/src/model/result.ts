import type { InstanceId } from "./points.js";
import type { ClusterTree } from "./tree.js";

/** The constraints that a clustering breaks, in rows; never expanded into pairs that nobody gave. */
export interface Violations {
  readonly mustLink: readonly (readonly [number, number])[];
  readonly cannotLink: readonly (readonly [number, number])[];
  readonly relative: readonly (readonly [number, number, number])[];
  /** Rows outside their class's cluster under the best one-to-one matching, with the class's name. */
  readonly labels: readonly (readonly [number, string])[];
  /** Groups with more than one row in a cluster. */
  readonly exclusive: readonly {
    readonly column: string;
    readonly value: string;
    readonly cluster: number;
    readonly rows: readonly number[];
  }[];
}

/** How well a clustering meets known classes; 1 is best. */
export interface Scores {
  readonly rand: number;
  readonly adjustedRand: number;
  readonly constrainedRand: number;
  readonly pairwiseF: number;
  readonly normalizedMutualInformation: number;
}

/** Scores that leave rows in no cluster out, and the number of rows that are left. */
export interface ScoresOverClustered extends Scores {
  readonly rows: number;
}

/** One merge of a hierarchy: SciPy's numbering, rows 0 … n-1, then n for the first merge. Height Infinity: forbidden. */
export type Merge = readonly [left: number, right: number, height: number, size: number];

/**
 * How an iteration ended: nothing moves any more; it comes back to where it was, or goes on without getting any lower; or it was
 * cut short. Of the last two the best state on the way is the result.
 */
export type Stopped = "converged" | "cycling" | "max-iterations";

/**
 * Learned metrics: one for all clusters, or one each in label order. ‖x - y‖²_A = ‖R(x - y)‖² with A = RᵀR. Diagonal: d numbers
 * each; full: d × d, row by row.
 */
export interface LearnedMetrics {
  readonly kind: "diagonal" | "full";
  /** A of each. */
  readonly matrices: readonly Float64Array[];
  /** R of each: what rows are multiplied by, so that plain distances are the learned ones. */
  readonly roots: readonly Float64Array[];
  /** log det A of each, which counts against a metric when clusters have their own. */
  readonly logDets: readonly number[];
}

/** How many clusters there are, where nobody said so. */
export interface Chosen {
  readonly k: number;
  /** What decided, in words. */
  readonly by: string;
  /** By number of clusters, what speaks for it; `lost`: the constraint weight that is kept with `k` clusters and not with so many. */
  readonly evidence: readonly { readonly k: number; readonly score: number; readonly lost?: number }[];
}

/** What a method found. In an outcome the numbers of clusters are the method's own, in a result they are in label order. */
export interface Found {
  /** Cluster of each row; -1 for none. */
  readonly labels: Int32Array;
  /** Soft outcomes, in sentences. */
  readonly notices: readonly string[];
  readonly objective?: number;
  /** Objective after each iteration; ends with `objective`, at the iteration that was kept. */
  readonly history?: readonly number[];
  readonly iterations?: number;
  readonly stopped?: Stopped;
  readonly merges?: readonly Merge[];
  /** One row of d numbers for each cluster, in the units of the points. */
  readonly centres?: readonly Float64Array[];
  readonly metric?: LearnedMetrics;
  /** Whether prices of cannot-links were measured by the farthest pair of rows or by a bound on it. */
  readonly farthestPair?: "exact" | "bound";
  /** A tree with clusters in its leaves, and each cluster's rule in words; always numbered by first appearance. */
  readonly tree?: ClusterTree;
  readonly rules?: readonly string[];
  /** The number of clusters, where it was chosen. */
  readonly chosen?: Chosen;
}

/** What any method may return, clusters numbered from 0 by first appearance. The shape never depends on an option. */
export interface Result extends Found {
  readonly k: number;
  /** Members of each cluster. */
  readonly sizes: readonly number[];
  /** Rows in no cluster. */
  readonly noise: number;
  readonly violations: Violations;
  /** With known classes. Rows in no cluster count as clusters of their own. */
  readonly scores?: Scores;
  /** The same without the rows in no cluster, where there are some. */
  readonly scoresOverClustered?: ScoresOverClustered;
  /** Clusters in the order in which the method takes them when two centres are equally near. */
  readonly preference?: readonly number[];
}

/** What every method returns. */
export type Clustering = Pick<
  Result,
  "labels" | "k" | "sizes" | "noise" | "violations" | "scores" | "scoresOverClustered" | "notices" | "chosen"
>;

type Has<Key extends keyof Result> = { readonly [K in Key]-?: NonNullable<Result[K]> };

/** Groups around centres, and the descent that found them. */
export interface PartitionResult
  extends Clustering,
    Has<"centres" | "objective" | "history" | "iterations" | "stopped" | "preference">,
    Pick<Result, "metric" | "farthestPair"> {}

/** A cut of a hierarchy, and all merges of it. */
export interface HierarchyResult extends Clustering, Has<"merges">, Pick<Result, "metric"> {}

/** A tree with clusters in its leaves, and the rules that say them. */
export interface TreeResult extends Clustering, Has<"tree" | "rules" | "objective" | "history" | "iterations" | "stopped"> {}

/** The report of CONTRACT's `--json`: plain JSON, in the user's ids. */
export interface Report {
  readonly algorithm: string;
  readonly version: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly instances: number;
  readonly features: readonly string[];
  /** What each feature holds: numbers of the report are plain, and dates are days since 1970-01-01. */
  readonly columns: readonly ReportColumn[];
  readonly k: number;
  /** Null for rows that were left out, -1 for those in no cluster. */
  readonly labels: readonly (number | null)[];
  readonly sizes: readonly number[];
  /** Rows in no cluster. */
  readonly noise: number;
  /** The class of each cluster's labelled rows, where some cluster holds such rows; null for the others. */
  readonly names?: readonly (string | null)[];
  readonly chosen?: Chosen;
  readonly violations: ReportViolations;
  readonly objective?: number | null;
  readonly history?: readonly (number | null)[];
  readonly iterations?: number;
  readonly stopped?: string;
  readonly merges?: readonly (readonly [number, number, number | null, number])[];
  readonly metric?: { readonly kind: "diagonal" | "full"; readonly matrices: readonly unknown[] };
  /** Names of the metrics' columns, where nominal columns were split into their levels. */
  readonly metricColumns?: readonly string[];
  readonly farthestPair?: "exact" | "bound";
  readonly tree?: ClusterTree;
  readonly rules?: readonly string[];
  readonly centres?: readonly (readonly number[])[];
  /** Names of the centres' columns, where nominal columns were split into their levels. */
  readonly centreColumns?: readonly string[];
  readonly scaling?: { readonly offset: readonly number[]; readonly factor: readonly number[] };
  /** With known classes; null where fewer than two rows have one. */
  readonly scores?: Scores | null;
  /** The same without the rows in no cluster, where there are some. */
  readonly scoresOverClustered?: ScoresOverClustered;
  /** Questions that were asked on the way, and how many of the answers were "don't know". */
  readonly questions?: QuestionCounts;
  /** Where the rows were kept, how passes over them were carried out, how many there were, and how many rows they read. */
  readonly engine?: EngineReport;
  readonly notices: readonly string[];
  readonly timings: Readonly<Record<string, number>>;
}

export interface ReportColumn {
  readonly name: string;
  readonly kind: "number" | "date" | "time" | "money" | "percent" | "nominal" | "text";
  /** The currency or the percent sign. */
  readonly unit?: string;
}

export interface EngineReport {
  readonly name: string;
  readonly path: string;
  readonly passes: number;
  readonly rowsRead: number;
  /** Where the method saw points that stand for the rows: the clusters are an approximation then. */
  readonly coreSet?: { readonly points: number; readonly microClusters: number; readonly constrained: number };
}

/**
 * A run as figures and pages take it: in rows, never in ids. A result with its method's name is one; of a report it has what there is
 * besides.
 */
export interface RunInRows
  extends Pick<Report, "algorithm" | "k" | "sizes" | "notices">,
    Partial<Omit<Report, "algorithm" | "k" | "sizes" | "notices" | "labels" | "violations" | "centres">> {
  /** Cluster of each row; -1 for none. */
  readonly labels: Int32Array;
  readonly violations: Violations;
}

export interface QuestionCounts {
  readonly strategy: string;
  readonly budget: number;
  readonly asked: number;
  readonly unsure: number;
  /** Where answers were evidence: how often they are taken to be wrong, and those that are not believed. */
  readonly errorRate?: number;
  readonly overruled?: readonly { readonly number: number; readonly statement: string; readonly why: string }[];
}

export interface ReportViolations {
  readonly mustLink: readonly (readonly [InstanceId, InstanceId])[];
  readonly cannotLink: readonly (readonly [InstanceId, InstanceId])[];
  readonly relative: readonly (readonly [InstanceId, InstanceId, InstanceId])[];
  readonly labels: readonly (readonly [InstanceId, string])[];
  readonly exclusive: readonly {
    readonly column: string;
    readonly value: string;
    readonly cluster: number;
    readonly ids: readonly InstanceId[];
  }[];
}
