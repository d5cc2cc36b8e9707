/** The interface between a plan and the engine that holds the rows. */
import type { InstanceId } from "@coterie/core/internal";
import type { EngineRows, PassModel, PassTotals, Statistics } from "@coterie/core/scale";

export type EngineName = "memory" | "duckdb" | "spark";

/** An engine holds rows and runs passes over them. All engines return the same bits for the same rows. */
export interface Engine {
  readonly name: EngineName;
  /** How the engine runs passes: "arrays", "stream", "aggregate" or "sql". */
  readonly path: string;
  /** Names of columns, number of rows, and ranges. Throws an error with the place of the first cell that is not a finite number. */
  statistics(): Promise<Statistics>;
  rows(ids: readonly InstanceId[]): Promise<EngineRows>;
  /** A sample: the `size` rows with the lowest hash of seed and id. */
  sample(size: number, seed: number): Promise<EngineRows>;
  pass(model: PassModel): Promise<PassTotals>;
  /** A pass whose labels stay in the engine. `placed` gives the clusters of the rows that the plan last requested by id. */
  label(model: PassModel, placed: Int32Array): Promise<PassTotals>;
  /** The clusters that `label` assigned. Call `label` first. */
  labelled(): Promise<Labelled>;
  close(): Promise<void>;
}

export interface Labelled {
  /** The clusters in the order of first appearance in the rows. If the engine's rows have no order, in the order of ids. */
  readonly order: readonly number[];
  /** The plan's cluster of each row of the table; -1 for rows that were left out. Null if the engine does not return labels. */
  readonly labels: Int32Array | null;
  readonly placedRows: Int32Array;
  /** Ids and clusters of all rows, in batches of some thousand rows. */
  rows(): AsyncIterable<{ readonly ids: readonly InstanceId[]; readonly clusters: ArrayLike<number> }>;
}

export interface EngineFacts {
  readonly name: EngineName;
  readonly path: string;
  readonly passes: number;
  readonly rowsRead: number;
}
