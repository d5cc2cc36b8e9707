/** The experiments, by paper. */
import { baselines } from "./baselines/index.js";
import type { Paper } from "./experiment.js";

export const papers: readonly Paper[] = [baselines];
export type { Figure, Finding, Paper, Picture, ResultTable, Seen, Setting, Verdict } from "./experiment.js";
