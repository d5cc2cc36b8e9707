/** Which method suits a project: tried on answers that are held out, when somebody asks. */
import { z } from "zod";
import { progress } from "./runs.js";

const id = z.union([z.string(), z.number()]);
const suspected = z.object({ type: z.enum(["must-link", "cannot-link"]), a: id, b: id });

/** The number of clusters to try with; the project's own if left out. */
export const adviceRequest = z.strictObject({ k: z.int().min(1).max(1_000_000).optional(), seed: z.int().default(0) });

const triedMethod = z.object({
  algorithm: z.string(),
  /** The scale in the words of --scale; "given" for that of the table. */
  scale: z.string(),
  /** Agreement with held-out answers beyond chance, and its standard error; null where a run failed. */
  score: z.number().nullable(),
  error: z.number().nullable(),
  failure: z.string().nullable(),
});

export const advice = z.object({
  /** The log entries that it knows of, and the number of clusters. */
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
      /** Methods that would take too long, with the seconds that one run may take. */
      leftOut: z.array(z.object({ algorithm: z.string(), seconds: z.number() })),
      held: z.int(),
      /** Answers that the others contradict, and the probability that each is wrong. */
      suspects: z.array(z.object({ constraint: suspected, probability: z.number() })),
    })
    .nullable(),
});

export type AdviceReply = z.infer<typeof advice>;
