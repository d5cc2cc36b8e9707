export { takeLock } from "./answers/lock.js";
export { type AnswersLog, type LogFiles, nodeFiles, type OpenAnswersOptions, openAnswers } from "./answers/log-file.js";
export * from "./browser.js";
export { arrowShape } from "./engines/arrow-bytes.js";
export { type ColumnShape, parquetShape } from "./engines/duckdb.js";
export { nodeHasher } from "./engines/file.js";
export {
  openBytes,
  type ReadDistancesOptions,
  type ReadTableOptions,
  readColumns,
  readDistances,
  readTable,
  type TableInstances,
} from "./read-table.js";
export * from "./samples/index.js";
export { dropPart, newPart, type Part, putInPlace, removeStaleParts, stage, stageMade } from "./writing/parts.js";
export { keyOfFile, keyOfOpen, type Place, placeOf } from "./writing/places.js";
