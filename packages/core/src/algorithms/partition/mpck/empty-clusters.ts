/** A cluster that lost all its rows takes the row that is farthest from its own centre, as in k-means. */
import type { Points } from "../../../model/points.js";
import { type Metrics, mapCentres } from "../../metric/metrics.js";
import type { Links } from "./constraints/links.js";
import type { Units } from "./constraints/moving-units.js";
import type { Run } from "./run.js";

export interface Refilled {
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

/** A cluster may be refilled this often; one that empties again is left so. */
const MOST_REFILLS = 3;

/** Rewrites labels; returns what moved. */
export function refill(run: Run): Refilled[] {
  const { points, links, units, metrics, labels, ablation } = run;
  if (run.refills >= MOST_REFILLS * ablation.k) return [];
  const counts = new Int32Array(ablation.k);
  for (let i = 0; i < points.n; i++) counts[labels[i]!]!++;
  if (!counts.includes(0)) return [];
  const moved = refillEmpty(points, links, units, metrics, mapCentres(metrics, run.centres), labels, counts);
  run.refills += moved.length;
  return moved;
}

/**
 * Rewrites labels and counts; returns what moved. Rows with must-links stay with their kin, since they would go straight back;
 * the last row of a cluster stays. `centres`: k × d, each in the space of its cluster's metric.
 */
function refillEmpty(
  { n, d, x }: Points,
  links: Links,
  units: Units,
  metrics: Metrics,
  centres: Float64Array,
  labels: Int32Array,
  counts: Int32Array,
): Refilled[] {
  const empty = Array.from(counts.keys()).filter((h) => counts[h] === 0);
  if (empty.length === 0) return [];
  const z = new Float64Array(d);
  const square = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const c = links.component[i]!;
    const alone = c < 0 || links.members.start[c + 1]! - links.members.start[c]! === 1;
    if (!alone || (units.of[i]! >= 0 && units.size[units.of[i]!]! > 1)) continue;
    const h = labels[i]!;
    metrics.all[metrics.of(h)]!.map(x, i * d, z, 0);
    for (let j = 0; j < d; j++) square[i]! += (z[j]! - centres[h * d + j]!) * (z[j]! - centres[h * d + j]!);
  }
  const moved: Refilled[] = [];
  for (const to of empty) {
    let row = -1;
    for (let i = 0; i < n; i++) if (square[i]! > (row < 0 ? 0 : square[row]!) && counts[labels[i]!]! > 1) row = i;
    if (row < 0) break;
    moved.push({ row, from: labels[row]!, to });
    square[row] = 0;
    counts[labels[row]!]!--;
    counts[to]!++;
    labels[row] = to;
  }
  return moved;
}
