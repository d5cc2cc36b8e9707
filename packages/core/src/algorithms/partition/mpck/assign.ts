/**
 * The E-step (bilenko2004, section 3.2): free rows go to their nearest cluster, bound ones where distances and broken constraints
 * together cost least. Free rows come first, by the kernel; bound rows follow in greedy moves over units.
 */
import type { Random } from "../../../random/index.js";
import type { Steps } from "../../../steps/index.js";
import { mapCentres } from "../../metric/metrics.js";
import { improveSteps, moveOneByOneSteps, placeSteps } from "./assign/bound-rows.js";
import { distanceTable, tableOnDemand } from "./assign/distance-table.js";
import { assignFreeSteps, nearestSteps } from "./assign/kernel-rows.js";
import { assignWithLargeSteps } from "./assign/large-components.js";
import type { Run } from "./run.js";

/** "place" forgets where bound rows are, "improve" moves them from there. Returns how many rows or units moved. */
export function* assignSteps(run: Run, random: Random, how: "place" | "improve"): Steps<number> {
  const { ablation, points, links, units, large, moments, free, labels, metrics, farthest } = run;
  const centres = mapCentres(metrics, run.centres);
  const others = yield* assignFreeSteps(free, points, metrics, centres, labels);
  if (units.count === 0 && !large) return others;
  const state = {
    penalty: links.hasPenalties ? ablation.penalty : "none",
    x: points.x,
    rowWeights: points.rowWeights,
    d: points.d,
    k: ablation.k,
    metrics,
    centres,
    farthest: farthest?.squares ?? new Float64Array(metrics.all.length),
    squares: run.kernels.squares,
    links,
    units,
    labels,
    moments,
  } as const;
  if (large) {
    const nearest = yield* nearestSteps(large.kernel, points, metrics, centres);
    return others + (yield* assignWithLargeSteps(large, nearest, state, run.clusterOfLarge, random, how, others));
  }
  const { tied } = run;
  const near = tied && (yield* nearestSteps(tied.kernel, { n: units.count, d: points.d, x: units.mean }, metrics, centres));
  const tabled = { ...state, table: near ? tableOnDemand(state, near, tied!.room) : distanceTable(state) };
  if (ablation.faithful) return others + (yield* moveOneByOneSteps(tabled, random));
  return others + (yield* how === "place" ? placeSteps(tabled, random) : improveSteps(tabled, random, others));
}
