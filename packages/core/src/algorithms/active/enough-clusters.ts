/** As many clusters as were asked for, or as few more as the answers need. */
import type { Steps } from "../../steps/index.js";
import type { Outcome } from "../method.js";

/** The first outcome that keeps everything, trying k clusters, then one more, and so on; says so if it took more. */
export function* enoughClusters(k: number, n: number, attempt: (k: number) => Steps<Outcome | null>): Steps<Outcome> {
  for (let clusters = k; clusters <= n; clusters++) {
    const outcome = yield* attempt(clusters);
    if (outcome === null) continue;
    if (clusters === k) return outcome;
    return {
      ...outcome,
      notices: [...outcome.notices, `No clustering into ${k} keeps all answers: there are ${clusters} clusters.`],
    };
  }
  throw new Error("Every row in a cluster of its own keeps all that is apart, and components are never parted.");
}
