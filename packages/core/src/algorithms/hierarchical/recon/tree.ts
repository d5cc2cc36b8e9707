/** The hierarchy of ReCon over a full distance matrix: must-linked rows first, then all the rest. */
import type { Closure, Lists } from "../../../constraints/index.js";
import type { F32, F64 } from "../../../kernels/index.js";
import type { Merge } from "../../../model/result.js";
import type { Step } from "../../../steps/index.js";
import { orderMerges } from "../cut/merges.js";
import type { Linkage } from "../linkage.js";
import type { Colours } from "./colours.js";
import { openCompatibility } from "./compatibility.js";
import type { ConsistentTriplets, MemberTriplets } from "./consistent-triplets.js";
import { type Distances, openDistances, part, renew } from "./distances.js";
import { mergeAllSteps, mergePair, noRules, openMerging } from "./merging.js";

export interface ReconTree {
  /** In the order they were made. */
  readonly merges: readonly Merge[];
  readonly notices: readonly string[];
}

/** Where cannot-links and relative constraints together ended the merging. */
export interface DeadEnd {
  readonly clusters: number;
}

/** All merges over the matrix, which is consumed; or where merging ends above k clusters. */
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
  partComponents(distances, closure, slotOf);
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

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function compatibilityOf({ triplets, members }: MemberTriplets) {
  return members.length === 0 ? null : openCompatibility(members.length, triplets);
}

/** The merges that must-links and labels ask for, component by component, each in the order that ReCon finds in it. */
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

/** Sets clusters that must be apart at distance Infinity. */
function partComponents(distances: Distances, { edges, cliques, componentCount }: Closure, slotOf: Int32Array): void {
  for (let c = 0; c < componentCount; c++) {
    for (let p = edges.start[c]!; p < edges.start[c + 1]!; p++) part(distances, slotOf[c]!, slotOf[edges.other[p]!]!);
  }
  const groups: Lists = cliques;
  for (let q = 0; q + 1 < groups.start.length; q++) {
    for (let p = groups.start[q]!; p < groups.start[q + 1]!; p++) {
      for (let r = p + 1; r < groups.start[q + 1]!; r++) part(distances, slotOf[groups.items[p]!]!, slotOf[groups.items[r]!]!);
    }
  }
}
