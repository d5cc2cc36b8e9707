/**
 * Statements that cannot all hold: a contradiction with its path of must-links, or a core of the constraint graph with what
 * makes its edges and what holds its vertices together. Each conflict is given as a set of statements that fail on their own.
 */
import { type Closure, closeConstraints } from "../constraints/closure.js";
import { type Contradiction, contradictions } from "../constraints/contradictions.js";
import { linkGraph, pathTo, type Search, searchFrom, searchIn } from "../constraints/link-graph.js";
import type { EffortOptions } from "./budget.js";
import { colour } from "./colouring.js";
import { type Given, itemAt, onlyItems, withoutItems } from "./given.js";
import { type ConstraintGraph, constraintGraph, rowsOf } from "./graph.js";

export type Reason =
  | { readonly kind: "contradiction"; readonly contradiction: Contradiction }
  /** Rows of each component that together need more than k clusters. */
  | { readonly kind: "core"; readonly components: readonly (readonly number[])[] };

export interface Conflict {
  /** Items, ascending. */
  readonly items: readonly number[];
  readonly reason: Reason;
}

export interface Checked {
  readonly status: "consistent" | "conflict" | "undecided";
  readonly conflicts: readonly Conflict[];
}

export interface CheckOptions extends EffortOptions {
  /** Whether statements that a core does not need are left out of its conflict, which means to try each. */
  readonly smaller: boolean;
}

/** Contradictions turned into conflicts at a time. */
const MOST_AT_ONCE = 200;
/** Conflicts of more items are not made smaller by trying. */
const MOST_TRIED = 400;

/** What is wrong with the statements, some left out; at k clusters, or with any number of them if k is null. */
export function checkWithout(given: Given, dropped: ReadonlySet<number>, k: number | null, options: CheckOptions): Checked {
  const closure = closeConstraints(withoutItems(given, dropped));
  const index = indexOf(given, dropped);
  const denied = contradictions(closure);
  const found = denied.filter(({ path }) => path.length > 0);
  if (found.length === 0 && denied.length > 0) return { status: "undecided", conflicts: [] };
  if (found.length > 0) {
    const conflicts = found.slice(0, MOST_AT_ONCE).map((contradiction) => ({
      items: itemsOfContradiction(index, contradiction),
      reason: { kind: "contradiction", contradiction } as const,
    }));
    return { status: "conflict", conflicts };
  }
  if (k === null) return { status: "consistent", conflicts: [] };
  const graph = constraintGraph(closure);
  const answer = colour(graph, k, options);
  if (answer.status === "undecided") return { status: "undecided", conflicts: [] };
  if (answer.status === "feasible") return { status: "consistent", conflicts: [] };
  const core = [...answer.core.vertices];
  const all = itemsOfCore(index, graph, core);
  const items = options.smaller ? smallerConflict(given, all, k, options) : all;
  return {
    status: "conflict",
    conflicts: [{ items, reason: { kind: "core", components: core.map((v) => [...rowsOf(graph, v)]) } }],
  };
}

/** Where the statements about a pair or a row are found. */
interface Index {
  readonly given: Given;
  readonly dropped: ReadonlySet<number>;
  readonly mustLink: ReadonlyMap<number, number>;
  /** Items of the labels of each row. */
  readonly labelsOf: ReadonlyMap<number, readonly number[]>;
}

function indexOf(given: Given, dropped: ReadonlySet<number>): Index {
  const { mustLinks, labels, n } = given.set;
  const mustLink = new Map<number, number>();
  for (let s = 0; s < mustLinks.a.length; s++) {
    if (!dropped.has(s)) mustLink.set(pairKey(n, mustLinks.a[s]!, mustLinks.b[s]!), s);
  }
  const labelsOf = new Map<number, number[]>();
  for (let s = 0; s < labels.row.length; s++) {
    if (dropped.has(given.labels + s)) continue;
    const list = labelsOf.get(labels.row[s]!);
    if (list) list.push(given.labels + s);
    else labelsOf.set(labels.row[s]!, [given.labels + s]);
  }
  return { given, dropped, mustLink, labelsOf };
}

function pairKey(n: number, a: number, b: number): number {
  return Math.min(a, b) * n + Math.max(a, b);
}

/** The statements of a path: a must-link for each step, or the labels that put both rows into one class. */
function itemsOfPath(index: Index, path: readonly number[], into: Set<number>): void {
  const { given, mustLink, labelsOf } = index;
  const codeOf = (item: number): number => given.set.labels.code[item - given.labels]!;
  for (let i = 1; i < path.length; i++) {
    const link = mustLink.get(pairKey(given.set.n, path[i - 1]!, path[i]!));
    if (link !== undefined) {
      into.add(link);
      continue;
    }
    const there = labelsOf.get(path[i]!) ?? [];
    for (const item of labelsOf.get(path[i - 1]!) ?? []) {
      const other = there.find((candidate) => codeOf(candidate) === codeOf(item));
      if (other === undefined) continue;
      into.add(item).add(other);
      break;
    }
  }
}

function itemsOfContradiction(index: Index, { kind, rows, path, names }: Contradiction): number[] {
  const { given, dropped } = index;
  const items = new Set<number>();
  itemsOfPath(index, path, items);
  const [p, q] = rows;
  if (kind === "cannot-link") {
    const { a, b } = given.set.cannotLinks;
    const wanted = pairKey(given.set.n, p, q);
    const link = a.findIndex((row, s) => pairKey(given.set.n, row, b[s]!) === wanted && !dropped.has(given.cannotLinks + s));
    items.add(given.cannotLinks + link);
  } else if (kind === "labels") {
    const { code, names: classes } = given.set.labels;
    const labelled = (row: number, name: string): number =>
      index.labelsOf.get(row)!.find((item) => classes[code[item - given.labels]!] === name)!;
    items.add(labelled(p, names![0])).add(labelled(q, names![1]));
  } else items.add(sharedGroup(index, p, q));
  return [...items].sort((a, b) => a - b);
}

