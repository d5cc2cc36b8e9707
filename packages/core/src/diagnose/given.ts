/**
 * The statements that people gave, as items that can be dropped one by one: must-links, cannot-links, labels, and each exclusive
 * group of two or more rows. Items are numbered in this order.
 */
import { groupCount } from "../constraints/component-graph.js";
import type { ConstraintSet, Grouping, LabelStatements, Links } from "../model/constraint-set.js";

export type GivenKind = "must-link" | "cannot-link" | "label" | "exclusive";

export interface Given {
  readonly set: ConstraintSet;
  readonly count: number;
  /** The first item of each kind. */
  readonly cannotLinks: number;
  readonly labels: number;
  readonly groups: number;
  /** Column and code of each exclusive group, and the item of each group by column and code, -1 for none. */
  readonly group: readonly { readonly column: number; readonly code: number }[];
  readonly groupItem: readonly Int32Array[];
}

export function givenItems(set: ConstraintSet): Given {
  const cannotLinks = set.mustLinks.a.length;
  const labels = cannotLinks + set.cannotLinks.a.length;
  const groups = labels + set.labels.row.length;
  const group: { column: number; code: number }[] = [];
  const groupItem = set.exclusive.map((grouping, column) => {
    const sizes = new Int32Array(groupCount(grouping));
    for (const code of grouping.codes) if (code >= 0) sizes[code]!++;
    return sizes.map((size, code) => {
      if (size < 2) return -1;
      group.push({ column, code });
      return groups + group.length - 1;
    });
  });
  return { set, count: groups + group.length, cannotLinks, labels, groups, group, groupItem };
}

/** What an item is, and its position among the statements of its kind; for a group, its column. */
export function itemAt(given: Given, item: number): { readonly kind: GivenKind; readonly index: number } {
  if (item < given.cannotLinks) return { kind: "must-link", index: item };
  if (item < given.labels) return { kind: "cannot-link", index: item - given.cannotLinks };
  if (item < given.groups) return { kind: "label", index: item - given.labels };
  return { kind: "exclusive", index: given.group[item - given.groups]!.column };
}

export function weightOf({ set }: Given, { kind, index }: { readonly kind: GivenKind; readonly index: number }): number {
  if (kind === "must-link") return set.mustLinks.weight[index]!;
  if (kind === "cannot-link") return set.cannotLinks.weight[index]!;
  return kind === "label" ? set.labels.weight[index]! : 1;
}

/** The constraint set without some items. */
export function withoutItems(given: Given, dropped: ReadonlySet<number>): ConstraintSet {
  const { set } = given;
  return {
    ...set,
    mustLinks: keepLinks(set.mustLinks, (s) => !dropped.has(s)),
    cannotLinks: keepLinks(set.cannotLinks, (s) => !dropped.has(given.cannotLinks + s)),
    labels: keepLabels(set.labels, (s) => !dropped.has(given.labels + s)),
    exclusive: set.exclusive.map((grouping, column) =>
      keepGroups(grouping, (code) => !dropped.has(given.groupItem[column]![code]!)),
    ),
  };
}

/** The constraint set of some items alone, about the rows that they name. */
export function onlyItems(given: Given, items: readonly number[], rows: readonly number[]): ConstraintSet {
  const { set } = given;
  const place = new Map(rows.map((row, i) => [row, i]));
  const wanted = new Set(items);
  const move = (from: Int32Array): Int32Array => from.map((row) => place.get(row) ?? -1);
  const links = (all: Links, first: number): Links => {
    const kept = keepLinks(all, (s) => wanted.has(first + s));
    return { ...kept, a: move(kept.a), b: move(kept.b) };
  };
  const labels = keepLabels(set.labels, (s) => wanted.has(given.labels + s));
  return {
    n: rows.length,
    mustLinks: links(set.mustLinks, 0),
    cannotLinks: links(set.cannotLinks, given.cannotLinks),
    relative: { ...set.relative, a: NO_ROWS, b: NO_ROWS, c: NO_ROWS, weight: new Float64Array(0) },
    labels: { ...labels, row: move(labels.row) },
    exclusive: set.exclusive.map((grouping, column) =>
      keepGroups({ ...grouping, codes: Int32Array.from(rows, (row) => grouping.codes[row]!) }, (code) =>
        wanted.has(given.groupItem[column]![code]!),
      ),
    ),
  };
}

const NO_ROWS = new Int32Array(0);

function keepLinks({ a, b, weight }: Links, wanted: (s: number) => boolean): Links {
  const kept = (_: number, s: number): boolean => wanted(s);
  return { a: a.filter(kept), b: b.filter(kept), weight: weight.filter(kept) };
}

function keepLabels({ row, code, weight, names }: LabelStatements, wanted: (s: number) => boolean): LabelStatements {
  const kept = (_: number, s: number): boolean => wanted(s);
  return { row: row.filter(kept), code: code.filter(kept), weight: weight.filter(kept), names };
}

function keepGroups(grouping: Grouping, wanted: (code: number) => boolean): Grouping {
  return { ...grouping, codes: grouping.codes.map((code) => (code >= 0 && wanted(code) ? code : -1)) };
}
