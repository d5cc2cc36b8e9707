/** A pool without threads: trials run in this process, one after the other. */
import type { Paper } from "../paper.js";
import { findTable, type Pool } from "../pool.js";
import { textOf } from "../trials.js";

export function inlinePool(papers: readonly Paper[], size = 1): Pool {
  return {
    size,
    async measure({ paper, table: name, trials }, onLine) {
      const table = findTable(papers, paper, name);
      for (const trial of trials) {
        onLine(textOf(table, trial, await table.measure(trial)), trial);
        await new Promise((resume) => setImmediate(resume));
      }
    },
    close: async () => {},
  };
}
