/** The interface between a plan (a method as a series of passes over the rows) and the engine that holds the rows. */
import type { InstanceId } from "@coterie/core/internal";
import type { EngineRows, PassModel, PassTotals, Statistics } from "@coterie/core/scale";

export type EngineName = "memory" | "duckdb" | "spark";

/** An engine holds the rows of a table and runs passes over them. All engines return the same bits for the same rows. */
export interface Engine {
  readonly name: EngineName;
  /** The way in which the engine runs passes, for reports: "arrays", "stream", "aggregate" or "sql". */
  readonly path: string;
  /**
   * Names of columns, number of rows, and the range of each column. If a cell is not a finite number, the error names the first such cell.
   */
  statistics(): Promise<Statistics>;
  rows(ids: readonly InstanceId[]): Promise<EngineRows>;
  /** A random sample that every engine draws in the same way: the `size` rows with the lowest hash of seed and id. */
  sample(size: number, seed: number): Promise<EngineRows>;
  pass(model: PassModel): Promise<PassTotals>;
  /**
   * Runs the last pass, and keeps the clusters of all rows in the engine.
   * placed: clusters of the rows that the plan last requested by id. The plan itself chose these clusters.
   */
  label(model: PassModel, placed: Int32Array): Promise<PassTotals>;
  /** The clusters that `label` assigned. Call `label` first. */
  labelled(): Promise<Labelled>;
  close(): Promise<void>;
}

export interface Labelled {
  /** The plan's clusters in the order in which they first appear in the rows. If the rows have no order, they are sorted by id first. */
  readonly order: readonly number[];
  /** For each row of the table, its cluster in the plan; -1 for rows that were left out. Null if the labels stay in the engine. */
  readonly labels: Int32Array | null;
  readonly placedRows: Int32Array;
  /** Yields the ids and clusters of all rows, in batches of some thousand rows. */
  rows(): AsyncIterable<{ readonly ids: readonly InstanceId[]; readonly clusters: ArrayLike<number> }>;
}

export interface EngineFacts {
  readonly name: EngineName;
  readonly path: string;
  readonly passes: number;
  readonly rowsRead: number;
}
