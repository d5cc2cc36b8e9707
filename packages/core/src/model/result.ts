import type { InstanceId, Instances, Scaling } from "./points.js";
import type { ClusterTree } from "./tree.js";

/** Violated constraints, by row numbers or by ids. */
interface ViolationsOf<Row, Members> {
  readonly mustLink: readonly (readonly [Row, Row])[];
  readonly cannotLink: readonly (readonly [Row, Row])[];
  readonly relative: readonly (readonly [Row, Row, Row])[];
  /** Rows outside the cluster of their class, each with the name of the class. Classes are matched one to one with clusters. */
  readonly labels: readonly (readonly [Row, string])[];
  /** Exclusive groups with more than one row in a cluster. */
  readonly exclusive: readonly ({ readonly column: string; readonly value: string; readonly cluster: number } & Members)[];
}

/** The constraints that a clustering violates, by row numbers; entailed pairs are not listed. */
export type Violations = ViolationsOf<number, { readonly rows: readonly number[] }>;
export type ReportViolations = ViolationsOf<InstanceId, { readonly ids: readonly InstanceId[] }>;

/** Agreement of a clustering with known classes; 1 is best. */
export interface Scores {
  readonly rand: number;
  readonly adjustedRand: number;
  readonly constrainedRand: number;
  readonly pairwiseF: number;
  readonly normalizedMutualInformation: number;
}

/** Scores that leave out rows without a cluster, and the number of remaining rows. */
export interface ScoresOverClustered extends Scores {
  readonly rows: number;
}

/** One merge of a hierarchy in SciPy's numbering: rows are 0 … n-1, the first merge is n. Height Infinity: a forbidden merge. */
export type Merge = readonly [left: number, right: number, height: number, size: number];

/** Scores that need no known classes, over the rows in clusters; a score is null if there is nothing to compare. */
export interface InternalScores {
  /** From -1 to 1; higher is better. */
  readonly silhouette: number | null;
  /** At least 0; lower is better. */
  readonly daviesBouldin: number | null;
  /** At least 0; higher is better. */
  readonly calinskiHarabasz: number | null;
  /** The number of rows in the silhouette, if it was computed from a sample. */
  readonly sampled?: number;
}

/**
 * Why an iteration ended. "converged": nothing changes any more. "cycling": the run returned to an earlier state, or the objective stopped
 * improving. "max-iterations": the limit was reached. For the last two reasons, the result is the best state that was reached.
 */
export type Stopped = "converged" | "cycling" | "max-iterations";

/**
 * Learned metrics: one for all clusters, or one per cluster in label order. ‖x - y‖²_A = ‖R(x - y)‖² with A = RᵀR. Diagonal: d
 * numbers each; full: d x d, row-major.
 */
export interface LearnedMetrics {
  readonly kind: "diagonal" | "full";
  /** The matrix A of each metric. */
  readonly matrices: readonly Float64Array[];
  /** The matrix R of each metric: Euclidean distances of R x are the learned distances. */
  readonly roots: readonly Float64Array[];
  /** log det A of each metric. If each cluster has its own metric, this number is subtracted from the cost. */
  readonly logDets: readonly number[];
}

/**
 * A Gaussian mixture. Row x belongs to the cluster c with the largest score_c = offset_c - ½ ‖R_c (A (x - origin) - mean_c)‖². The
 * probabilities of the row are proportional to exp(score_c). A has the axes as rows; without axes, A is the identity.
 */
export interface GaussianMixture {
  readonly covariance: "full" | "diagonal" | "shared";
  /** The number that is subtracted from each encoded column. */
  readonly origin: Float64Array;
  /** r vectors, each as long as the origin; null if the encoded columns are used directly. */
  readonly axes: readonly Float64Array[] | null;
  /** r numbers per cluster. r is the number of axes; without axes, r is the number of encoded columns. */
  readonly means: readonly Float64Array[];
  /**
   * The matrix R of each cluster, or a single matrix if all clusters share it: r x r numbers row-major, or r numbers for a diagonal
   * matrix.
   */
  readonly roots: readonly Float64Array[];
  readonly offsets: readonly number[];
}

/** What was chosen automatically: the number of clusters, or the method and the scale of the columns. */
export interface Chosen {
  readonly k?: number;
  readonly algorithm?: string;
  /** The scale that the method used, as a value of --scale; "given" if it is the scale of the points. */
  readonly scale?: string;
  /** The criterion that decided, in words. */
  readonly by: string;
  readonly evidence: readonly ChoiceScore[];
}

export type ChosenK = Chosen & {
  readonly k: number;
  readonly evidence: readonly { readonly k: number; readonly score: number; readonly lost?: number }[];
};