/** The item of a group that holds both rows, -1 for none. */
function sharedGroup({ given, dropped }: Index, p: number, q: number): number {
  for (let column = 0; column < given.set.exclusive.length; column++) {
    const { codes } = given.set.exclusive[column]!;
    if (codes[p]! < 0 || codes[p] !== codes[q]) continue;
    const item = given.groupItem[column]![codes[p]!]!;
    if (item >= 0 && !dropped.has(item)) return item;
  }
  return -1;
}

/** One statement for each edge between the vertices, and the paths that join the rows these statements name. */
function itemsOfCore(index: Index, graph: ConstraintGraph, core: readonly number[]): number[] {
  const items = new Set<number>();
  const rows = new Map<number, Set<number>>(core.map((v) => [v, new Set()]));
  const links = linksBetween(index, graph, new Set(core));
  core.forEach((u, i) => {
    for (const v of core.slice(0, i)) {
      const support =
        links.get(pairKey(graph.vertices, u, v)) ?? labelSupport(index, graph, u, v) ?? groupSupport(index, graph, u, v);
      if (!support) continue;
      for (const item of support.items) items.add(item);
      for (const row of support.rows) rows.get(graph.vertexOf[graph.closure.component[row]!]!)!.add(row);
    }
  });
  const search = searchIn(linkGraph(graph.closure.set));
  for (const named of rows.values()) joinRows(index, search, [...named], items);
  return [...items].sort((a, b) => a - b);
}

interface Support {
  readonly items: readonly number[];
  readonly rows: readonly number[];
}

/** The first cannot-link between each two of the vertices. */
function linksBetween(
  { given, dropped }: Index,
  { closure, vertexOf, vertices }: ConstraintGraph,
  core: ReadonlySet<number>,
): Map<number, Support> {
  const { a, b } = given.set.cannotLinks;
  const found = new Map<number, Support>();
  for (let s = 0; s < a.length; s++) {
    const [u, v] = [vertexOf[closure.component[a[s]!]!]!, vertexOf[closure.component[b[s]!]!]!];
    if (!core.has(u) || !core.has(v) || dropped.has(given.cannotLinks + s)) continue;
    const key = pairKey(vertices, u, v);
    if (!found.has(key)) found.set(key, { items: [given.cannotLinks + s], rows: [a[s]!, b[s]!] });
  }
  return found;
}

function labelSupport({ given, labelsOf }: Index, graph: ConstraintGraph, u: number, v: number): Support | undefined {
  const rowU = rowsOf(graph, u).find((row) => labelsOf.has(row));
  const rowV = rowsOf(graph, v).find((row) => labelsOf.has(row));
  if (rowU === undefined || rowV === undefined || given.set.labels.row.length === 0) return undefined;
  return { items: [labelsOf.get(rowU)![0]!, labelsOf.get(rowV)![0]!], rows: [rowU, rowV] };
}

function groupSupport(index: Index, graph: ConstraintGraph, u: number, v: number): Support | undefined {
  const { given, dropped } = index;
  for (let column = 0; column < given.set.exclusive.length; column++) {
    const { codes } = given.set.exclusive[column]!;
    const rowOf = new Map<number, number>();
    for (const row of rowsOf(graph, u)) if (codes[row]! >= 0) rowOf.set(codes[row]!, row);
    for (const row of rowsOf(graph, v)) {
      const item = codes[row]! < 0 ? -1 : given.groupItem[column]![codes[row]!]!;
      const other = rowOf.get(codes[row]!);
      if (item >= 0 && other !== undefined && !dropped.has(item)) return { items: [item], rows: [row, other] };
    }
  }
  return undefined;
}

/** The statements of shortest paths from the first of the rows to the others, all of one component. */
function joinRows(index: Index, search: Search, rows: readonly number[], into: Set<number>): void {
  if (rows.length < 2) return;
  const targets = new Set(rows.slice(1));
  let open = targets.size;
  searchFrom(search, [rows[0]!], (row) => targets.has(row) && --open === 0);
  for (const row of targets) itemsOfPath(index, pathTo(search, row), into);
}

/** Leaves out one item after the other as long as the rest still fails. */
function smallerConflict(given: Given, items: readonly number[], k: number, options: EffortOptions): readonly number[] {
  if (items.length > MOST_TRIED) return items;
  const rows = rowsNamed(given, items);
  let left = items;
  for (const item of items.toReversed()) {
    const without = left.filter((other) => other !== item);
    if (fails(closeConstraints(onlyItems(given, without, rows)), k, options)) left = without;
  }
  return left;
}

function fails(closure: Closure, k: number, options: EffortOptions): boolean {
  return contradictions(closure).length > 0 || colour(constraintGraph(closure), k, options).status === "infeasible";
}

/** Rows that the items name, ascending; of a group, all. */
function rowsNamed(given: Given, items: readonly number[]): number[] {
  const { mustLinks, cannotLinks, labels, exclusive } = given.set;
  const rows = new Set<number>();
  for (const item of items) {
    const { kind, index } = itemAt(given, item);
    if (kind === "must-link") rows.add(mustLinks.a[index]!).add(mustLinks.b[index]!);
    else if (kind === "cannot-link") rows.add(cannotLinks.a[index]!).add(cannotLinks.b[index]!);
    else if (kind === "label") rows.add(labels.row[index]!);
    else {
      const { code } = given.group[item - given.groups]!;
      exclusive[index]!.codes.forEach((other, row) => {
        if (other === code) rows.add(row);
      });
    }
  }
  return [...rows].sort((a, b) => a - b);
}
