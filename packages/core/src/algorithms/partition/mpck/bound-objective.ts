/** What bound rows add to the objective: the part that an E-step can change once free rows are placed. */
import { mapInto, matricesOf, traceOfProduct } from "../../metric/linear-maps.js";
import type { SweepState } from "./sweep.js";
import { violatedSums } from "./violated-sums.js";
import { violationCosts } from "./violation-costs.js";

/** Distances to their centres under the metrics, and violated constraints. */
export function boundObjective({ links, units, penalty, x, d, k, maps, centres, farthest, labels }: SweepState): number {
  const several = maps.maps.length > 1;
  const z = new Float64Array(d);
  let objective = 0;
  for (const row of units.rows.items) {
    const h = labels[row]!;
    mapInto(maps, several ? h : 0, d, x, row * d, z, 0);
    for (let j = 0; j < d; j++) objective += (z[j]! - centres[h * d + j]!) * (z[j]! - centres[h * d + j]!);
    objective -= maps.logDets[several ? h : 0]!;
  }
  if (penalty === "none") return objective;
  if (penalty === "cost") return objective + violationCosts(links, labels, k);
  const full = maps.kind === "full";
  const { sums, farthestShare } = violatedSums(links, labels, x, d, k, maps.maps.length, full);
  matricesOf(maps, d).forEach((a, g) => {
    objective += traceOfProduct(a, sums[g]!, d, full) + (farthestShare[g]! > 0 ? farthestShare[g]! * farthest[g]! : 0);
  });
  return objective;
}
