/**
 * Finds conflicts: sets of constraints that cannot all be satisfied. A conflict is one of:
 *
 * - a contradiction: a cannot-link, two labels or a group, with the must-link path that it contradicts,
 * - a core of the constraint graph (see `itemsOfCore`).
 */
import { type Colouring, searchColouring } from "../../colouring/colouring.js";
import { type ConstraintGraph, constraintGraph, rowsOf } from "../../colouring/graphs/graph.js";
import { type Closure, closeConstraints } from "../../constraints/closure.js";
import { type Contradiction, contradictions, isContradictory } from "../../constraints/contradictions.js";
import { linkGraph, pathTo, type Search, searchFrom, searchIn } from "../../constraints/link-graph.js";
import type { Links } from "../../model/constraint-set.js";
import { type Budget, chargeLooks, giveBack, type Interruptible, looksLeft, pauseDue, share } from "../../steps/budget.js";
import { type Given, itemAt, onlyItems, withoutItems } from "./given.js";

export type Reason =
  | { readonly kind: "contradiction"; readonly contradiction: Contradiction }
  /** The rows of each component; together the components need more than k clusters. */
  | { readonly kind: "core"; readonly components: readonly (readonly number[])[] }
  /** The effort was spent before a search could decide whether this constraint and the remaining constraints are satisfiable together. */
  | { readonly kind: "undecided" };

export interface Conflict {
  /** Numbers of the constraints in the conflict (item numbers, see given.ts), ascending. */
  readonly items: readonly number[];
  readonly reason: Reason;
}

export interface Checked {
  readonly status: "consistent" | "conflict" | "undecided";
  readonly conflicts: readonly Conflict[];
}

export interface CheckOptions {
  /** Whether to make a conflict smaller by removing constraints that it does not need. */
  readonly smaller: boolean;
  /** Maximum nodes per check whether k clusters can satisfy a set of constraints. */
  readonly nodes: number;
}

const PATH_EFFORT = 500_000;
/**
 * Costs in looks (see steps/budget.ts). Closing a set costs CLOSING_LOOKS for each row and each constraint. A path costs PATH_LOOKS for
 * each link.
 */
const CLOSING_LOOKS = 64;
const PATH_LOOKS = 8;

/** Checks whether k clusters can satisfy the constraints that are not dropped. If k is null, checks only for contradictions. */
export function* checkWithout(
  given: Given,
  dropped: ReadonlySet<number>,
  k: number | null,
  options: CheckOptions,
  budget: Budget,
): Interruptible<Checked> {
  chargeLooks(budget, CLOSING_LOOKS * (given.count + given.set.n));
  yield;
  const closure = closeConstraints(withoutItems(given, dropped));
  if (isContradictory(closure)) {
    chargeLooks(budget, CLOSING_LOOKS * given.count + PATH_LOOKS * PATH_EFFORT);
    return contradictionsIn(closure, indexOf(given, dropped));
  }
  if (k === null) return { status: "consistent", conflicts: [] };
  const graph = constraintGraph(closure);
  const answer = yield* colourWithin(graph, k, options.nodes, budget);
  if (answer.status === "undecided") return { status: "undecided", conflicts: [] };
  if (answer.status === "feasible") return { status: "consistent", conflicts: [] };
  chargeLooks(budget, CLOSING_LOOKS * given.count);
  const core = [...answer.core.vertices];
  const all = itemsOfCore(indexOf(given, dropped), graph, core);
  const items = options.smaller ? yield* smallerConflict(given, all, k, options, budget) : all;
  return {
    status: "conflict",
    conflicts: [{ items, reason: { kind: "core", components: core.map((v) => [...rowsOf(graph, v)]) } }],
  };
}

function* colourWithin(graph: ConstraintGraph, k: number, most: number, budget: Budget): Interruptible<Colouring> {
  const nodes = share(budget, most);
  const answer = yield* searchColouring(graph, k, nodes);
  giveBack(budget, nodes);
  return answer;
}

/** Maximum number of contradictions that one check turns into conflicts. */
const MOST_AT_ONCE = 200;

function contradictionsIn(closure: Closure, index: Index): Checked {
  const found = contradictions(closure, { effort: PATH_EFFORT }).filter(({ path }) => path.length > 0);
  if (found.length === 0) return { status: "undecided", conflicts: [] };
  const conflicts = found.slice(0, MOST_AT_ONCE).map((contradiction) => ({
    items: itemsOfContradiction(index, contradiction),
    reason: { kind: "contradiction", contradiction } as const,
  }));
  return { status: "conflict", conflicts };
}

