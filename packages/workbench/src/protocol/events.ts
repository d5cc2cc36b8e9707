/** The events that everybody who has a project open receives. */
import { z } from "zod";
import { advice } from "./advice.js";
import { progress, run } from "./runs.js";
import { runNumber } from "./words.js";

export const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), upTo: z.int() }),
  z.object({ type: z.literal("knowledge"), upTo: z.int() }),
  z.object({ type: z.literal("project") }),
  z.object({ type: z.literal("run"), run }),
  z.object({ type: z.literal("progress"), run: runNumber, progress }),
  z.object({ type: z.literal("advice"), advice }),
  /** The map of neighbourhoods is being drawn; null when it ended. */
  z.object({ type: z.literal("map"), progress: progress.nullable() }),
  z.object({ type: z.literal("gone") }),
]);

export type ProjectEvent = z.infer<typeof event>;
