/** Engines that hold rows, and the driver that runs a plan on an engine. */
export { type Checkpoint, type Driven, type DriveOptions, drivePlan, fingerprintOf, openCheckpoint } from "./checkpoint.js";
export { createDuckdbEngine, type DuckdbEngine, type DuckdbOptions, writeParquetLabels } from "./duckdb/duckdb-engine.js";
export { filesOf } from "./duckdb/source.js";
export type { Engine, EngineFacts, EngineName, Labelled } from "./engine.js";
export { createMemoryEngine, type MemoryRows } from "./memory/memory-engine.js";
export { createSparkEngine, type SparkEngine, type SparkOptions } from "./spark/spark-engine.js";
