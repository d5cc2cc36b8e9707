/** A cluster that lost all its rows takes the row that is farthest from its own centre, as in k-means. */
import { mapCentres, squareBetween } from "../../metric/metrics.js";
import type { Run } from "./run.js";

export interface Refilled {
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

/** A cluster may be refilled this often; one that empties again is left so. */
const MOST_REFILLS = 3;

/** Rewrites labels; returns what moved. Rows with must-links stay with their kin, since they would go straight back; the last row of a cluster stays. */
export function refill(run: Run): Refilled[] {
  const { points, links, units, metrics, labels, ablation } = run;
  const { n, d, x } = points;
  if (run.refills >= MOST_REFILLS * ablation.k) return [];
  const counts = new Int32Array(ablation.k);
  for (let i = 0; i < n; i++) counts[labels[i]!]!++;
  if (!counts.includes(0)) return [];
  const empty = Array.from(counts.keys()).filter((h) => counts[h] === 0);
  const centres = mapCentres(metrics, run.centres);
  const z = new Float64Array(d);
  const square = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const c = links.component[i]!;
    const alone = c < 0 || links.members.start[c + 1]! - links.members.start[c]! === 1;
    if (!alone || (units.of[i]! >= 0 && units.size[units.of[i]!]! > 1)) continue;
    metrics.all[metrics.of(labels[i]!)]!.map(x, i * d, z, 0);
    square[i] = squareBetween(z, 0, centres, labels[i]! * d, d);
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
  run.refills += moved.length;
  return moved;
}
