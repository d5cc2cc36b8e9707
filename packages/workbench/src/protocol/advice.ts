/**
 * Advice on the method that suits a project. On request, methods are tried: some answers are held out, and the clusters are compared with
 * these answers.
 */
import { z } from "zod";
import { progress } from "./runs.js";

const id = z.union([z.string(), z.number()]);
const suspected = z.object({ type: z.enum(["must-link", "cannot-link"]), a: id, b: id });

export const adviceRequest = z.strictObject({ k: z.int().min(1).max(1_000_000).optional(), seed: z.int().default(0) });

const triedMethod = z.object({
  algorithm: z.string(),
  /** The scale, as a value of the option --scale. "given": the table keeps its scale. */
  scale: z.string(),
  /**
   * score: agreement of the clusters with held-out answers, beyond chance; null if the run failed. error: the standard error of the score.
   */
  score: z.number().nullable(),
  error: z.number().nullable(),
  failure: z.string().nullable(),
});

export const advice = z.object({
  /** upTo: number of log entries on which the advice is based. k: number of clusters. */
  upTo: z.int(),
  k: z.int(),
  state: z.enum(["running", "done", "failed", "cancelled"]),
  progress: progress.nullable(),
  problem: z.string().nullable(),
  advised: z
    .object({
      algorithm: z.string(),
      scale: z.string(),
      by: z.enum(["held-out constraints", "rule"]),
      because: z.string(),
      tried: z.array(triedMethod),
      leftOut: z.array(z.object({ algorithm: z.string(), seconds: z.number() })),
      held: z.int(),
      /** Answers that contradict other answers, each with the probability that it is wrong. */
      suspects: z.array(z.object({ constraint: suspected, probability: z.number() })),
    })
    .nullable(),
});

export type AdviceReply = z.infer<typeof advice>;
