/** Builds the hierarchy of ReCon from a full distance matrix: must-linked rows merge first, then all other rows. */

import type { IncrementalColouring } from "../../../colouring/kept-colouring.js";
import type { Closure, Lists } from "../../../constraints/index.js";
import type { F32, F64 } from "../../../kernels/index.js";
import type { Merge } from "../../../model/result.js";
import { counted } from "../../../model/wording.js";
import type { Step } from "../../../steps/index.js";
import { orderMerges } from "../cut/merges.js";
import type { Linkage } from "../linkage.js";
import { type Colours, type Compatibility, openCompatibility } from "./compatibility.js";
import type { ConsistentTriplets, MemberTriplets } from "./consistent-triplets.js";
import {
  closest,
  type Distances,
  forgetRefusals,
  isRefused,
  mergeSlots,
  openDistances,
  refuse,
  renew,
  searchRow,
  separate,
} from "./distances.js";

/** Elements read between two yields, about 20 ms. */
const WORK_PER_STEP = 10_000_000;

export interface ReconTree {
  /** In the order in which they were made. */
  readonly merges: readonly Merge[];
  readonly notices: readonly string[];
}

/** The number of clusters at which cannot-links and relative constraints together ended the merging. */
export interface DeadEnd {
  readonly clusters: number;
}

/** All merges over the matrix, which is overwritten. Returns a dead end if the merging ends above k clusters. */
export function* reconTreeSteps(
  matrix: F64 | F32,
  closure: Closure,
  { between, inside }: Pick<ConsistentTriplets, "between" | "inside">,
  { colouring, vertexOf }: Colours,
  linkage: Linkage,
): Generator<Step, ReconTree | DeadEnd, void> {
  const { n, component, componentCount } = closure;
  const linked = yield* linkedMerges(matrix, closure, inside, linkage);
  const distances = openDistances(linkage, matrix, n);
  const rules = noRules(n);
  const merging = openMerging(distances, rules);
  for (const [x, y] of linked) mergePair(merging, x, y, 0, false);
  renew(distances);
  const slotOf = new Int32Array(componentCount);
  for (const slot of distances.slots.subarray(0, distances.count)) slotOf[component[slot]!] = slot;
  separateComponents(distances, closure, slotOf);
  for (let c = 0; c < componentCount; c++) rules.vertex[slotOf[c]!] = vertexOf[c]!;
  between.members.forEach((component, leaf) => {
    rules.cluster[slotOf[component]!] = leaf;
  });
  const triplets = compatibilityOf(between);
  const ruled = { ...merging, rules: { ...rules, triplets, colouring } };
  const complete = yield* mergeAllSteps(ruled);
  if (!complete) return { clusters: distances.count };
  return {
    merges: orderMerges(ruled.merges, n, "centroid"),
    notices: triplets
      ? [`${counted(triplets.counts.tests, "merge was", "merges were")} tested against the relative constraints.`]
      : [],
  };
}

function compatibilityOf({ triplets, members }: MemberTriplets) {
  return members.length === 0 ? null : openCompatibility(members.length, triplets);
}

/** The merges inside must-link components, one component after the other, in the order that ReCon gives inside each component. */
function* linkedMerges(
  matrix: F64 | F32,
  { members, componentCount, n }: Closure,
  inside: ConsistentTriplets["inside"],
  linkage: Linkage,
): Generator<Step, readonly (readonly [number, number])[], void> {
  const found: [number, number][] = [];
  for (let c = 0; c < componentCount; c++) {
    const rows = members.items.subarray(members.start[c]!, members.start[c + 1]!);
    if (rows.length === 1) continue;
    const size = rows.length;
    const small = submatrix(matrix.view(), n, rows);
    const rules = noRules(size);
    const own = inside.get(c);
    own?.members.forEach((row, leaf) => {
      rules.cluster[rows.indexOf(row)] = leaf;
    });
    const triplets = own ? compatibilityOf(own) : null;
    const merging = openMerging(openDistances(linkage, { view: () => small }, size), { ...rules, triplets });
    yield* mergeAllSteps(merging);
    for (let m = 0; m < size - 1; m++) found.push([rows[merging.merges[3 * m]!]!, rows[merging.merges[3 * m + 1]!]!]);
  }
  return found;
}

