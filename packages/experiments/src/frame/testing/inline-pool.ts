/** A pool without threads: trials run in this process, one after the other. */
import { poolHere, type TrialPool } from "@coterie/workbench/trials";
import type { Paper } from "../paper.js";
import { measured, type TableName } from "../pool.js";

export function inlinePool(papers: readonly Paper[], size = 1): TrialPool<TableName> {
  return poolHere((trial, name) => measured(papers, trial, name), size);
}
