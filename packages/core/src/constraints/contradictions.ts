/**
 * Finds contradictory constraints. Two rows contradict each other if must-links or classes join them, but a cannot-link, two different
 * labels or an exclusive group separates them.
 *
 * Each contradiction has a shortest path of must-links between the two rows. The list has one entry for:
 *
 * - each contradictory cannot-link,
 * - each component with rows of different labels,
 * - each pair of an exclusive group and a component that contains two of its rows.
 *
 * The last two kinds report the closest pair of rows. One search from all these rows finds this pair. A row with two different labels
 * contradicts itself: its path contains only this row.
 *
 * Finding contradictions takes near-linear time, but finding the paths can be slow. Each row is searched from only once, and a search ends
 * when all its targets are reached. After `effort` steps, or once the paths together contain a million rows, further entries get an empty
 * path. Every contradiction is still listed.
 */
import { type ContradictionFacts, CoterieError } from "../errors.js";
import { type InstanceId, idOf } from "../model/points.js";
import { listsByKey } from "../structures/components.js";
import type { Closure } from "./closure.js";
import { groupCount } from "./component-graph.js";
import { linkGraph, pathTo, type Search, searchFrom, searchIn } from "./link-graph.js";

export interface Contradiction {
  readonly kind: "cannot-link" | "labels" | "exclusive";
  /** Two rows that must be apart; the same row twice if it has two labels. */
  readonly rows: readonly [number, number];
  /** A shortest path of must-links from the first row to the second; empty if the work limit `effort` was reached first. */
  readonly path: readonly number[];
  /** The names of the two classes; or the exclusive column and the shared value. */
  readonly names?: readonly [string, string];
}

const PATH_EFFORT = 20_000_000;
const MOST_PATH_ROWS = 1_000_000;

export function contradictions(closure: Closure, options: { readonly effort?: number } = {}): Contradiction[] {
  const search = searchContradictions(closure, options);
  for (;;) {
    const next = search.next();
    if (next.done) return next.value;
  }
}

export function* searchContradictions(
  closure: Closure,
  { effort = PATH_EFFORT }: { readonly effort?: number } = {},
): Generator<undefined, Contradiction[], void> {
  const cannot = cannotLinksInside(closure);
  const labelled = componentsWithSeveralClasses(closure);
  const groups = groupsInside(closure);
  if (cannot.length === 0 && labelled.length === 0 && groups.length === 0) return [];
  const finder: Finder = { closure, search: searchIn(linkGraph(closure.set)), effort, rowsLeft: MOST_PATH_ROWS };
  const entries = yield* cannotLinkEntries(finder, cannot);
  for (const rows of labelled) {
    entries.push(labelEntry(finder, rows));
    yield;
  }
  for (const group of groups) {
    entries.push(groupEntry(finder, group));
    yield;
  }
  return entries;
}

/** Whether any contradiction exists; cheaper than listing them with their paths. */
export function isContradictory(closure: Closure): boolean {
  return (
    cannotLinksInside(closure).length > 0 || componentsWithSeveralClasses(closure).length > 0 || groupsInside(closure).length > 0
  );
}

/** For methods with hard constraints: throws an error that lists all contradictions, in the user's ids. */
export function refuseContradictions(closure: Closure, ids?: readonly InstanceId[]): void {
  const found = contradictions(closure);
  if (found.length > 0) throw new CoterieError({ code: "contradiction", contradictions: contradictionFacts(found, ids) });
}

export function contradictionFacts(found: readonly Contradiction[], ids?: readonly InstanceId[]): ContradictionFacts[] {
  const name = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  return found.map(({ rows, path }) => ({ cannotLink: [name(rows[0]), name(rows[1])], path: path.map(name) }));
}

interface Finder {
  readonly closure: Closure;
  readonly search: Search;
  readonly effort: number;
  /** Number of rows that further paths may still contain. */
  rowsLeft: number;
}

function spent({ search, effort, rowsLeft }: Finder): boolean {
  return search.work >= effort || rowsLeft <= 0;
}

function cannotLinksInside({ set, component }: Closure): number[] {
  const { a, b } = set.cannotLinks;
  const inside: number[] = [];
  for (let s = 0; s < a.length; s++) if (component[a[s]!] === component[b[s]!]) inside.push(s);
  return inside;
}

function componentsWithSeveralClasses({ set, component, componentCount }: Closure): number[][] {
  const { row, code } = set.labels;
  if (row.length === 0) return [];
  const firstCode = new Int32Array(componentCount).fill(-1);
  const found = new Map<number, number[]>();
  for (let s = 0; s < row.length; s++) {
    const c = component[row[s]!]!;
    if (firstCode[c] === -1) firstCode[c] = code[s]!;
    else if (firstCode[c] !== code[s] && !found.has(c)) found.set(c, []);
  }
  if (found.size > 0) for (let s = 0; s < row.length; s++) found.get(component[row[s]!]!)?.push(row[s]!);
  return [...found.values()];
}

