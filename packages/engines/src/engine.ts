/** What a plan asks of those who keep the rows. */
import type { InstanceId } from "@coterie/core/internal";
import type { EngineRows, PassModel, PassTotals, Statistics } from "@coterie/core/scale";

export type EngineName = "memory" | "duckdb" | "spark";

/** Where the rows are. All engines that hold the same rows answer with the same bits. */
export interface Engine {
  readonly name: EngineName;
  /** How its passes are carried out: "arrays", "stream", "aggregate" or "sql". */
  readonly path: string;
  /** Columns, rows and ranges; refuses what is no finite number, and says where it stands. */
  statistics(): Promise<Statistics>;
  rows(ids: readonly InstanceId[]): Promise<EngineRows>;
  /** The rows of lowest hash of seed and id. */
  sample(size: number, seed: number): Promise<EngineRows>;
  pass(model: PassModel): Promise<PassTotals>;
  /** A pass whose clusters stay with the engine; those of the rows last asked for by id are `placed`. */
  label(model: PassModel, placed: Int32Array): Promise<PassTotals>;
  /** What is known of the clusters after `label`. */
  labelled(): Promise<Labelled>;
  close(): Promise<void>;
}

export interface Labelled {
  /** Clusters in the order in which rows first have them; on engines without an order of rows, in the order of ids. */
  readonly order: readonly number[];
  /** The plan's cluster of each row of the table, -1 for rows that were left out; null where the rows are elsewhere. */
  readonly labels: Int32Array | null;
  /** Places in the table of the rows that were asked for by id. */
  readonly placedRows: Int32Array;
  /** Ids and clusters, some thousand at a time. */
  rows(): AsyncIterable<{ readonly ids: readonly InstanceId[]; readonly clusters: ArrayLike<number> }>;
}

/** What an engine did, for the report. */
export interface EngineFacts {
  readonly name: EngineName;
  readonly path: string;
  readonly passes: number;
  readonly rowsRead: number;
}
