/** The part of this package that runs in a browser: all formats of tables, constraints, labels and hierarchies. */
export {
  type AnswerRecord,
  type BudgetRecord,
  constraintListsOf,
  type LogRecord,
  type ParsedLog,
  type Provenance,
  parseLog,
  recordLine,
  type StartRecord,
  type Stretch,
  type UndoRecord,
} from "./answers/records.js";
export type { ConstraintReadOptions, LoneConstraints, ReadConstraints } from "./constraints/constraints-file.js";
export { mergeConstraintSets, readConstraints, readConstraintsAlone, writeConstraints } from "./constraints/constraints-file.js";
export { type LabelsReadOptions, type ReadLabels, readLabels, writeLabels } from "./constraints/labels-file.js";
export { type NamedRows, type RowFinder, rowFinder, withoutGuard } from "./constraints/row-names.js";
export { type PairTable, pairsAlone, pairsFor, writePairs } from "./constraints/scored-pairs.js";
export { type TreeRows, type TreeRowsOptions, treeOfMerges, treeRows } from "./constraints/tree-rows.js";
export { type Hierarchy, parseHierarchy, parseNewick, parseTreeJson, writeNewick, writeTreeJson } from "./constraints/trees.js";
export { readCsv } from "./csv/csv.js";
export { csvCell } from "./csv/csv-write.js";
export { nextTurn } from "./engines/turns.js";
export { readArff } from "./formats/arff.js";
export { type Format, formatOf, HEAD, peek, readStream } from "./formats/formats.js";
export { readJsonLines } from "./formats/jsonl.js";
export { readNpy, writeNpy } from "./formats/npy.js";
export { type DistanceTable, distancesFor, distancesOf } from "./instances/distances.js";
export type { InstanceOptions, LoadedInstances, SourceColumn } from "./instances/instances.js";
export { instancesOf, readingOf } from "./instances/instances.js";
export { classNotice, FEWEST_COUNTED, idGuess, idNotice, isClassName, isIdName, settledRoles } from "./instances/roles.js";
export { readBytes } from "./read-bytes.js";
export { COLUMN_TYPES, type ColumnType, type ColumnTypes } from "./table/column-types.js";
export { CYCLES, type Cycle, type DateOrder } from "./table/dates.js";
export { createSha256 } from "./table/sha256.js";
export type { Chunks, Column, Hasher, NominalColumn, NumericColumn, ReadOptions, Table } from "./table/table.js";
