/** Runs of methods, their results, and comparisons of two runs. */
import { z } from "zod";
import { float32s, name, row, rowId, runNumber, time } from "./words.js";

export const runSpec = z.strictObject({
  algorithm: z.string().min(1).max(100),
  options: z.record(z.string().max(100), z.unknown()),
  seed: z.int().default(0),
  /** A factor on the weight of each answer that is not hard, in this run only. */
  price: z.number().min(1e-3).max(1e3).optional(),
  /** A range of numbers of clusters to choose from, as with `-k A..B`; `options.k` is then ignored. */
  choose: z.strictObject({ from: z.int().min(1).max(1_000), to: z.int().min(1).max(1_000) }).optional(),
});

export type RunRequest = z.input<typeof runSpec>;

export const runState = z.enum(["waiting", "running", "done", "failed", "cancelled"]);

export const progress = z.object({ phase: z.string(), done: z.number(), total: z.number().nullable() });

export const scores = z.object({
  rand: z.number().nullable(),
  adjustedRand: z.number().nullable(),
  constrainedRand: z.number().nullable(),
  pairwiseF: z.number().nullable(),
  normalizedMutualInformation: z.number().nullable(),
});

/** Scores computed only over rows in a cluster, and the number of these rows that have a known class. */
export const scoresOverClustered = scores.extend({ rows: z.int().min(0) });

export const run = z.object({
  number: runNumber,
  spec: runSpec,
  title: z.string(),
  state: runState,
  created: time,
  version: z.string(),
  /** The number of log entries before the run, and the number of constraints that its method uses. */
  upTo: z.int().min(0),
  used: z.int().min(0),
  /** Answers that counted when the run began and that a clustering can keep or break. */
  given: z.int().min(0),
  progress: progress.nullable(),
  problem: z.string().nullable(),
  milliseconds: z.number().nullable(),
  k: z.int().nullable(),
  sizes: z.array(z.int()).nullable(),
  /** The letter of each cluster as a number (0 is A), matched with the previous run so that clusters keep their letters. */
  letters: z.array(z.int()).nullable(),
  /** Names of clusters, from people or from labels; null for a cluster without a name. */
  names: z.array(z.string().nullable()).nullable(),
  broken: z.int().nullable(),
  objective: z.number().nullable(),
  /** The scores; each row in no cluster counts as a cluster of its own. */
  scores: scores.nullable(),
  /** Present only if some rows with a known class are in no cluster. */
  scoresOverClustered: scoresOverClustered.optional(),
});

export type RunReply = z.infer<typeof run>;

export const runDetail = z.object({
  run,
  report: z.record(z.string(), z.unknown()).nullable(),
  current: z.boolean(),
});

export const mapReply = z.object({
  space: z.string(),
  title: z.string(),
  axes: z.tuple([
    z.object({ title: z.string(), share: z.number().nullable() }),
    z.object({ title: z.string(), share: z.number().nullable() }),
  ]),
  n: z.int(),
  xy: float32s,
  /** Why the map is of this kind, if nobody chose the kind. */
  notice: z.string().optional(),
});

export type MapReply = z.infer<typeof mapReply>;

export const comparison = z.object({
  before: runNumber,
  after: runNumber,
  /** By later cluster: the earlier cluster that matches it one to one with the largest overlap; -1 for none. */
  matched: z.array(z.int()),
  flows: z.array(z.array(z.int())),
  /** Rows that changed their cluster. `why`: "answered" if a constraint names the row, else "follows". */
  moved: z.array(z.object({ row, id: rowId, from: z.int(), to: z.int(), why: z.enum(["answered", "follows"]) })),
  rows: z.array(
    z.object({
      group: z.string(),
      title: z.string(),
      before: z.number().nullable(),
      after: z.number().nullable(),
      /** Mean and standard deviation over other seeds, if the run was repeated with them. */
      spreadBefore: z.tuple([z.number(), z.number()]).nullable(),
      spreadAfter: z.tuple([z.number(), z.number()]).nullable(),
    }),
  ),
});

export type Comparison = z.infer<typeof comparison>;

export const understanding = z.object({
  run: runNumber,
  clusters: z.array(
    z.object({
      cluster: z.int(),
      size: z.int(),
      typical: z.array(row),
      doubtful: z.array(row),
    }),
  ),
  /** Columns that distinguish clusters best come first: quartiles of numbers, or the most frequent level with its share. */
  columns: z.array(
    z.object({
      name,
      feature: z.boolean(),
      min: z.number().nullable(),
      max: z.number().nullable(),
      /** Share of the column's variance (or entropy) that lies between clusters. */
      tellsApart: z.number(),
      clusters: z.array(
        z.object({
          quantiles: z.array(z.number()).length(5).nullable(),
          mean: z.number().nullable(),
          density: z.array(z.number()).nullable(),
          level: z.string().nullable(),
          share: z.number().nullable(),
        }),
      ),
    }),
  ),
  rules: z.object({
    correct: z.int(),
    of: z.int(),
    tree: z.unknown(),
    clusters: z.array(z.object({ cluster: z.int(), words: z.string(), correct: z.int(), of: z.int() })),
  }),
  broken: z.array(
    z.object({
      entry: z.string().nullable(),
      sentence: z.string(),
      why: z.string(),
      /** In a hierarchy: the height of a cut that would keep the constraint, and the number of clusters at that height. */
      cut: z.object({ height: z.number(), k: z.int() }).nullable(),
    }),
  ),
  weights: z.array(z.object({ column: name, cluster: z.int().nullable(), weight: z.number() })).nullable(),
});

export type Understanding = z.infer<typeof understanding>;

export const exportKind = z.enum([
  "labels",
  "constraints",
  "model",
  "report-json",
  "report-html",
  "answers",
  "command",
  "typescript",
]);
export const exported = z.object({ file: name, type: z.string(), text: z.string() });
