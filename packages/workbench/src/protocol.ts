/** The messages that cross a boundary, as schemas: a run that is asked for, from a command line, a page or a file. */
import { z } from "zod";

export const runSpecSchema = z.strictObject({
  algorithm: z.string().min(1).max(100),
  options: z.record(z.string().max(100), z.unknown()),
  seed: z.int().default(0),
});

export type RunRequest = z.input<typeof runSpecSchema>;
