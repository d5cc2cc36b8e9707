/** The experiments, by paper. */
import { baselines } from "./baselines/index.js";
import type { Paper } from "./experiment.js";
import { struyf2006 } from "./struyf2006/index.js";

export const papers: readonly Paper[] = [baselines, struyf2006];
export type { Figure, Finding, Paper, Picture, ResultTable, Seen, Setting, Verdict } from "./experiment.js";