/** The score of one number of clusters, or of one method in one scale. */
export interface ChoiceScore {
  readonly k?: number;
  readonly algorithm?: string;
  readonly scale?: string;
  /** The score; null if the run failed. */
  readonly score: number | null;
  /** Weight of the constraints that this number of clusters violates, but the chosen number of clusters satisfies. */
  readonly lost?: number;
}

/** Pairs of rows with the probability that both rows are the same thing. */
export interface Matches {
  /** The rows of each pair. Each pair occurs once. */
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly probability: Float64Array;
  /** How the cells of the pairs agree; absent if the probabilities were given by the user. */
  readonly evidence?: MatchEvidence;
}

/**
 * The weights of a column. Each level of likeness adds its weight to the log odds of a match. The weight is null if no compared pair has
 * the level.
 */
export interface LevelWeights {
  readonly column: string;
  readonly levels: Readonly<Record<string, number | null>>;
}

export interface MatchCounts {
  /** `groups`: number of clusters with two or more rows. `rows`: number of rows in these clusters. */
  readonly groups: number;
  readonly rows: number;
  /** Number of pairs with a probability from 0.1 to 0.9. */
  readonly doubtful: number;
  /**
   * Present if classes are known: of all pairs of rows of the same class, the share that was compared. Null if no two rows share a class.
   */
  readonly comparedOfKnown?: number | null;
}

export interface MatchEvidence {
  /** Names of the compared columns. */
  readonly columns: readonly string[];
  /** The levels at which cells agree, from equal to different. */
  readonly levelNames: readonly string[];
  /** For each pair, the level in each column: 0 for a missing cell, else an index into `levelNames` plus 1. */
  readonly levels: Uint8Array;
  /** For each column, the weight of each level. This weight is added to the log odds of a match. */
  readonly weights: Float64Array;
}

/** What a method computes. Clusters have the numbers that the method gave them; a `Result` numbers clusters by first appearance. */
export interface Outcome {
  /** Cluster of each row; -1 for a row without a cluster. */
  readonly labels: Int32Array;
  /** Messages to the user about the run, as sentences. */
  readonly notices: readonly string[];
  readonly objective?: number;
  /** Objective after each iteration; the last entry equals `objective` and belongs to the iteration that was kept. */
  readonly history?: readonly number[];
  readonly iterations?: number;
  readonly stopped?: Stopped;
  readonly merges?: readonly Merge[];
  /** One row of d numbers per cluster, in the units of the points. */
  readonly centres?: readonly Float64Array[];
  readonly metric?: LearnedMetrics;
  /** The probability of each row in each cluster, rows × clusters, row-major. */
  readonly probabilities?: Float64Array;
  /** The fitted mixture, for models. */
  readonly gaussians?: GaussianMixture;
  /** How the penalties of cannot-links use the distance of the farthest pair of rows: as the exact distance, or as an upper bound. */
  readonly farthestPair?: "exact" | "bound";
  /**
   * A tree with clusters in its leaves, and each cluster's rule in words. Methods with a tree always number clusters by first appearance.
   */
  readonly tree?: ClusterTree;
  readonly rules?: readonly string[];
  /** The pairs that were compared, for methods that score pairs. */
  readonly matches?: Matches;
  /** How the number of clusters, the method or the scale was chosen, if it was chosen automatically. */
  readonly chosen?: Chosen;
  /** The points in the chosen scale, if it differs from the scale of the given points. Centres and metric are in this scale. */
  readonly rescaled?: Instances;
}

/** The result of any method; clusters are numbered from 0 by first appearance. The shape never depends on an option. */
export interface Result extends Outcome {
  readonly k: number;
  /** Number of rows of each cluster. */
  readonly sizes: readonly number[];
  /** Number of rows without a cluster. */
  readonly noise: number;
  readonly violations: Violations;
  /** Present only if classes are known. Each row without a cluster counts as a cluster of its own. */
  readonly scores?: Scores;
  /** The same scores without the rows that have no cluster; absent if every row has a cluster. */
  readonly scoresOverClustered?: ScoresOverClustered;
  /** The cluster order in which the method breaks ties between equally near centres. */
  readonly preference?: readonly number[];
}

/** The part of the result that every method returns. */
export type Clustering = Pick<
  Result,
  "labels" | "k" | "sizes" | "noise" | "violations" | "scores" | "scoresOverClustered" | "notices" | "chosen"
>;

type Has<Key extends keyof Result> = { readonly [K in Key]-?: NonNullable<Result[K]> };

/** Clusters with centres, and the optimisation that found them. */
export interface PartitionResult
  extends Clustering,
    Has<"centres" | "objective" | "history" | "iterations" | "stopped" | "preference">,
    Pick<Result, "metric" | "farthestPair" | "probabilities" | "gaussians"> {}

/** A cut of a hierarchy, and all its merges. */
export interface HierarchyResult extends Clustering, Has<"merges">, Pick<Result, "metric"> {}

