/** What a run says in the end. */
import type { Stopped } from "../../../model/result.js";
import type { Outcome } from "../../method.js";
import { metricsOf } from "../../metric/linear-maps.js";
import { distinctRows } from "../outcome.js";
import { MOST_ROWS_EXACT } from "./estimate/farthest.js";
import type { Run } from "./run.js";

export function outcomeOf(run: Run, history: readonly number[], stopped: Stopped, notices: readonly string[]): Outcome {
  const {
    points: { n, d },
    labels,
    centres,
    offset,
    ablation: { k, learning },
    metrics,
  } = run;
  return {
    labels,
    centres: Array.from({ length: k }, (_, h) => centres.slice(h * d, (h + 1) * d).map((value, j) => value + offset[j]!)),
    objective: history.at(-1)!,
    history,
    iterations: history.length,
    stopped,
    ...(learning ? { metric: metricsOf(metrics.maps, d) } : {}),
    ...(run.farthest ? { farthestPair: n <= MOST_ROWS_EXACT ? "exact" : "bound" } : {}),
    notices: [...notices, ...closingNotices(run)],
  };
}

function closingNotices(run: Run): string[] {
  const { points, labels, ablation, learned, mended } = run;
  const { k } = ablation;
  const isUsed = new Uint8Array(k);
  for (let i = 0; i < labels.length; i++) isUsed[labels[i]!] = 1;
  const used = isUsed.reduce((sum, flag) => sum + flag, 0);
  const different = distinctRows(points, k);
  const notices: string[] = [];
  if (used < k) notices.push(`Only ${used} of the ${k} clusters have rows: no row could be moved to the others.`);
  else if (different < k) {
    const seen = points.underMetric ? "Under the learned metric there" : "There";
    notices.push(
      `${seen} ${different === 1 ? "is" : "are"} only ${different} different ${different === 1 ? "row" : "rows"}: equal rows are in different clusters.`,
    );
  }
  const constant = learned ? constantColumns(run) : [];
  if (constant.length > 0) notices.push(constantNotice(constant));
  if (learned && learned.conditioned > 0 && !(constant.length > 0 && isOneDiagonal(run))) {
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

function isOneDiagonal({ metrics }: Run): boolean {
  return metrics.maps.kind === "diagonal" && !metrics.several;
}

function constantColumns({ spread, names }: Run): string[] {
  return Array.from(spread, (value, j) => (value === 0 ? [names?.[j] ?? `x${j}`] : [])).flat();
}

const MOST_NAMED = 3;

function constantNotice(columns: readonly string[]): string {
  const [first] = columns;
  if (columns.length === 1) return `Column "${first}" is constant: it tells no rows apart, and its weight means nothing.`;
  const named = columns.slice(0, MOST_NAMED).map((name) => `"${name}"`);
  const more = columns.length > MOST_NAMED ? ", …" : "";
  return `${columns.length} columns are constant (${named.join(", ")}${more}): they tell no rows apart, and their weights mean nothing.`;
}
