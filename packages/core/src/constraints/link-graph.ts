/**
 * Must-links as a graph over the rows, and searches in it, breadth first. Rows of one class count as linked through it: a path
 * steps from any of them straight to any other. A class is opened once per search, so a class of s rows costs s steps, not s².
 */
import type { ConstraintSet } from "../model/constraint-set.js";
import { type Lists, listsByKey } from "../structures/components.js";

export interface LinkGraph {
  /** For each row the constraints it is in: link s as 2s from its a, 2s + 1 from its b. */
  readonly ends: Lists;
  readonly set: ConstraintSet;
  /** Label constraints of each row, and of each class. */
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

/** The marks of one search at a time; cleared through `reached`, so a search costs what it visits. */
export interface Search {
  readonly graph: LinkGraph;
  /** The row before each, itself for a source, -1 for a row not reached. */
  readonly before: Int32Array;
  readonly distance: Int32Array;
  /** The source each row was reached from. */
  readonly origin: Int32Array;
  /** The row through which each class was opened, -1 for none. */
  readonly opener: Int32Array;
  readonly reached: number[];
  readonly opened: number[];
  /** Links and label constraints looked at so far, by all searches. */
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
 * Searches from all sources at once. `visit` is told each row when its links are about to be followed, and stops the search
 * by returning true; `meet` is told each link or shared class between rows reached from different sources.
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

/** The rows from the source to `row`. */
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
