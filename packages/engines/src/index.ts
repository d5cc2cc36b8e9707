/**
 * Engines hold the rows of tables that can be larger than memory. `drivePlan` runs a method on an engine, as a plan of passes over the
 * rows.
 */
export { type Checkpoint, type Driven, type DriveOptions, drivePlan, fingerprintOf, openCheckpoint } from "./checkpoint.js";
export { createDuckdbEngine, type DuckdbEngine, type DuckdbOptions, writeParquetLabels } from "./duckdb/duckdb-engine.js";
export { filesOf } from "./duckdb/source.js";
export type { Engine, EngineFacts, EngineName, Labelled } from "./engine.js";
export { createMemoryEngine, type MemoryRows } from "./memory/memory-engine.js";
export { createSparkEngine, type SparkEngine, type SparkOptions } from "./spark/spark-engine.js";