function submatrix(d: Float64Array | Float32Array, n: number, rows: Int32Array): Float64Array {
  const size = rows.length;
  const small = new Float64Array(size * size);
  for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) small[i * size + j] = d[rows[i]! * n + rows[j]!]!;
  return small;
}

/** Sets the distances between clusters that must be apart to Infinity. */
function separateComponents(distances: Distances, { edges, cliques, componentCount }: Closure, slotOf: Int32Array): void {
  for (let c = 0; c < componentCount; c++) {
    for (let p = edges.start[c]!; p < edges.start[c + 1]!; p++) separate(distances, slotOf[c]!, slotOf[edges.other[p]!]!);
  }
  const groups: Lists = cliques;
  for (let q = 0; q + 1 < groups.start.length; q++) {
    for (let p = groups.start[q]!; p < groups.start[q + 1]!; p++) {
      for (let r = p + 1; r < groups.start[q + 1]!; r++)
        separate(distances, slotOf[groups.items[p]!]!, slotOf[groups.items[r]!]!);
    }
  }
}

/*
 * The loop of ReCon (liu2011 §4.2). The closest pair merges, among the pairs after which a full hierarchy is possible, until one cluster
 * is left. A refusal is final while both clusters exist, so each pair is tested once.
 *
 * Cannot-links: two clusters that must be apart are at distance Infinity, and so are all clusters that contain them. While there are more
 * than k clusters, a merge is also refused if k clusters could not satisfy every cannot-link after it. When all remaining pairs must be
 * apart, they merge at height Infinity; such merges are above any cut.
 */

/** The rules for merges. By slot, `cluster` and `vertex` are the numbers of its cluster in the rule, -1 if the rule does not contain it. */
interface Rules {
  readonly triplets: Compatibility | null;
  readonly cluster: Int32Array;
  readonly colouring: IncrementalColouring | null;
  readonly vertex: Int32Array;
}

interface Merging {
  readonly distances: Distances;
  readonly rules: Rules;
  /** Raw merges: (slot, slot, height). */
  readonly merges: Float64Array;
  made: number;
}

function noRules(n: number): Rules {
  return { triplets: null, cluster: new Int32Array(n).fill(-1), colouring: null, vertex: new Int32Array(n).fill(-1) };
}

function openMerging(distances: Distances, rules: Rules): Merging {
  return { distances, rules, merges: new Float64Array(3 * Math.max(0, distances.n - 1)), made: 0 };
}

/** Makes all remaining merges. Returns false if it stops above k clusters because no pair is allowed to merge. */
function* mergeAllSteps(merging: Merging): Generator<Step, boolean, void> {
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
      if (!isAllowed(merging, x, y, distances.count > k)) searchRow(distances, x);
      else {
        mergePair(merging, x, y, distances.bound[x]!, true);
        // At k clusters, pairs that were refused only for the sake of k clusters are allowed again.
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

/** Merges two slots and records the height. */
function mergePair(merging: Merging, x: number, y: number, height: number, search: boolean): void {
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

function isAllowed({ rules, distances }: Merging, x: number, y: number, coloured: boolean): boolean {
  const { triplets, cluster, colouring, vertex } = rules;
  const [cx, cy] = [cluster[x]!, cluster[y]!];
  const tested = cx >= 0 && cy >= 0 && triplets!.carries(cx) && triplets!.carries(cy);
  const fits =
    (!tested || triplets!.compatible(cx, cy)) &&
    (!coloured || vertex[x]! < 0 || vertex[y]! < 0 || colouring!.canMerge(vertex[x]!, vertex[y]!) === "yes");
  if (!fits) refuse(distances, x, y);
  return fits;
}

/** Merges the first pair that must be apart but that relative constraints allow. There is always such a pair. */
function mergeForbidden(merging: Merging): void {
  const { distances } = merging;
  const { slots, count } = distances;
  for (let p = 0; p < count; p++) {
    for (let q = p + 1; q < count; q++) {
      distances.work++;
      if (isRefused(distances, slots[p]!, slots[q]!) || !isAllowed(merging, slots[p]!, slots[q]!, false)) continue;
      mergePair(merging, slots[p]!, slots[q]!, Infinity, true);
      return;
    }
  }
  throw new Error("No pair of clusters may merge, though the relative constraints are consistent.");
}
