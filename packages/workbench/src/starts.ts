/**
 * The number of starts if the user gives none. With many clusters it is lower than usual, because starts take long and give similar
 * results.
 */
import { USUAL_STARTS } from "@coterie/core/internal";

const MANY_CLUSTERS = 50;

/** The lower number of starts for many clusters; undefined if the usual number applies. */
export function fewerStarts(options: Readonly<Record<string, unknown>>, hasStarts: boolean): number | undefined {
  const { k, restarts } = options;
  if (!hasStarts || restarts !== undefined || typeof k !== "number" || k <= MANY_CLUSTERS) return undefined;
  return Math.max(1, Math.round((USUAL_STARTS * MANY_CLUSTERS) / k));
}

export function startsNotice(starts: number, k: number): string {
  return `With k = ${k.toLocaleString("en")} there ${starts === 1 ? "is 1 start" : `are ${starts} starts`} instead of ${USUAL_STARTS} (--restarts overrules).`;
}
