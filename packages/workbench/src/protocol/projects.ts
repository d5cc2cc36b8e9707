/** Projects: a table, identified by its content, how its columns are read, and counts of its constraints and runs. */
import { z } from "zod";
import { policy } from "./knowledge.js";
import { name, projectId, row, rowId, time } from "./words.js";

const scale = z.enum(["auto", "none", "zscore", "minmax", "robust", "log", "rank"]);
const missing = z.enum(["auto", "error", "drop", "impute", "skip"]);
const names = z.array(name).max(100_000);
/** What a column holds, instead of what its cells look like. */
const columnType = z.enum(["number", "nominal", "text", "date", "vector"]);
const types = z.record(name, columnType);
/** What is done to a column before it is scaled. */
const transforms = z.record(name, z.enum(["log", "rank", "none"]));
/** How much columns count in distances; 1 by default. */
const weights = z.record(name, z.number().gt(0).max(1e6));
const readingParts = {
  features: names.optional(),
  ignore: names.optional(),
  nominal: names.optional(),
  delimiter: z.string().length(1).optional(),
  decimal: z.enum([".", ","]).optional(),
};

/** How a table is read; the words are those of the command line. */
export const reading = z.strictObject({
  ...readingParts,
  id: name.optional(),
  truth: name.optional(),
  types: types.optional(),
  weights: weights.optional(),
  transforms: transforms.optional(),
  /** Roles that nobody gave: columns that look like ids or known classes have them. */
  recognise: z.array(z.enum(["id", "truth"])).optional(),
  scale: scale.default("auto"),
  missing: missing.default("auto"),
});

/** A change to how the table is read. Absent fields keep their value. Null removes a role: no column has it any more. */
export const readingChange = z.strictObject({
  ...readingParts,
  id: name.nullable().optional(),
  truth: name.nullable().optional(),
  types: types.nullable().optional(),
  weights: weights.nullable().optional(),
  transforms: transforms.nullable().optional(),
  scale: scale.optional(),
  missing: missing.optional(),
});

export type Reading = z.infer<typeof reading>;
export type ReadingChange = z.infer<typeof readingChange>;

export const project = z.object({
  id: projectId,
  name,
  created: time,
  changed: time,
  data: z.object({ file: name, sha256: z.string(), bytes: z.int().min(0) }),
  reading,
  k: z.int().min(1).nullable(),
  policy,
  /** Rows that are clustered, and rows of the file that are left out. */
  rows: z.int().min(0),
  leftOut: z.int().min(0),
  columns: z.int().min(0),
  constraints: z.int().min(0),
  runs: z.int().min(0),
  /** Constraints that the newest finished run breaks; null before the first. */
  broken: z.int().min(0).nullable(),
  notices: z.array(z.string()),
  /** What is wrong with a project that cannot be read, or not in full. */
  problem: z.string().optional(),
});

export type Project = z.infer<typeof project>;

export const upload = z.object({ upload: z.string(), file: name, sha256: z.string(), bytes: z.int().min(0) });

export const newProject = z.strictObject({
  /** One of the two: bytes that were uploaded, or a sample set. */
  upload: z.string().max(200).optional(),
  sample: name.optional(),
  name: name.optional(),
  reading: readingChange.optional(),
});

export const projectChange = z.strictObject({
  name: name.optional(),
  reading: readingChange.optional(),
  k: z.int().min(1).nullable().optional(),
  policy: policy.optional(),
});

export const sample = z.object({
  name,
  about: z.string(),
  rows: z.int(),
  columns: z.int(),
  goodFor: z.string(),
});

/** How people write the amounts of a column, and how its cells are written: "$1,250" where the number is 1250. */
const notation = z.object({
  kind: z.enum(["money", "percent"]),
  before: z.string(),
  after: z.string(),
  decimal: z.enum([".", ","]),
  group: z.string(),
});

/** A column as the panel beside the map shows it. */
export const column = z.object({
  name,
  kind: z.enum(["number", "nominal", "text", "date", "vector"]),
  role: z.enum(["feature", "ignored", "id", "truth", "exclusive"]),
  missing: z.int().min(0),
  distinct: z.int().min(0).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  mean: z.number().optional(),
  deviation: z.number().optional(),
  /** How much it counts in distances, where it does not count once. */
  weight: z.number().optional(),
  notation: notation.optional(),
  /** How many numbers a vector has. */
  parts: z.int().optional(),
  /** Counts over equal bins from min to max, or of the most frequent levels. */
  counts: z.array(z.int()).max(64),
  levels: z.array(z.string()).max(64).optional(),
});

export type ColumnReply = z.infer<typeof column>;

/** The cells of rows, all columns of the file in its order; dates and amounts are texts as people write them; null is missing. */
export const rowReply = z.object({
  row,
  id: rowId,
  cells: z.array(z.union([z.string(), z.number(), z.null()])),
  /** An address of an image that lies beside the data, for each column that names one. */
  images: z.record(z.string(), z.string()).optional(),
});

export type RowReply = z.infer<typeof rowReply>;
