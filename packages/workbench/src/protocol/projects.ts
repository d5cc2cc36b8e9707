/**
 * Projects. A project has a table, the way its columns are read, and numbers of constraints and runs. The table is identified by its
 * content.
 */
import { z } from "zod";
import { policy } from "./knowledge.js";
import { name, projectId, row, rowId, time } from "./words.js";

const scale = z.enum(["auto", "none", "zscore", "minmax", "robust", "log", "rank"]);
const missing = z.enum(["auto", "error", "drop", "impute", "skip"]);
const names = z.array(name).max(100_000);
/** The type of a column. It is given only if it differs from the type that the cells suggest. */
const columnType = z.enum(["number", "nominal", "text", "date", "vector"]);
const types = z.record(name, columnType);
const transforms = z.record(name, z.enum(["log", "rank", "none"]));
/** The weights of columns in distances, by column name; the default is 1. */
const weights = z.record(name, z.number().gt(0).max(1e6));
const readingParts = {
  features: names.optional(),
  ignore: names.optional(),
  nominal: names.optional(),
  delimiter: z.string().length(1).optional(),
  decimal: z.enum([".", ","]).optional(),
};

/** How a table is read. Each field has the name of a flag of the command line. */
export const reading = z.strictObject({
  ...readingParts,
  id: name.optional(),
  truth: name.optional(),
  types: types.optional(),
  weights: weights.optional(),
  transforms: transforms.optional(),
  /** Roles that the user left open. A column that looks like ids or like known classes gets the role. */
  recognise: z.array(z.enum(["id", "truth"])).optional(),
  scale: scale.default("auto"),
  missing: missing.default("auto"),
});

/** A change of how the table is read. Fields that are absent keep their value. Null removes a role, so that no column has it any more. */
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
  rows: z.int().min(0),
  leftOut: z.int().min(0),
  columns: z.int().min(0),
  constraints: z.int().min(0),
  runs: z.int().min(0),
  broken: z.int().min(0).nullable(),
  notices: z.array(z.string()),
  problem: z.string().optional(),
});

export type Project = z.infer<typeof project>;

export const upload = z.object({ upload: z.string(), file: name, sha256: z.string(), bytes: z.int().min(0) });

export const newProject = z.strictObject({
  /** The data of the new project: either `upload`, a file that was uploaded, or `sample`, the name of a sample set. */
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

/** How the cells of a column of amounts are written. For the number 1250 written as "$1,250", `before` is "$". */
const notation = z.object({
  kind: z.enum(["money", "percent"]),
  before: z.string(),
  after: z.string(),
  decimal: z.enum([".", ","]),
  group: z.string(),
});

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
  weight: z.number().optional(),
  notation: notation.optional(),
  parts: z.int().optional(),
  /** Frequencies of values. Numbers: in equal bins from `min` to `max`. Texts: for each of the most frequent levels. */
  counts: z.array(z.int()).max(64),
  levels: z.array(z.string()).max(64).optional(),
});

export type ColumnReply = z.infer<typeof column>;

/**
 * The cells of a row, for all columns of the file in their order. Dates and amounts are texts as written in the file; null is a missing
 * cell.
 */
export const rowReply = z.object({
  row,
  id: rowId,
  cells: z.array(z.union([z.string(), z.number(), z.null()])),
  /** For each column whose cell names an image file beside the data: the address of the image. */
  images: z.record(z.string(), z.string()).optional(),
});

export type RowReply = z.infer<typeof rowReply>;
