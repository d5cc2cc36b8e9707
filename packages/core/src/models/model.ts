/**
 * A model: everything that is needed to put new rows into the clusters of a run, as plain JSON. Its clusters are numbered as in
 * the labels of that run.
 */
import type { ClusterTree, TreeNode } from "../model/tree.js";

export const MODEL_FORMAT = "coterie-model";
export const MODEL_VERSION = 1;

/** What a run learned, as plain JSON: enough to put new rows into its clusters. */
export interface Model {
  readonly format: typeof MODEL_FORMAT;
  readonly formatVersion: typeof MODEL_VERSION;
  /** The Coterie that made it. */
  readonly version: string;
  readonly algorithm: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly k: number;
  /** Training rows in each cluster. */
  readonly sizes: readonly number[];
  /** What people call the clusters, where they do; null for one without a name. */
  readonly names?: readonly (string | null)[];
  /** The features, in order. */
  readonly columns: readonly ModelColumn[];
  /** One number per column, value = (original - offset) / factor; null if nothing was scaled. */
  readonly scaling: { readonly offset: readonly number[]; readonly factor: readonly number[] } | null;
  readonly missing: MissingRule;
  /** The columns of the table behind those of the model, in order; absent where they are the same. */
  readonly sources?: readonly ModelSource[];
  /** How columns of the table became principal components: scaled, taken from the mean, along each axis. They come first among the columns. */
  readonly reduction?: ModelReduction;
  /** What the model was made from. */
  readonly data: { readonly file: string | null; readonly sha256: string | null; readonly rows: number };
  /** How many of those rows the model puts where their labels are: fewer than all where constraints or sizes held rows elsewhere. */
  readonly reproduces: number;
  readonly rule: CentreRule | TreeRule;
}

export type MissingRule = "error" | "drop" | "impute" | "skip";

export type ModelColumn =
  | { readonly name: string; readonly kind: "numeric"; readonly fill?: number }
  | {
      readonly name: string;
      readonly kind: "nominal";
      readonly levels: readonly string[];
      readonly fill?: string;
      /** How much the column counts; 1 if absent. That of numbers is in the scaling. */
      readonly weight?: number;
    }
  | {
      readonly name: string;
      /** Texts, seen as numbers made of their letters and words. */
      readonly kind: "text";
      readonly dimensions: number;
      /** Texts with an n-gram of each slot of the hash, among so many. */
      readonly rarities: { readonly texts: number; readonly counts: readonly number[] };
      readonly fill?: string;
      readonly weight?: number;
    };

export interface ModelReduction {
  readonly columns: readonly string[];
  readonly scaling: { readonly offset: readonly number[]; readonly factor: readonly number[] } | null;
  readonly mean: readonly number[];
  readonly axes: readonly (readonly number[])[];
}

/** A column of the table as it must be read, so that it becomes columns of the model. */
export interface ModelSource {
  readonly name: string;
  readonly type: "number" | "nominal" | "text" | "date" | "vector";
  /** Whether day or month comes first in its dates. */
  readonly order?: "day" | "month";
  /** The circles that it goes round: parts of the calendar, or the length of a turn. */
  readonly cycles?: readonly ("day" | "week" | "month" | "year" | number)[];
  readonly fill?: number | string;
  /** How many columns of the model it becomes. */
  readonly features: number;
}

/**
 * The cluster of least ‖R(x - centre)‖² - log det RᵀR. Before that, nominal columns become one column per level that holds 1/√2
 * or 0, and rows are brought to length 1 if `unitRows` says so.
 */
export interface CentreRule {
  readonly kind: "centres";
  readonly unitRows: boolean;
  /** One row per cluster, in the units of scaled columns. */
  readonly centres: readonly (readonly number[])[];
  /** Clusters in the order in which ties are broken. */
  readonly preference: readonly number[];
  /** One R for all clusters, or one each: d numbers, or d rows of d; null for plain distances. */
  readonly metric: {
    readonly kind: "diagonal" | "full";
    readonly roots: readonly (readonly number[])[];
    readonly logDets: readonly number[];
  } | null;
}

/** The leaf that a row's values lead to, in the units of the input. */
export interface TreeRule {
  readonly kind: "tree";
  readonly tree: ClusterTree;
}

/** Numbers per row once nominal columns are split into their levels. */
export function encodedWidth(columns: readonly ModelColumn[]): number {
  return columns.reduce((sum, column) => sum + widthOf(column), 0);
}

export function widthOf(column: ModelColumn): number {
  if (column.kind === "numeric") return 1;
  return column.kind === "nominal" ? column.levels.length : column.dimensions;
}

/** The columns that new rows must have, by their place: all of them, or those that the tree tests. */
export function neededColumns({ columns, rule }: Model): number[] {
  const all = [...columns.keys()];
  if (rule.kind === "centres") return all;
  const tested = new Set<string>();
  const open: TreeNode[] = [rule.tree.root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ("cluster" in node) continue;
    tested.add(node.test.column);
    open.push(node.yes, node.no);
  }
  return all.filter((j) => tested.has(columns[j]!.name));
}
