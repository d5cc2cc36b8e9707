/** Basic schemas that requests and replies share. */
import { z } from "zod";

/** The id of a row, as in the file. If the table has no id column, ids are row numbers. */
export const rowId = z.union([z.int(), z.string().max(10_000)]);

/** The number of a row, from 0, among the rows that are clustered. */
export const row = z.int().min(0);

export const LONGEST_NAME = 1_000;

export const name = z.string().min(1).max(LONGEST_NAME);

export const projectId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,99}$/, "a project's id");

/** The id of a log entry. The client makes it, so that an entry that is sent twice counts once. */
export const entryId = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/, "an entry's id");

/** The number of a run in its project, from 1. */
export const runNumber = z.int().min(1);

/** The weight of a constraint: above 0, or "inf" for a hard constraint. */
export const weight = z.union([z.number().positive(), z.literal("inf")]);

/** The probability that an answer is wrong, or "learn" to estimate it from the answers. At 0, every answer is certain. */
export const errorRate = z.union([z.number().min(0).lt(0.5), z.literal("learn")]);
export type ErrorRate = z.infer<typeof errorRate>;

export const float32s = z.string().meta({ description: "32-bit floats, little-endian, in base64" });

export const time = z.string().meta({ description: "a time as ISO 8601 in UTC" });

/** What went wrong, as a sentence. If known, also where it happened and what to do. */
export const problemReply = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    file: z.string().optional(),
    line: z.int().optional(),
    remedy: z.string().optional(),
    /** Facts about the problem, as in the library's `CoterieError`: for example the contradictions. */
    facts: z.record(z.string(), z.unknown()).optional(),
  }),
});

export type ProblemReply = z.infer<typeof problemReply>;
