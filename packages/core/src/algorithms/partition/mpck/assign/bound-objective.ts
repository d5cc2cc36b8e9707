/** What bound rows add to the objective: the part that an E-step can change once free rows are placed. */
import { mapInto, matricesOf, traceOfProduct } from "../../../metric/linear-maps.js";
import { wholeClusters } from "../constraints/component-moments.js";
import { violatedSums, violationCosts } from "../constraints/violations.js";
import { writeWhole } from "./distance-table.js";
import type { SweepState } from "./state.js";

export interface BoundParts {
  /** Distances to their centres under the metrics. */
  readonly distances: number;
  readonly violations: number;
}

export function boundObjective(state: SweepState): number {
  const { distances, violations } = boundParts(state);
  return distances + violations;
}

export function boundParts(state: SweepState): BoundParts {
  const { links, penalty, x, d, k, maps, farthest, labels, moments } = state;
  const whole = moments && wholeClusters(moments, links, labels);
  const distances = distancesOf(state, whole);
  if (penalty === "none") return { distances, violations: 0 };
  if (penalty === "cost") return { distances, violations: violationCosts(links, labels, k) };
  const full = maps.kind === "full";
  const { sums, farthestShare } = violatedSums(links, labels, x, d, k, maps.maps.length, full, moments, whole);
  let violations = 0;
  matricesOf(maps, d).forEach((a, g) => {
    violations += traceOfProduct(a, sums[g]!, d, full) + (farthestShare[g]! > 0 ? farthestShare[g]! * farthest[g]! : 0);
  });
  return { distances, violations };
}

/** `whole`: the cluster of components whose moments stand for their rows. */
function distancesOf(state: SweepState, whole: Int32Array | null): number {
  const { units, x, d, k, maps, centres, labels, table, moments } = state;
  const several = maps.maps.length > 1;
  const z = new Float64Array(d);
  let sum = 0;
  if (table) {
    const costs = new Float64Array(k);
    whole?.forEach((h, c) => {
      if (h < 0) return;
      writeWhole(state, moments!, c, costs, 0);
      sum += costs[h]!;
    });
    for (let u = 0; u < units.count; u++) {
      if (whole && whole[units.component[u]!]! >= 0) continue;
      sum += table.costIn(u, labels[units.rows.items[units.rows.start[u]!]!]!);
    }
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
