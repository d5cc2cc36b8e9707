/**
 * A way out where cannot-links and relative constraints together end the merging above k clusters: k classes for the components that
 * any of them names, found by search, and the hierarchy is then made to hold them as branches.
 *
 * k clusters cut from a hierarchy keep ab|c if c is with neither a nor b, or all three are together. So this is a colouring with two
 * kinds of rules; a backtracking search with forward checking takes the component with the fewest classes left. The classes it
 * finds are turned into relative constraints (liu2011 §5.2), which ReCon keeps together with the given ones, without a dead end.
 */
import { type Closure, closeConstraints } from "../../../constraints/index.js";
import { buildTree, isBuilt } from "../../../triplets/build.js";
import { leavesOf } from "../../../triplets/consistency.js";
import type { MemberTriplets } from "./consistent-triplets.js";

export interface Plan {
  /** The given triplets between components, and those that make branches of the classes. */
  readonly between: MemberTriplets;
  /** One component of each class. */
  readonly heads: readonly number[];
}

/** More components than this are not tried: the search recurses. */
const MOST = 4000;

interface Search {
  readonly k: number;
  /** Components by place, and their neighbours and triplets by place. */
  readonly members: readonly number[];
  readonly apart: readonly (readonly number[])[];
  readonly triples: readonly (readonly [number, number, number])[];
  readonly triplesOf: readonly (readonly number[])[];
  readonly colour: Int32Array;
  /** How often a class is ruled out for a place: places × k. */
  readonly barred: Int32Array;
  readonly open: Int32Array;
  /** Places and classes ruled out, in order, to be taken back. */
  readonly trail: number[];
  effort: number;
}

/** Null if there are no such classes, or none was found within the effort, counted in places coloured. */
export function planClasses(closure: Closure, between: MemberTriplets, k: number, effort: number): Plan | null {
  const search = openSearch(closure, between, k, effort);
  if (search.members.length > MOST) return null;
  let found: Plan | null = null;
  const colourRest = (done: number, used: number): boolean => {
    if (done === search.members.length) {
      found = planOf(search, between);
      return found !== null;
    }
    const place = tightest(search);
    for (let colour = 0; colour < Math.min(k, used + 1); colour++) {
      if (search.barred[place * k + colour]! > 0) continue;
      if (search.effort-- <= 0) return true;
      const mark = search.trail.length;
      search.colour[place] = colour;
      if (propagate(search, place) && colourRest(done + 1, Math.max(used, colour + 1))) return true;
      takeBack(search, mark);
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

/** The place without a class that has the fewest left; of these the one with the most to say. */
function tightest({ colour, open, apart, triplesOf }: Search): number {
  let best = -1;
  const weight = (place: number): number => apart[place]!.length + triplesOf[place]!.length;
  for (let place = 0; place < colour.length; place++) {
    if (colour[place]! >= 0) continue;
    if (best < 0 || open[place]! < open[best]! || (open[place] === open[best] && weight(place) > weight(best))) best = place;
  }
  return best;
}

/** Rules out what the class of a place rules out; false if a place is left without any. */
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

/** Whether some hierarchy of the classes induces what triplets about three different ones say. */
function classesFit({ colour, triples, k }: Search): boolean {
  const said = new Set<number>();
  for (const [a, b, c] of triples) {
    const [ca, cb, cc] = [colour[a]!, colour[b]!, colour[c]!];
    if (ca >= 0 && cb >= 0 && cc >= 0 && ca !== cb) said.add((Math.min(ca, cb) * k + Math.max(ca, cb)) * k + cc);
  }
  const all = [...said];
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

function takeBack({ barred, open, trail, k }: Search, mark: number): void {
  while (trail.length > mark) {
    const at = trail.pop()!;
    if (--barred[at]! === 0) open[Math.floor(at / k)]!++;
  }
}

/** The classes as triplets beside the given ones; null if no hierarchy has them all. */
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

/** The closure with one component of each class apart from those of the others. */
export function withHeadsApart({ set, members }: Closure, heads: readonly number[]): Closure {
  const rows = heads.map((head) => members.items[members.start[head]!]!);
  const pairs = rows.flatMap((row, at) => rows.slice(at + 1).map((other) => [row, other] as const));
  const { a, b, weight } = set.cannotLinks;
  const cannotLinks = {
    a: Int32Array.from([...a, ...pairs.map(([row]) => row)]),
    b: Int32Array.from([...b, ...pairs.map(([, other]) => other)]),
    weight: Float64Array.from([...weight, ...pairs.map(() => 1)]),
  };
  return closeConstraints({ ...set, cannotLinks });
}
