/** Runs of methods, their results, and comparisons of two runs. */
import { z } from "zod";
import { float32s, name, row, rowId, runNumber, time } from "./words.js";

export const runSpec = z.strictObject({
  algorithm: z.string().min(1).max(100),
  options: z.record(z.string().max(100), z.unknown()),
  seed: z.int().default(0),
  /** In this run, the weight of each answer is multiplied by this factor. Hard answers stay hard. */
  price: z.number().min(1e-3).max(1e3).optional(),
  /** A range of numbers of clusters, from which the run chooses the best, as with `-k A..B`. `options.k` is then ignored. */
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

/** Scores over only the rows that are in a cluster. rows: the number of these rows that have a known class. */
export const scoresOverClustered = scores.extend({ rows: z.int().min(0) });

export const run = z.object({
  number: runNumber,
  spec: runSpec,
  title: z.string(),
  state: runState,
  created: time,
  version: z.string(),
  /** upTo: number of log entries when the run began. used: number of constraints that the method uses. */
  upTo: z.int().min(0),
  used: z.int().min(0),
  /** Number of answers at the start of the run that a clustering can keep or break. Answers that do not count are left out. */
  given: z.int().min(0),
  progress: progress.nullable(),
  problem: z.string().nullable(),
  milliseconds: z.number().nullable(),
  k: z.int().nullable(),
  sizes: z.array(z.int()).nullable(),
  /**
   * The letter of each cluster as a number, 0 for A. Clusters are matched with the clusters of the previous run, so that they keep their
   * letters.
   */
  letters: z.array(z.int()).nullable(),
  /** The name of each cluster, given by a person or taken from labelled rows; null for a cluster without a name. */
  names: z.array(z.string().nullable()).nullable(),
  broken: z.int().nullable(),
  objective: z.number().nullable(),
  /** The scores over all rows. Each row that is in no cluster counts as a cluster of its own. */
  scores: scores.nullable(),
  /** Scores over only the rows that are in a cluster. Present only if some rows with a known class are in no cluster. */
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
  /** For each cluster of the later run, its match in the earlier run; -1 for none. The matching is one to one, with the largest overlap. */
  matched: z.array(z.int()),
  flows: z.array(z.array(z.int())),
  /** The rows that are in another cluster now. why: "answered" if a constraint names the row, otherwise "follows". */
  moved: z.array(z.object({ row, id: rowId, from: z.int(), to: z.int(), why: z.enum(["answered", "follows"]) })),
  rows: z.array(
    z.object({
      group: z.string(),
      title: z.string(),
      before: z.number().nullable(),
      after: z.number().nullable(),
      /** Mean and standard deviation of the score over other seeds; null if the run was not repeated with other seeds. */
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
  /**
   * The columns in each cluster: quartiles of numbers, or the most frequent level and its share. Columns that separate the clusters best
   * come first.
   */
  columns: z.array(
    z.object({
      name,
      feature: z.boolean(),
      min: z.number().nullable(),
      max: z.number().nullable(),
      /**
       * How well the column separates the clusters. It is the share of the column's variance (or spread, for texts) between the clusters.
       */
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
      /** In a hierarchy, a cut that would keep this constraint. height: the height of the cut. k: its number of clusters. */
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