/** A tree with clusters in its leaves, and the rules that describe the clusters. */
export interface TreeResult extends Clustering, Has<"tree" | "rules" | "objective" | "history" | "iterations" | "stopped"> {}

/** Clusters from scored pairs of rows. The objective is the weight of the pairs that the clusters contradict. */
export interface PairsResult extends Clustering, Has<"matches" | "objective"> {}

/** The `--json` report: plain JSON with the ids of the user. */
export interface Report {
  readonly algorithm: string;
  readonly version: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly instances: number;
  readonly features: readonly string[];
  /** The type of each feature. Numbers in the report are plain; dates are days since 1970-01-01. */
  readonly columns: readonly ReportColumn[];
  readonly k: number;
  /** Null for rows that were left out, -1 for rows without a cluster. */
  readonly labels: readonly (number | null)[];
  readonly sizes: readonly number[];
  /** Number of rows without a cluster. */
  readonly noise: number;
  /** For each cluster, the class of its labelled rows, or null. Absent if no cluster has labelled rows. */
  readonly names?: readonly (string | null)[];
  /** For each cluster, up to ten words or pairs of words that its texts are about. Absent if no column has free text. */
  readonly words?: readonly (readonly string[])[];
  readonly chosen?: Chosen;
  readonly violations: ReportViolations;
  readonly objective?: number | null;
  readonly history?: readonly (number | null)[];
  readonly iterations?: number;
  readonly stopped?: string;
  readonly merges?: readonly (readonly [number, number, number | null, number])[];
  readonly metric?: { readonly kind: "diagonal" | "full"; readonly matrices: readonly unknown[] };
  /** Names of the columns that the metrics refer to, if nominal columns were split into levels. */
  readonly metricColumns?: readonly string[];
  readonly farthestPair?: "exact" | "bound";
  readonly tree?: ClusterTree;
  readonly rules?: readonly string[];
  /** For methods that score pairs: number of compared pairs, and counts of groups and doubtful pairs. */
  readonly pairs?: { readonly compared: number } & MatchCounts;
  /** For each compared column, the weight of each level of likeness. */
  readonly pairWeights?: readonly LevelWeights[];
  readonly centres?: readonly (readonly number[])[];
  /** Names of the columns that the centres refer to, if nominal columns were split into levels. */
  readonly centreColumns?: readonly string[];
  readonly scaling?: Scaling;
  /** Present only if classes are known; null if fewer than two rows have a class. */
  readonly scores?: Scores | null;
  /** The same scores without the rows that have no cluster; absent if every row has a cluster. */
  readonly scoresOverClustered?: ScoresOverClustered;
  /** Scores that need no known classes. */
  readonly internal?: InternalScores;
  /**
   * The probability of each row in each cluster. For many rows, only the probability of the row in its own cluster. Null for rows left out.
   */
  readonly probabilities?: readonly (readonly number[] | number | null)[];
  /** Number of questions asked, and number of "don't know" answers. */
  readonly questions?: QuestionCounts;
  /** Facts about the engine that held the rows, such as the number of passes over the rows and the number of rows read. */
  readonly engine?: EngineReport;
  readonly notices: readonly string[];
  readonly timings: Readonly<Record<string, number>>;
}

export interface ReportColumn {
  readonly name: string;
  readonly kind: "number" | "date" | "time" | "money" | "percent" | "nominal" | "text";
  /** The currency symbol or the percent sign. */
  readonly unit?: string;
}

export interface EngineReport {
  readonly name: string;
  readonly path: string;
  readonly passes: number;
  readonly rowsRead: number;
  /** Set if the method clustered points that represent the rows; the clusters are then an approximation. */
  readonly coreSet?: { readonly points: number; readonly microClusters: number; readonly constrained: number };
}

/**
 * A run as input of figures and pages. It names rows by number, never by id. A result together with the name of its method is a run of this
 * type. All fields that only reports have are optional.
 */
export interface RunInRows
  extends Pick<Report, "algorithm" | "k" | "sizes" | "notices">,
    Partial<Omit<Report, "algorithm" | "k" | "sizes" | "notices" | "labels" | "violations" | "centres" | "probabilities">> {
  /** Cluster of each row; -1 for a row without a cluster. */
  readonly labels: Int32Array;
  readonly violations: Violations;
  readonly matches?: Matches;
  /** The probability of each row in its own cluster; NaN for a row without a cluster. Absent if the method has no probabilities. */
  readonly ownProbabilities?: Float64Array;
}

export interface QuestionCounts {
  readonly strategy: string;
  readonly budget: number;
  readonly asked: number;
  readonly unsure: number;
  /** If answers are treated as evidence: the assumed error rate, and the answers that were overruled. */
  readonly errorRate?: number;
  readonly overruled?: readonly { readonly number: number; readonly statement: string; readonly why: string }[];
}
