/** Starts where nobody says how many: fewer than usual where many clusters make each start long and all starts alike. */
import { USUAL_STARTS } from "@coterie/core/internal";

const MANY_CLUSTERS = 50;

/** The number of starts that is taken instead of the usual one; undefined where the usual one is taken. */
export function fewerStarts(options: Readonly<Record<string, unknown>>, hasStarts: boolean): number | undefined {
  const { k, restarts } = options;
  if (!hasStarts || restarts !== undefined || typeof k !== "number" || k <= MANY_CLUSTERS) return undefined;
  return Math.max(1, Math.round((USUAL_STARTS * MANY_CLUSTERS) / k));
}

export function startsNotice(starts: number, k: number): string {
  return `With k = ${k.toLocaleString("en")} there ${starts === 1 ? "is 1 start" : `are ${starts} starts`} instead of ${USUAL_STARTS} (--restarts overrules).`;
}
