/**
 * Combines must-links with relative constraints. Rows that must be together form a branch of the hierarchy. So a triplet ab|c between
 * rows means:
 * - if a and b, but not c, must be together: nothing more;
 * - if all three must be together: a constraint on the order inside their branch;
 * - otherwise: AB|C between the branches of a, b and c. It cannot hold if c must be with a or b.
 */
import type { Closure } from "../../../constraints/index.js";
import { CoterieError } from "../../../errors.js";
import type { Triples } from "../../../model/constraint-set.js";
import { type InstanceId, idOf } from "../../../model/points.js";
import { buildTree, isBuilt, type LeafTriplets } from "../../../triplets/build.js";
import { minimalConflict } from "../../../triplets/conflict.js";
import { conflictOf, leavesOf } from "../../../triplets/consistency.js";
import { type LargestOptions, largestConsistent } from "../../../triplets/largest.js";

/** Triplets over leaves. `members[leaf]`: the component of the leaf, or its row for triplets inside a component. */
export interface MemberTriplets {
  readonly triplets: LeafTriplets;
  readonly members: Int32Array;
}

export interface ConsistentTriplets {
  readonly between: MemberTriplets;
  /** By component: the triplets on the order inside it. */
  readonly inside: ReadonlyMap<number, MemberTriplets>;
  /** All triplets that were not dropped. */
  readonly kept: Triples;
  readonly notices: readonly string[];
}

export interface ConsistencyOptions extends LargestOptions {
  readonly inconsistent: "error" | "largest";
  readonly ids?: readonly InstanceId[] | undefined;
}

const MOST_LISTED = 50;

/**
 * The consistent triplets: all of them, or with `inconsistent: "largest"` a large part. Otherwise throws an error that names a minimal
 * conflict in the user's ids.
 */
export function consistentTriplets(closure: Closure, options: ConsistencyOptions): ConsistentTriplets {
  const { component, set } = closure;
  const { a, b, c } = set.relative;
  const between: number[] = [];
  const inside = new Map<number, number[]>();
  for (let s = 0; s < a.length; s++) {
    const [ca, cb, cc] = [component[a[s]!]!, component[b[s]!]!, component[c[s]!]!];
    if (ca !== cb) between.push(s);
    else if (cb === cc) {
      if (inside.has(ca)) inside.get(ca)!.push(s);
      else inside.set(ca, [s]);
    }
  }
  const dropped: number[] = [];
  const part = (places: readonly number[], name: (row: number) => number): MemberTriplets =>
    consistentPart(closure, places, name, options, dropped);
  const consistent = {
    between: part(between, (row) => component[row]!),
    inside: new Map([...inside].map(([key, places]) => [key, part(places, (row) => row)])),
  };
  return {
    ...consistent,
    kept: without(set.relative, dropped),
    notices: droppedNotices(set.relative, dropped, options.ids),
  };
}

function consistentPart(
  closure: Closure,
  places: readonly number[],
  name: (row: number) => number,
  options: ConsistencyOptions,
  dropped: number[],
): MemberTriplets {
  const { relative } = closure.set;
  const pick = (kept: readonly number[]) => {
    const column = (rows: Int32Array): Int32Array => Int32Array.from(kept, (s) => name(rows[s]!));
    return leavesOf({ a: column(relative.a), b: column(relative.b), c: column(relative.c) });
  };
  const { triplets, rows } = pick(places);
  const outcome = buildTree(triplets);
  if (isBuilt(outcome)) return { triplets, members: rows };
  const refuse = (conflict: Int32Array): never => {
    throw inconsistent(
      closure,
      conflict.map((place) => places[place]!),
      options.ids,
    );
  };
  if (options.inconsistent === "error") refuse(minimalConflict(triplets, outcome));
  const weight = Float64Array.from(places, (s) => relative.weight[s]!);
  const largest = largestConsistent(triplets, weight, options);
  if (largest.hardConflict) refuse(largest.hardConflict);
  for (const place of largest.dropped) dropped.push(places[place]!);
  const kept = pick(Array.from(largest.kept, (place) => places[place]!));
  return { triplets: kept.triplets, members: kept.rows };
}

function inconsistent(
  { set, component, sizes }: Closure,
  places: Int32Array,
  ids: readonly InstanceId[] | undefined,
): CoterieError {
  const { instances, constraints } = conflictOf(set.relative, places);
  const id = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  return new CoterieError({
    code: "inconsistent",
    conflict: {
      instances: instances.map(id),
      constraints: constraints.map(([a, b, c]) => [id(a), id(b), id(c)] as const),
      withMustLinks: instances.some((row) => sizes[component[row]!]! > 1),
    },
  });
}

function without({ a, b, c, weight }: Triples, dropped: readonly number[]): Triples {
  const gone = new Set(dropped);
  const stays = (_: number, s: number): boolean => !gone.has(s);
  return { a: a.filter(stays), b: b.filter(stays), c: c.filter(stays), weight: weight.filter(stays) };
}

function droppedNotices({ a, b, c }: Triples, dropped: readonly number[], ids: readonly InstanceId[] | undefined): string[] {
  if (dropped.length === 0) return [];
  const id = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  const sorted = [...dropped].sort((x, y) => x - y);
  const listed = sorted.slice(0, MOST_LISTED).map((s) => `${id(a[s]!)} ${id(b[s]!)} | ${id(c[s]!)}`);
  const more = sorted.length > MOST_LISTED ? `, and ${sorted.length - MOST_LISTED} more` : "";
  const head =
    sorted.length === 1
      ? "1 relative constraint clashes with the others and was"
      : `${sorted.length} relative constraints clash with the others and were`;
  return [`${head} dropped: ${listed.join(", ")}${more}.`];
}
