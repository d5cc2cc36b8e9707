/** What a page needs when it starts: methods and strategies with their options, samples, limits. */
import { z } from "zod";
import { sample } from "./projects.js";

const treatment = z.enum(["hard", "soft", "hard-only", "ignored"]);

export const method = z.object({
  name: z.string(),
  title: z.string(),
  summary: z.string(),
  paper: z.string(),
  family: z.string(),
  treats: z.object({
    mustLink: treatment,
    cannotLink: treatment,
    relative: treatment,
    labels: treatment,
    exclusive: treatment,
  }),
  /** The JSON schema of the method's options. The studio makes forms from it. */
  options: z.record(z.string(), z.unknown()),
});

export const strategy = z.object({
  name: z.string(),
  title: z.string(),
  summary: z.string(),
  needsK: z.boolean(),
  asks: z.enum(["pair", "triplet"]),
  /** Whether the strategy can weigh answers that can be wrong. If not, an error rate has no effect on it. */
  weighs: z.boolean(),
  options: z.record(z.string(), z.unknown()),
});

export const info = z.object({
  version: z.string(),
  /** Where projects are stored: on the server, in this browser, or only in memory. */
  keeps: z.enum(["server", "browser", "memory"]),
  methods: z.array(method),
  strategies: z.array(strategy),
  samples: z.array(sample),
  limits: z.object({ uploadBytes: z.int(), rows: z.int() }),
});

export type Info = z.infer<typeof info>;

export const diagnosisReply = z.object({
  upTo: z.int(),
  k: z.int().nullable(),
  milliseconds: z.number(),
  /** Whether slow checks are missing because they are still running. The same request a little later returns their results. */
  partial: z.boolean(),
  diagnosis: z.record(z.string(), z.unknown()),
  advice: z.array(
    z.object({
      sentence: z.string(),
      button: z.string().nullable(),
      action: z
        .discriminatedUnion("type", [
          z.object({ type: z.literal("drop"), entries: z.array(z.string()) }),
          z.object({ type: z.literal("k"), k: z.int() }),
          z.object({ type: z.literal("show"), rows: z.array(z.int()) }),
          z.object({ type: z.literal("ask"), cluster: z.int().nullable() }),
          z.object({ type: z.literal("method"), algorithm: z.string() }),
        ])
        .nullable(),
    }),
  ),
  /** The smallest number of clusters that the constraints allow; null if it is not known. */
  leastK: z.int().nullable(),
  recommended: z.object({ algorithm: z.string(), because: z.string() }),
});

export type DiagnosisReply = z.infer<typeof diagnosisReply>;
