/**
 * The loop of ReCon (liu2011 §4.2): the closest pair whose merge leaves a way to a full hierarchy merges, until one cluster is
 * left. A refusal is final while both clusters stand, so each pair is tested once.
 *
 * Cannot-links: a pair that must be apart is at distance Infinity, and so are the clusters that come from it. While there are
 * more than k clusters, a merge after which k clusters could not keep every cannot-link is refused too. Where only pairs remain
 * that must be apart, those merge, at height Infinity: such merges lie above any cut.
 */
import type { KeptColouring } from "../../../colouring/kept-colouring.js";
import type { Step } from "../../../steps/index.js";
import type { Compatibility } from "./compatibility.js";
import { closest, type Distances, forgetRefusals, isRefused, mergeSlots, refuse, renew, searchRow } from "./distances.js";

/** Elements looked at between two steps: some 20 ms. */
const WORK_PER_STEP = 10_000_000;

/** What may merge. Numbers by slot are of the cluster kept there, -1 where the rule does not know it. */
export interface Rules {
  readonly triplets: Compatibility | null;
  readonly cluster: Int32Array;
  readonly colouring: KeptColouring | null;
  readonly vertex: Int32Array;
}

export interface Merging {
  readonly distances: Distances;
  readonly rules: Rules;
  /** Raw merges: (slot, slot, height). */
  readonly merges: Float64Array;
  made: number;
}

export function noRules(n: number): Rules {
  return { triplets: null, cluster: new Int32Array(n).fill(-1), colouring: null, vertex: new Int32Array(n).fill(-1) };
}

export function openMerging(distances: Distances, rules: Rules): Merging {
  return { distances, rules, merges: new Float64Array(3 * Math.max(0, distances.n - 1)), made: 0 };
}

/** All merges that are left. False, and incomplete, if no pair may merge above k clusters. */
export function* mergeAllSteps(merging: Merging): Generator<Step, boolean, void> {
  const { distances, rules } = merging;
  const k = rules.colouring?.k ?? 0;
  const total = distances.n - 1;
  const isDue = pacer(merging);
  for (let p = 0; p < distances.count; p++) {
    searchRow(distances, distances.slots[p]!);
    if (!isDue()) continue;
    yield { phase: "merging", done: merging.made, total };
    renew(distances);
  }
  while (distances.count > 1) {
    const x = closest(distances);
    if (x >= 0) {
      const y = distances.nearest[x]!;
      if (!mayMerge(merging, x, y, distances.count > k)) searchRow(distances, x);
      else {
        mergePair(merging, x, y, distances.bound[x]!, true);
        // Whatever was refused for the sake of k clusters may merge above the cut.
        if (distances.count === k) forgetRefusals(distances);
      }
    } else if (distances.count > k && k > 0) return false;
    else mergeForbidden(merging);
    if (!isDue()) continue;
    yield { phase: "merging", done: merging.made, total };
    renew(distances);
  }
  return true;
}

function pacer({ distances, rules }: Merging): () => boolean {
  let seen = 0;
  return () => {
    const now = distances.work + (rules.triplets?.counts.work ?? 0);
    if (now - seen < WORK_PER_STEP) return false;
    seen = now;
    return true;
  };
}

/** Merges two slots and notes the height. */
export function mergePair(merging: Merging, x: number, y: number, height: number, search: boolean): void {
  const { rules, distances, merges } = merging;
  const { cluster, vertex } = rules;
  const [cx, cy] = [cluster[x]!, cluster[y]!];
  const [vx, vy] = [vertex[x]!, vertex[y]!];
  const coloured = rules.colouring !== null && distances.count > rules.colouring.k;
  const slot = mergeSlots(distances, x, y, search);
  cluster[slot] = cx >= 0 && cy >= 0 ? rules.triplets!.merge(cx, cy) : Math.max(cx, cy);
  if (coloured && vx >= 0 && vy >= 0) rules.colouring!.merge(vx, vy);
  vertex[slot] = Math.max(vx, vy);
  merges.set([x, y, height], 3 * merging.made);
  merging.made++;
}

function mayMerge({ rules, distances }: Merging, x: number, y: number, coloured: boolean): boolean {
  const { triplets, cluster, colouring, vertex } = rules;
  const [cx, cy] = [cluster[x]!, cluster[y]!];
  const tested = cx >= 0 && cy >= 0 && triplets!.carries(cx) && triplets!.carries(cy);
  const fits =
    (!tested || triplets!.compatible(cx, cy)) &&
    (!coloured || vertex[x]! < 0 || vertex[y]! < 0 || colouring!.canMerge(vertex[x]!, vertex[y]!) === "yes");
  if (!fits) refuse(distances, x, y);
  return fits;
}

/** The first pair that must be apart, but that relative constraints allow; there always is one. */
function mergeForbidden(merging: Merging): void {
  const { distances } = merging;
  const { slots, count } = distances;
  for (let p = 0; p < count; p++) {
    for (let q = p + 1; q < count; q++) {
      distances.work++;
      if (isRefused(distances, slots[p]!, slots[q]!) || !mayMerge(merging, slots[p]!, slots[q]!, false)) continue;
      mergePair(merging, slots[p]!, slots[q]!, Infinity, true);
      return;
    }
  }
  throw new Error("No pair of clusters may merge, though the relative constraints are consistent.");
}
