/** What a run says in the end. */
import type { Outcome } from "../../method.js";
import { metricsOf } from "../../metric/linear-maps.js";
import { MOST_ROWS_EXACT } from "./learn-metrics.js";
import type { Run } from "./run.js";

export function outcomeOf(run: Run, history: number[], converged: boolean, notices: readonly string[]): Outcome {
  const {
    points: { n, d },
    labels,
    centres,
    offset,
    ablation: { k, learning },
    maps,
  } = run;
  return {
    labels,
    centres: Array.from({ length: k }, (_, h) => centres.slice(h * d, (h + 1) * d).map((value, j) => value + offset[j]!)),
    objective: history.at(-1)!,
    history,
    iterations: history.length,
    stopped: converged ? "converged" : "max-iterations",
    ...(learning ? { metric: metricsOf(maps, d) } : {}),
    ...(run.farthest ? { farthestPair: n <= MOST_ROWS_EXACT ? "exact" : "bound" } : {}),
    notices: [...notices, ...closingNotices(run)],
  };
}

function closingNotices({ labels, ablation: { k }, learned, mended }: Run): string[] {
  const isUsed = new Uint8Array(k);
  for (let i = 0; i < labels.length; i++) isUsed[labels[i]!] = 1;
  const used = isUsed.reduce((sum, flag) => sum + flag, 0);
  const notices: string[] = [];
  if (used < k) notices.push(`Only ${used} of the ${k} clusters have rows: no row could be moved to the others.`);
  if (learned && learned.conditioned > 0) {
    notices.push(
      `${metricCount(learned.conditioned)} without spread in some direction: a billionth of the whole spread was added.`,
    );
  }
  if (learned && learned.projected > 0) {
    notices.push(
      `${metricCount(learned.projected)} pulled below zero by violated cannot-links in some direction: it counts next to nothing there.`,
    );
  }
  if (learned && mended && learned.conditioned + learned.projected === 0) {
    notices.push("On the way a metric had to be mended, so that the objective may have risen there.");
  }
  return notices;
}

function metricCount(count: number): string {
  return count === 1 ? "1 metric was" : `${count} metrics were`;
}