interface Index {
  readonly given: Given;
  readonly dropped: ReadonlySet<number>;
  readonly mustLink: ReadonlyMap<number, number>;
  readonly cannotLink: ReadonlyMap<number, number>;
  readonly labelsOf: ReadonlyMap<number, readonly number[]>;
}

function indexOf(given: Given, dropped: ReadonlySet<number>): Index {
  const { mustLinks, cannotLinks, labels, n } = given.set;
  const itemsOf = ({ a, b }: Links, first: number): Map<number, number> => {
    const items = new Map<number, number>();
    for (let s = 0; s < a.length; s++) if (!dropped.has(first + s)) items.set(pairKey(n, a[s]!, b[s]!), first + s);
    return items;
  };
  const labelsOf = new Map<number, number[]>();
  for (let s = 0; s < labels.row.length; s++) {
    if (dropped.has(given.labels + s)) continue;
    const list = labelsOf.get(labels.row[s]!);
    if (list) list.push(given.labels + s);
    else labelsOf.set(labels.row[s]!, [given.labels + s]);
  }
  return { given, dropped, mustLink: itemsOf(mustLinks, 0), cannotLink: itemsOf(cannotLinks, given.cannotLinks), labelsOf };
}

function pairKey(n: number, a: number, b: number): number {
  return Math.min(a, b) * n + Math.max(a, b);
}

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
  const { given } = index;
  const items = new Set<number>();
  itemsOfPath(index, path, items);
  const [p, q] = rows;
  if (kind === "cannot-link") items.add(index.cannotLink.get(pairKey(given.set.n, p, q))!);
  else if (kind === "labels") {
    const { code, names: classes } = given.set.labels;
    const labelled = (row: number, name: string): number =>
      index.labelsOf.get(row)!.find((item) => classes[code[item - given.labels]!] === name)!;
    items.add(labelled(p, names![0])).add(labelled(q, names![1]));
  } else items.add(sharedGroup(index, p, q));
  return [...items].sort((a, b) => a - b);
}

/** The item number of an exclusive group that contains both rows; -1 if there is none. */
function sharedGroup({ given, dropped }: Index, p: number, q: number): number {
  for (let column = 0; column < given.set.exclusive.length; column++) {
    const { codes } = given.set.exclusive[column]!;
    if (codes[p]! < 0 || codes[p] !== codes[q]) continue;
    const item = given.groupItem[column]![codes[p]!]!;
    if (item >= 0 && !dropped.has(item)) return item;
  }
  return -1;
}

/**
 * The constraints that prove a core. They consist of constraints that separate the components of the core, and of must-links. The
 * must-links join the rows in each component that the separating constraints name.
 */
