/**
 * Prepares the relative constraints before the merging: finds a consistent subset, and searches for classes that satisfy this subset
 * together with the cannot-links.
 *
 * Rows that must be together form a branch of the hierarchy. So a triplet ab|c has one of three meanings:
 * - if only a and b must be together: it is already satisfied;
 * - if all three must be together: a constraint on the order inside their branch;
 * - otherwise: a triplet AB|C between the branches of a, b and c. It cannot be satisfied if c must be with a or b.
 */

import type { Closure } from "../../../constraints/index.js";
import { entriesWhere } from "../../../constraints/sets.js";
import { CoterieError } from "../../../errors.js";
import type { Triples } from "../../../model/constraint-set.js";
import { type InstanceId, idOf } from "../../../model/points.js";
import { buildTree, isBuilt, type LeafTriplets } from "../../../triplets/build.js";
import { minimalConflict } from "../../../triplets/conflict.js";
import { conflictOf, leavesOf } from "../../../triplets/consistency.js";
import { type LargestOptions, largestConsistent } from "../../../triplets/largest.js";

/**
 * Triplets between leaves 0, 1, … of a tree. `members[leaf]`: the must-link component of the leaf. For triplets inside a component: the row
 * of the leaf.
 */
export interface MemberTriplets {
  readonly triplets: LeafTriplets;
  readonly members: Int32Array;
}

