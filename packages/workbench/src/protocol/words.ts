/** Basic schemas that requests and replies share. */
import { z } from "zod";

/** Ids of rows, as in the file: row numbers where the table has no id column. */
export const rowId = z.union([z.int(), z.string().max(10_000)]);

/** A row by its number in the table that is clustered, from 0. */
export const row = z.int().min(0);

export const LONGEST_NAME = 1_000;

export const name = z.string().min(1).max(LONGEST_NAME);

export const projectId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,99}$/, "a project's id");

/** An id that the client makes, so that an entry that is sent twice counts once. */
export const entryId = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/, "an entry's id");

/** Runs of a project are counted from 1. */
export const runNumber = z.int().min(1);

/** Weights are above 0; "inf" is hard. */
export const weight = z.union([z.number().positive(), z.literal("inf")]);

/** The probability that an answer is wrong: a share, or "learn" to estimate it from the answers. At 0 every answer is certain. */
export const errorRate = z.union([z.number().min(0).lt(0.5), z.literal("learn")]);
export type ErrorRate = z.infer<typeof errorRate>;

export const float32s = z.string().meta({ description: "32-bit floats, little-endian, in base64" });

export const time = z.string().meta({ description: "a time as ISO 8601 in UTC" });

/** A problem, in a sentence, with its place and its remedy if they are known. */
export const problemReply = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    file: z.string().optional(),
    line: z.int().optional(),
    remedy: z.string().optional(),
    /** Facts of the problem, as in the library's `CoterieError`: contradictions, a core. */
    facts: z.record(z.string(), z.unknown()).optional(),
  }),
});

export type ProblemReply = z.infer<typeof problemReply>;
