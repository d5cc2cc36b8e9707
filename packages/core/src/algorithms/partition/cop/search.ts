/**
 * The last resort under size bounds: is there any legal place for all units at all? Sharing out blocks of rows among clusters of
 * bounded size is bin packing, so this takes a work budget. Units with the fewest clusters left go first, large ones before
 * small; of several empty clusters only one is tried, since they are alike.
 */
import { isBarred, type Placement, put } from "../../placement/placement.js";

/** Depth at most: a unit each. */
const MOST_UNITS = 4000;

/** Fills an empty placement with bounds; "none" is a proof, "spent" is not. */
export function searchLegal(placement: Placement, effort: number): "found" | "none" | "spent" {
  if (placement.count > MOST_UNITS) return "spent";
  let rest = 0;
  for (const size of placement.loads!.sizes) rest += size;
  const work = { left: effort };
  const found = search(placement, rest, work);
  return found ? "found" : work.left < 0 ? "spent" : "none";
}

function search(placement: Placement, rest: number, work: { left: number }): boolean {
  const { loads } = placement;
  if (--work.left < 0 || !canFill(placement, rest)) return false;
  const u = tightest(placement);
  if (u === -1) return true;
  for (const c of openClusters(placement, u)) {
    put(placement, u, c);
    if (search(placement, rest - loads!.sizes[u]!, work)) return true;
    put(placement, u, -1);
  }
  return false;
}

/** Whether the rows that have no place yet suffice for the lower bounds. */
function canFill({ loads }: Placement, rest: number): boolean {
  let missing = 0;
  for (const load of loads!.load) missing += Math.max(0, loads!.least - load);
  return missing <= rest + loads!.free;
}

function tightest(placement: Placement): number {
  const { count, labels, loads } = placement;
  let best = -1;
  let fewest = Infinity;
  for (let u = 0; u < count; u++) {
    if (labels[u]! >= 0) continue;
    const open = openClusters(placement, u).length;
    if (open > fewest || (open === fewest && loads!.sizes[u]! <= loads!.sizes[best]!)) continue;
    best = u;
    fewest = open;
  }
  return best;
}

/** The clusters that can take u, cheapest first; the cheapest stands for all empty ones. */
function openClusters(placement: Placement, u: number): number[] {
  const { k, costs, loads } = placement;
  const open: number[] = [];
  for (let c = 0; c < k; c++) if (!isBarred(placement, u, c) && loads!.load[c]! + loads!.sizes[u]! <= loads!.most) open.push(c);
  open.sort((b, c) => costs[u * k + b]! - costs[u * k + c]! || b - c);
  const empty = open.find((c) => loads!.load[c] === 0);
  return open.filter((c) => loads!.load[c]! > 0 || c === empty);
}
