/** What bound rows add to the objective: the part that an E-step can change once free rows are placed. */
import { mapInto, matricesOf, traceOfProduct } from "../../metric/linear-maps.js";
import type { SweepState } from "./sweep.js";
import { violatedSums } from "./violated-sums.js";
import { violationCosts } from "./violation-costs.js";

/** Distances to their centres under the metrics, and violated constraints. */
export function boundObjective(state: SweepState): number {
  const { links, penalty, x, d, k, maps, farthest, labels, bulk } = state;
  let objective = distancesOf(state);
  if (penalty === "none") return objective;
  if (penalty === "cost") return objective + violationCosts(links, labels, k);
  const full = maps.kind === "full";
  const { sums, farthestShare } = violatedSums(links, labels, x, d, k, maps.maps.length, full, bulk);
  matricesOf(maps, d).forEach((a, g) => {
    objective += traceOfProduct(a, sums[g]!, d, full) + (farthestShare[g]! > 0 ? farthestShare[g]! * farthest[g]! : 0);
  });
  return objective;
}

function distancesOf({ units, x, d, k, maps, centres, labels, table }: SweepState): number {
  const several = maps.maps.length > 1;
  const z = new Float64Array(d);
  let sum = 0;
  if (table) {
    for (let u = 0; u < units.count; u++) sum += table.cost[u * k + labels[units.rows.items[units.rows.start[u]!]!]!]!;
    return sum;
  }
  for (const row of units.rows.items) {
    const h = labels[row]!;
    mapInto(maps, several ? h : 0, d, x, row * d, z, 0);
    for (let j = 0; j < d; j++) sum += (z[j]! - centres[h * d + j]!) * (z[j]! - centres[h * d + j]!);
    sum -= maps.logDets[several ? h : 0]!;
  }
  return sum;
}
