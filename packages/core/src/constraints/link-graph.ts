/**
 * The graph of must-links over the rows, with breadth-first search. Rows of one class are linked through the class: a path can go
 * directly from any row of a class to any other row of the class. A search expands each class once, so a class of s rows costs s steps,
 * not s².
 */
import type { ConstraintSet } from "../model/constraint-set.js";
import { type Lists, listsByKey } from "../structures/components.js";

export interface LinkGraph {
  /** The must-links of each row. If the row is row a of must-link s, the entry is 2s. If it is row b, the entry is 2s + 1. */
  readonly ends: Lists;
  readonly set: ConstraintSet;
  readonly labelsOf: Lists;
  readonly labelsOfClass: Lists;
}

export function linkGraph(set: ConstraintSet): LinkGraph {
  const { mustLinks, labels, n } = set;
  const ends = new Int32Array(2 * mustLinks.a.length);
  for (let s = 0; s < mustLinks.a.length; s++) {
    ends[2 * s] = mustLinks.a[s]!;
    ends[2 * s + 1] = mustLinks.b[s]!;
  }
  return {
    ends: listsByKey(ends, n),
    set,
    labelsOf: listsByKey(labels.row, n),
    labelsOfClass: listsByKey(labels.code, labels.names.length),
  };
}

/** The state of a search. The next search resets only what the last search reached. */
export interface Search {
  readonly graph: LinkGraph;
  /** For a reached row: the previous row on its path. For a source: the row itself. For all other rows: -1. */
  readonly before: Int32Array;
  readonly distance: Int32Array;
  readonly origin: Int32Array;
  /** By class: the row from which the search expanded the class; -1 if the search has not expanded it. */
  readonly opener: Int32Array;
  readonly reached: number[];
  readonly opened: number[];
  /** Number of links and label constraints visited so far, by all searches together. */
  work: number;
}

export function searchIn(graph: LinkGraph): Search {
  const { n, labels } = graph.set;
  return {
    graph,
    before: new Int32Array(n).fill(-1),
    distance: new Int32Array(n),
    origin: new Int32Array(n),
    opener: new Int32Array(labels.names.length).fill(-1),
    reached: [],
    opened: [],
    work: 0,
  };
}

/**
 * Breadth-first search from all sources. Calls `visit` for each reached row; the search ends when `visit` returns true. Calls `meet` for
 * two linked rows that were reached from different sources.
 */
export function searchFrom(
  search: Search,
  sources: Iterable<number>,
  visit: (row: number) => boolean,
  meet: (row: number, other: number) => void = ignore,
): void {
  clear(search);
  for (const source of sources) {
    reach(search, source, source);
    search.origin[source] = source;
  }
  for (let p = 0; p < search.reached.length; p++) {
    const row = search.reached[p]!;
    if (visit(row)) return;
    followLinks(search, row, meet);
    openClasses(search, row, meet);
  }
}

export function pathTo({ before }: Search, row: number): number[] {
  const path = [row];
  while (before[row] !== row) {
    row = before[row]!;
    path.push(row);
  }
  return path.reverse();
}

function ignore(): void {}

function clear(search: Search): void {
  for (const row of search.reached) search.before[row] = -1;
  for (const code of search.opened) search.opener[code] = -1;
  search.reached.length = 0;
  search.opened.length = 0;
}

function reach(search: Search, row: number, before: number): void {
  search.before[row] = before;
  search.distance[row] = row === before ? 0 : search.distance[before]! + 1;
  search.origin[row] = search.origin[before]!;
  search.reached.push(row);
}

function followLinks(search: Search, row: number, meet: (row: number, other: number) => void): void {
  const { ends, set } = search.graph;
  for (let p = ends.start[row]!; p < ends.start[row + 1]!; p++) {
    const end = ends.items[p]!;
    const other = end & 1 ? set.mustLinks.a[end >> 1]! : set.mustLinks.b[end >> 1]!;
    search.work++;
    if (search.before[other] === -1) reach(search, other, row);
    else if (search.origin[other] !== search.origin[row]) meet(row, other);
  }
}

function openClasses(search: Search, row: number, meet: (row: number, other: number) => void): void {
  const { labelsOf, labelsOfClass, set } = search.graph;
  for (let p = labelsOf.start[row]!; p < labelsOf.start[row + 1]!; p++) {
    const code = set.labels.code[labelsOf.items[p]!]!;
    const opener = search.opener[code]!;
    search.work++;
    if (opener !== -1) {
      if (search.origin[opener] !== search.origin[row]) meet(row, opener);
      continue;
    }
    search.opener[code] = row;
    search.opened.push(code);
    for (let q = labelsOfClass.start[code]!; q < labelsOfClass.start[code + 1]!; q++) {
      const other = set.labels.row[labelsOfClass.items[q]!]!;
      search.work++;
      if (search.before[other] === -1) reach(search, other, row);
    }
  }
}
