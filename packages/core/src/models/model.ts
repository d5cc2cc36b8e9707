/** A model: what is needed to assign new rows to the clusters of a run, as plain JSON. */
import type { Scaling } from "../model/points.js";
import type { GaussianMixture } from "../model/result.js";
import type { ClusterTree, TreeNode } from "../model/tree.js";

export const MODEL_FORMAT = "coterie-model";
export const MODEL_VERSION = 1;

/** What a run learned, as plain JSON, enough to assign new rows to its clusters. */
export interface Model {
  readonly format: typeof MODEL_FORMAT;
  readonly formatVersion: typeof MODEL_VERSION;
  /** The version of Coterie that created the model. */
  readonly version: string;
  readonly algorithm: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly k: number;
  /** Number of training rows in each cluster. */
  readonly sizes: readonly number[];
  /** User-defined names of the clusters; null for a cluster without a name. */
  readonly names?: readonly (string | null)[];
  /** The features, in order. */
  readonly columns: readonly ModelColumn[];
  /** The scaling of the columns; null if nothing was scaled. */
  readonly scaling: Scaling | null;
  readonly missing: MissingRule;
  /** The table columns from which the model's columns are made, in order; absent if they are the same. */
  readonly sources?: readonly ModelSource[];
  /**
   * How table columns became principal components: scale, subtract the mean, project on each axis. The components are the first
   * columns.
   */
  readonly reduction?: ModelReduction;
  /** The training data. */
  readonly data: { readonly file: string | null; readonly sha256: string | null; readonly rows: number };
  /**
   * Number of training rows for which the model predicts their training label. It is lower than `rows` if constraints or sizes placed
   * rows in another cluster.
   */
  readonly reproduces: number;
  readonly rule: CentreRule | GaussianRule | TreeRule;
}

export type MissingRule = "auto" | "error" | "drop" | "impute" | "skip";

export type ModelColumn =
  | { readonly name: string; readonly kind: "numeric"; readonly fill?: number }
  | {
      readonly name: string;
      readonly kind: "nominal";
      readonly levels: readonly string[];
      readonly fill?: string;
      /** Weight of the column in distances, default 1. Weights of numeric columns are part of the scaling. */
      readonly weight?: number;
    }
  | {
      readonly name: string;
      /** Text, converted to a vector from its characters and words. */
      readonly kind: "text";
      readonly dimensions: number;
      /** Document frequencies: `counts[slot]` texts out of `texts` contain an n-gram with this hash slot. */
      readonly rarities: { readonly texts: number; readonly counts: readonly number[] };
      readonly fill?: string;
      readonly weight?: number;
    };

export interface ModelReduction {
  readonly columns: readonly string[];
  readonly scaling: Scaling | null;
  readonly mean: readonly number[];
  readonly axes: readonly (readonly number[])[];
}

/** A table column, and how it must be read to become columns of the model. */
export interface ModelSource {
  readonly name: string;
  readonly type: "number" | "nominal" | "text" | "date" | "vector";
  /** Whether the day or the month comes first in the dates of this column. */
  readonly order?: "day" | "month";
  /** Cyclic encodings: parts of the calendar, or the period of a numeric column. */
  readonly cycles?: readonly ("day" | "week" | "month" | "year" | number)[];
  readonly fill?: number | string;
  /** Number of model columns made from this column. */
  readonly features: number;
}

/**
 * Assigns a row to the cluster with the smallest ‖R(x - centre)‖² - log det RᵀR. First, each nominal column becomes one column per level:
 * 1/√2 for the level of the row, 0 for all other levels. If `unitRows` is set, rows are normalised to length 1.
 */
export interface CentreRule {
  readonly kind: "centres";
  readonly unitRows: boolean;
  /** One row per cluster, in the units of the scaled columns. */
  readonly centres: readonly (readonly number[])[];
  /** The cluster numbers in order of preference: on ties, the cluster that comes first wins. */
  readonly preference: readonly number[];
  /**
   * The roots R: one for all clusters, or one per cluster. A root has d numbers, or d x d numbers row-major. Null for Euclidean distances.
   */
  readonly metric: {
    readonly kind: "diagonal" | "full";
    readonly roots: readonly (readonly number[])[];
    readonly logDets: readonly number[];
  } | null;
}

/** Assigns a row to the most probable cluster of a Gaussian mixture; nominal columns become one column per level first. */
export interface GaussianRule {
  readonly kind: "gaussians";
  readonly covariance: GaussianMixture["covariance"];
  readonly origin: readonly number[];
  readonly axes: readonly (readonly number[])[] | null;
  readonly means: readonly (readonly number[])[];
  readonly roots: readonly (readonly number[])[];
  readonly offsets: readonly number[];
}

/** Assigns a row to the cluster of its leaf in the tree. Values are in the units of the input. */
export interface TreeRule {
  readonly kind: "tree";
  readonly tree: ClusterTree;
}

export function encodedWidth(columns: readonly ModelColumn[]): number {
  return columns.reduce((sum, column) => sum + widthOf(column), 0);
}

export function widthOf(column: ModelColumn): number {
  if (column.kind === "numeric") return 1;
  return column.kind === "nominal" ? column.levels.length : column.dimensions;
}

export function neededColumns({ columns, rule }: Model): number[] {
  const all = [...columns.keys()];
  if (rule.kind !== "tree") return all;
  const tested = new Set<string>();
  const open: TreeNode[] = [rule.tree.root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ("cluster" in node) continue;
    tested.add(node.test.column);
    open.push(node.yes, node.no);
  }
  return all.filter((j) => tested.has(columns[j]!.name));
}