export interface ConsistentTriplets {
  readonly between: MemberTriplets;
  /** By component: the triplets about the order of merges inside it. */
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

/** The consistent triplets. If there is a conflict, throws, or with `inconsistent: "largest"` returns a large consistent part. */
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
  const gone = new Set(dropped);
  return {
    ...consistent,
    kept: entriesWhere(set.relative, (s) => !gone.has(s)),
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

/*
 * Class search. Used if cannot-links and relative constraints leave no pair to merge while there are more than k clusters. The search
 * assigns each component in these constraints to one of k classes. The classes must then be branches of the hierarchy.
 *
 * Clusters satisfy ab|c if c is with neither a nor b, or if all three are together. So the class search is a graph colouring with two kinds
 * of rules. It uses backtracking with forward checking, and assigns the component with the fewest remaining classes next. The classes
 * become relative constraints (liu2011 §5.2). With these constraints, ReCon always has a pair to merge.
 */

interface Plan {
  /** The given triplets between components, and the triplets that make each class a branch of the hierarchy. */
  readonly between: MemberTriplets;
  readonly heads: readonly number[];
}

interface Search {
  readonly k: number;
  /** The search numbers the components 0, 1, … `members[i]`: the component with search number i. The fields below use search numbers. */
  readonly members: readonly number[];
  readonly apart: readonly (readonly number[])[];
  readonly triples: readonly (readonly [number, number, number])[];
  readonly triplesOf: readonly (readonly number[])[];
  readonly colour: Int32Array;
  /** By component and class, components × k: number of constraints that rule out the class. */
  readonly barred: Int32Array;
  readonly open: Int32Array;
  /** The entries (component, class) that were ruled out, in order, for backtracking. */
  readonly trail: number[];
  effort: number;
}

/** Maximum number of components for the class search. The search is recursive. */
const MOST_PLANNED = 4000;

/** Searches for classes. Null if there are none, or if the search finds none within `effort` assignments. */
export function planClasses(closure: Closure, between: MemberTriplets, k: number, effort: number): Plan | null {
  const search = openSearch(closure, between, k, effort);
  if (search.members.length > MOST_PLANNED) return null;
  let found: Plan | null = null;
  const colourRest = (done: number, used: number): boolean => {
    if (done === search.members.length) {
      found = planOf(search, between);
      return found !== null;
    }
    const place = mostConstrained(search);
    for (let colour = 0; colour < Math.min(k, used + 1); colour++) {
      if (search.barred[place * k + colour]! > 0) continue;
      if (search.effort-- <= 0) return true;
      const mark = search.trail.length;
      search.colour[place] = colour;
      if (propagate(search, place) && colourRest(done + 1, Math.max(used, colour + 1))) return true;
      undo(search, mark);
      search.colour[place] = -1;
    }
    return false;
  };
  colourRest(0, 0);
  return found;
}

function openSearch(closure: Closure, { triplets, members: leaves }: MemberTriplets, k: number, effort: number): Search {
  const named = new Set(leaves);
  for (let c = 0; c < closure.componentCount; c++) if (closure.degree(c) > 0) named.add(c);
  const members = [...named].sort((p, q) => p - q);
  const placeOf = new Map(members.map((component, place) => [component, place]));
  const triples = Array.from(triplets.a, (a, s) => {
    const place = (leaf: number): number => placeOf.get(leaves[leaf]!)!;
    return [place(a), place(triplets.b[s]!), place(triplets.c[s]!)] as const;
  });
  const triplesOf: number[][] = members.map(() => []);
  triples.forEach((triple, s) => {
    for (const place of triple) triplesOf[place]!.push(s);
  });
  return {
    k,
    members,
    apart: members.map((component) => Array.from(closure.neighbours(component), (other) => placeOf.get(other)!)),
    triples,
    triplesOf,
    colour: new Int32Array(members.length).fill(-1),
    barred: new Int32Array(members.length * k),
    open: new Int32Array(members.length).fill(k),
    trail: [],
    effort,
  };
}

/** The component without a class that has the fewest possible classes; on ties the component in the most constraints. */
function mostConstrained({ colour, open, apart, triplesOf }: Search): number {
  let best = -1;
  const weight = (place: number): number => apart[place]!.length + triplesOf[place]!.length;
  for (let place = 0; place < colour.length; place++) {
    if (colour[place]! >= 0) continue;
    if (best < 0 || open[place]! < open[best]! || (open[place] === open[best] && weight(place) > weight(best))) best = place;
  }
  return best;
}

/**
 * Rules out the classes of other components that contradict the class of component `place`. Returns false if a component has no class left,
 * or if no hierarchy can contain the classes.
 */
function propagate(search: Search, place: number): boolean {
  const { colour, apart, triples, triplesOf, k } = search;
  let apartAll = false;
  for (const other of apart[place]!) if (!bar(search, other, colour[place]!)) return false;
  for (const s of triplesOf[place]!) {
    const [a, b, c] = triples[s]!;
    const [ca, cb, cc] = [colour[a]!, colour[b]!, colour[c]!];
    if (cc < 0) {
      if (ca < 0 || cb < 0 || ca === cb) continue;
      if (!bar(search, c, ca) || !bar(search, c, cb)) return false;
    } else if (ca >= 0 && cb >= 0) {
      if (ca !== cb && (cc === ca || cc === cb)) return false;
      apartAll ||= ca !== cb;
    } else if (ca >= 0 || cb >= 0) {
      const [known, unknown] = ca >= 0 ? [ca, b] : [cb, a];
      for (let other = 0; other < k; other++) {
        const fits = known === cc ? other === cc : other !== cc;
        if (!fits && !bar(search, unknown, other)) return false;
      }
    }
  }
  return !apartAll || classesFit(search);
}

function classesFit({ colour, triples, k }: Search): boolean {
  const keys = new Set<number>();
  for (const [a, b, c] of triples) {
    const [ca, cb, cc] = [colour[a]!, colour[b]!, colour[c]!];
    if (ca >= 0 && cb >= 0 && cc >= 0 && ca !== cb) keys.add((Math.min(ca, cb) * k + Math.max(ca, cb)) * k + cc);
  }
  const all = [...keys];
  return isBuilt(
    buildTree({
      leaves: k,
      a: Int32Array.from(all, (key) => Math.floor(key / (k * k))),
      b: Int32Array.from(all, (key) => Math.floor(key / k) % k),
      c: Int32Array.from(all, (key) => key % k),
    }),
  );
}

function bar({ barred, open, colour, trail, k }: Search, place: number, ruledOut: number): boolean {
  if (colour[place]! >= 0) return colour[place] !== ruledOut;
  const at = place * k + ruledOut;
  if (barred[at]!++ === 0) open[place]!--;
  trail.push(at);
  return open[place]! > 0;
}

function undo({ barred, open, trail, k }: Search, mark: number): void {
  while (trail.length > mark) {
    const at = trail.pop()!;
    if (--barred[at]! === 0) open[Math.floor(at / k)]!++;
  }
}

/** Converts the classes to triplets and adds the given triplets. Null if no hierarchy induces all of them. */
function planOf({ members, colour, k }: Search, { triplets, members: leaves }: MemberTriplets): Plan | null {
  const classes = Array.from({ length: k }, (_, c) => members.filter((_, place) => colour[place] === c)).filter(
    (list) => list.length > 0,
  );
  const columns: [number[], number[], number[]] = [
    Array.from(triplets.a, (leaf) => leaves[leaf]!),
    Array.from(triplets.b, (leaf) => leaves[leaf]!),
    Array.from(triplets.c, (leaf) => leaves[leaf]!),
  ];
  for (const own of classes) {
    for (const other of classes) {
      if (other === own) continue;
      for (const member of own.slice(1))
        [own[0]!, member, other[0]!].forEach((component, part) => void columns[part]!.push(component));
    }
  }
  const [a, b, c] = columns.map((column) => Int32Array.from(column)) as [Int32Array, Int32Array, Int32Array];
  const { triplets: all, rows } = leavesOf({ a, b, c });
  return isBuilt(buildTree(all)) ? { between: { triplets: all, members: rows }, heads: classes.map(([head]) => head!) } : null;
}