function itemsOfCore(index: Index, graph: ConstraintGraph, core: readonly number[]): number[] {
  const items = new Set<number>();
  const rows = new Map<number, Set<number>>(core.map((v) => [v, new Set()]));
  const links = linksBetween(index, graph, new Set(core));
  core.forEach((u, i) => {
    for (const v of core.slice(0, i)) {
      if (!graph.closure.apart(graph.component[u]!, graph.component[v]!)) continue;
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

function joinRows(index: Index, search: Search, rows: readonly number[], into: Set<number>): void {
  if (rows.length < 2) return;
  const targets = new Set(rows.slice(1));
  let open = targets.size;
  searchFrom(search, [rows[0]!], (row) => targets.has(row) && --open === 0);
  for (const row of targets) itemsOfPath(index, pathTo(search, row), into);
}

/** Conflicts with more items than this are not made smaller. */
const MOST_TRIED = 400;

/** Makes a conflict smaller: removes items one by one, as long as the remaining items still fail. */
function* smallerConflict(
  given: Given,
  items: readonly number[],
  k: number,
  { nodes }: CheckOptions,
  budget: Budget,
): Interruptible<readonly number[]> {
  if (items.length > MOST_TRIED) return items;
  const rows = rowsNamed(given, items);
  let left = items;
  for (const item of items.toReversed()) {
    if (budget.left <= 0) break;
    chargeLooks(budget, CLOSING_LOOKS * (left.length + rows.length));
    if (pauseDue(budget)) yield;
    const without = left.filter((other) => other !== item);
    if (yield* fails(closeConstraints(onlyItems(given, without, rows)), k, nodes, budget)) left = without;
  }
  return left;
}

function* fails(closure: Closure, k: number, nodes: number, budget: Budget): Interruptible<boolean> {
  if (isContradictory(closure)) return true;
  return (yield* colourWithin(constraintGraph(closure), k, nodes, budget)).status === "infeasible";
}

/** The rows named by the items, ascending; for an exclusive group, all its rows. */
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

/*
 * Explains each constraint of a repair: what fails if only this constraint is put back. Constraints that turn out to be satisfiable are put
 * back.
 *
 * If a link contradicts the remaining constraints, the must-link components of the remaining constraints show it directly. For every other
 * constraint, a search puts it back and checks whether k clusters are enough, until the effort is spent.
 */

/** A repair with its inputs: constraints, number of clusters, prices, and maximum nodes for each check. */
interface Repaired {
  readonly given: Given;
  readonly k: number | null;
  readonly pricing: { readonly price: (item: number) => number };
  readonly nodes: number;
}

/**
 * The constraints that stay dropped, ascending, with reasons. First tries to put back each dropped constraint, the most expensive
 * constraints first.
 */
export function* reasonsFor(
  state: Repaired,
  dropped: readonly number[],
  budget: Budget,
): Interruptible<ReadonlyMap<number, Reason>> {
  const { given, k, pricing, nodes } = state;
  const out = new Set(dropped);
  const reasons = new Map<number, Reason>();
  const kept = keptConstraints(state, out);
  const rest: number[] = [];
  for (const item of dropped) {
    if (pauseDue(budget)) yield;
    const contradiction = contradictionWith(state, kept, item, budget);
    if (contradiction) reasons.set(item, { kind: "contradiction", contradiction });
    else rest.push(item);
  }
  for (const item of rest.toSorted((a, b) => pricing.price(b) - pricing.price(a) || a - b)) {
    if (budget.left <= 0) {
      reasons.set(item, { kind: "undecided" });
      continue;
    }
    out.delete(item);
    const { status, conflicts } = yield* checkWithout(given, out, k, { smaller: false, nodes }, budget);
    if (status === "consistent") continue;
    out.add(item);
    const blamed = conflicts.find(({ items }) => items.includes(item)) ?? conflicts[0];
    reasons.set(item, blamed?.reason ?? { kind: "undecided" });
  }
  return new Map([...reasons].sort(([a], [b]) => a - b));
}

interface Kept {
  readonly closure: Closure;
  readonly search: Search;
  /**
   * For each pair of components that cannot-links separate: the index of one of these cannot-links. Key: lower component · count + higher
   * component.
   */
  readonly between: ReadonlyMap<number, number>;
}

function keptConstraints({ given }: Repaired, dropped: ReadonlySet<number>): Kept {
  const closure = closeConstraints(withoutItems(given, dropped));
  const { a, b } = closure.set.cannotLinks;
  const between = new Map<number, number>();
  for (let s = 0; s < a.length; s++) between.set(keyOf(closure, closure.component[a[s]!]!, closure.component[b[s]!]!), s);
  return { closure, search: searchIn(linkGraph(closure.set)), between };
}

function keyOf({ componentCount }: Closure, c: number, d: number): number {
  return Math.min(c, d) * componentCount + Math.max(c, d);
}

/**
 * The contradiction between a link and the remaining constraints; null if the remaining must-links and cannot-links show no
 * contradiction.
 */
function contradictionWith({ given }: Repaired, kept: Kept, item: number, budget: Budget): Contradiction | null {
  const { kind, index } = itemAt(given, item);
  if (kind !== "must-link" && kind !== "cannot-link") return null;
  const { component, set } = kept.closure;
  const links = kind === "must-link" ? given.set.mustLinks : given.set.cannotLinks;
  const [a, b] = [links.a[index]!, links.b[index]!];
  if (kind === "cannot-link") {
    return component[a] === component[b] ? { kind, rows: [a, b], path: pathBetween(kept, a, b, budget) } : null;
  }
  const link = kept.between.get(keyOf(kept.closure, component[a]!, component[b]!));
  if (link === undefined) return null;
  const { cannotLinks } = set;
  const ends = [cannotLinks.a[link]!, cannotLinks.b[link]!] as const;
  const [p, q] = component[ends[0]] === component[a] ? ends : ([ends[1], ends[0]] as const);
  const [before, after] = [pathBetween(kept, p, a, budget), pathBetween(kept, b, q, budget)];
  return { kind: "cannot-link", rows: [p, q], path: before.length > 0 && after.length > 0 ? [...before, ...after] : [] };
}

/** A shortest path of must-links; empty if the effort is spent. */
function pathBetween({ search }: Kept, from: number, to: number, budget: Budget): number[] {
  if (looksLeft(budget) === 0) return [];
  const before = search.work;
  searchFrom(search, [from], (row) => row === to);
  chargeLooks(budget, PATH_LOOKS * (search.work - before));
  return pathTo(search, to);
}
