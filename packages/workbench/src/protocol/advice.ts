/** Advice on which method suits a project: on request, methods are tried on held-out answers. */
import { z } from "zod";
import { progress } from "./runs.js";

const id = z.union([z.string(), z.number()]);
const suspected = z.object({ type: z.enum(["must-link", "cannot-link"]), a: id, b: id });

export const adviceRequest = z.strictObject({ k: z.int().min(1).max(1_000_000).optional(), seed: z.int().default(0) });

const triedMethod = z.object({
  algorithm: z.string(),
  /** The scale, as option --scale names it; "given" if it is the scale of the table. */
  scale: z.string(),
  /** Agreement with held-out answers beyond chance, and its standard error; null where a run failed. */
  score: z.number().nullable(),
  error: z.number().nullable(),
  failure: z.string().nullable(),
});

export const advice = z.object({
  /** The number of log entries that the advice takes into account, and the number of clusters. */
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
      /** Answers that other answers contradict, and the probability that each is wrong. */
      suspects: z.array(z.object({ constraint: suspected, probability: z.number() })),
    })
    .nullable(),
});

export type AdviceReply = z.infer<typeof advice>;