interface GroupInside {
  readonly column: string;
  readonly value: string;
  readonly rows: readonly number[];
}

function groupsInside({ set, component, componentCount }: Closure): GroupInside[] {
  const found: GroupInside[] = [];
  for (const grouping of set.exclusive) {
    const groups = listsByKey(grouping.codes, groupCount(grouping));
    const lastGroup = new Int32Array(componentCount).fill(-1);
    for (let g = 0; g + 1 < groups.start.length; g++) {
      const rows = groups.items.subarray(groups.start[g]!, groups.start[g + 1]!);
      const crowded = new Map<number, number[]>();
      for (const row of rows) {
        const c = component[row]!;
        if (lastGroup[c] === g) crowded.set(c, []);
        lastGroup[c] = g;
      }
      if (crowded.size === 0) continue;
      for (const row of rows) crowded.get(component[row]!)?.push(row);
      const value = grouping.names[g] ?? String(g);
      for (const members of crowded.values()) found.push({ column: grouping.column, value, rows: members });
    }
  }
  return found;
}

/** Finds the paths for contradictory cannot-links. Each search starts at the row that occurs in more of these cannot-links. */
function* cannotLinkEntries(finder: Finder, inside: readonly number[]): Generator<undefined, Contradiction[], void> {
  const { a, b } = finder.closure.set.cannotLinks;
  const uses = new Map<number, number>();
  for (const s of inside) for (const row of [a[s]!, b[s]!]) uses.set(row, (uses.get(row) ?? 0) + 1);
  const bySource = new Map<number, number[]>();
  for (const s of inside) {
    const source = uses.get(b[s]!)! > uses.get(a[s]!)! ? b[s]! : a[s]!;
    const list = bySource.get(source);
    if (list) list.push(s);
    else bySource.set(source, [s]);
  }
  const paths = new Map<number, readonly number[]>();
  for (const [source, links] of bySource) {
    if (spent(finder)) break;
    yield;
    const targets = new Set(links.map((s) => (a[s] === source ? b[s]! : a[s]!)));
    let open = targets.size;
    searchFrom(finder.search, [source], (row) => targets.has(row) && --open === 0);
    for (const s of links) {
      if (finder.rowsLeft <= 0) break;
      const path = pathTo(finder.search, a[s] === source ? b[s]! : a[s]!);
      finder.rowsLeft -= path.length;
      paths.set(s, a[s] === source ? path : path.reverse());
    }
  }
  return inside.map((s) => ({ kind: "cannot-link", rows: [a[s]!, b[s]!], path: paths.get(s) ?? [] }));
}

function labelEntry(finder: Finder, rows: readonly number[]): Contradiction {
  const { labels } = finder.closure.set;
  const codesOf = new Map<number, Set<number>>();
  const { labelsOf } = finder.search.graph;
  for (const row of rows) {
    const codes = labelsOf.items.subarray(labelsOf.start[row]!, labelsOf.start[row + 1]!);
    codesOf.set(row, new Set(Array.from(codes, (s) => labels.code[s]!)));
  }
  const entry = (p: number, q: number, path: readonly number[], codeP: number, codeQ: number): Contradiction => ({
    kind: "labels",
    rows: [p, q],
    path,
    names: [labels.names[codeP]!, labels.names[codeQ]!],
  });
  for (const [row, [first, second]] of codesOf) {
    if (second !== undefined) return entry(row, row, [row], first!, second);
  }
  const codeOf = (row: number): number => codesOf.get(row)!.values().next().value!;
  const path = closest(finder, rows, (p, q) => codeOf(p) !== codeOf(q));
  const p = path[0] ?? rows[0]!;
  const q = path.at(-1) ?? rows.find((row) => codeOf(row) !== codeOf(p))!;
  return entry(p, q, path, codeOf(p), codeOf(q));
}

function groupEntry(finder: Finder, { column, value, rows }: GroupInside): Contradiction {
  const path = closest(finder, rows, () => true);
  return { kind: "exclusive", rows: [path[0] ?? rows[0]!, path.at(-1) ?? rows[1]!], path, names: [column, value] };
}

/** The shortest path between any two rows p and q for which `clash(p, q)` is true. One search starts from all rows. */
function closest(finder: Finder, rows: readonly number[], clash: (p: number, q: number) => boolean): number[] {
  if (spent(finder)) return [];
  const { search } = finder;
  const best = { length: Infinity, row: -1, other: -1 };
  searchFrom(
    search,
    rows,
    (row) => 2 * search.distance[row]! >= best.length,
    (row, other) => {
      const length = search.distance[row]! + search.distance[other]! + 1;
      if (length < best.length && clash(search.origin[row]!, search.origin[other]!)) Object.assign(best, { length, row, other });
    },
  );
  const path = [...pathTo(search, best.row), ...pathTo(search, best.other).reverse()];
  finder.rowsLeft -= path.length;
  return path[0]! <= path.at(-1)! ? path : path.reverse();
}
