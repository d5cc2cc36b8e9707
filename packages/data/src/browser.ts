/** The part of this package that runs in a browser: every text format, .npy, constraint and labels files, hierarchies. */
export {
  type AnswerRecord,
  type BudgetRecord,
  type LogRecord,
  type ParsedLog,
  parseLog,
  recordLine,
  type StartRecord,
  type Stretch,
  statementsOf,
  type UndoRecord,
} from "./answers/records.js";
export { readArff } from "./arff.js";
export {
  type ConstraintReadOptions,
  type LoneConstraints,
  mergeConstraintSets,
  type ReadConstraints,
  readConstraints,
  readConstraintsAlone,
  writeConstraints,
} from "./constraints-file.js";
export { readCsv } from "./csv.js";
export { csvCell } from "./csv-write.js";
export { type DistanceTable, distancesFor, distancesOf } from "./distances.js";
export { type Format, formatOf, HEAD, peek, readStream } from "./formats.js";
export { type InstanceOptions, instancesOf, type LoadedInstances, readingOf } from "./instances.js";
export { readJsonLines } from "./jsonl.js";
export { type LabelsReadOptions, type ReadLabels, readLabels, writeLabels } from "./labels-file.js";
export { readNpy, writeNpy } from "./npy.js";
export { type NamedRows, type RowFinder, rowFinder } from "./row-names.js";
export { createSha256 } from "./sha256.js";
export type { Chunks, Column, Hasher, NominalColumn, NumericColumn, ReadOptions, Table } from "./table.js";
export { type TreeRows, type TreeRowsOptions, treeOfMerges, treeRows } from "./tree-rows.js";
export { type Hierarchy, parseHierarchy, parseNewick, parseTreeJson, writeNewick, writeTreeJson } from "./trees.js";
