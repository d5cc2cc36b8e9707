/** The constraints as numbered items that can be dropped: must-links, cannot-links, labels, and exclusive groups of two or more rows. */

import { groupSizes } from "../../constraints/component-graph.js";
import { entriesWhere, NO_TRIPLES } from "../../constraints/sets.js";
import type { ConstraintSet, Grouping, Links } from "../../model/constraint-set.js";

export type GivenKind = "must-link" | "cannot-link" | "label" | "exclusive";

export interface Given {
  readonly set: ConstraintSet;
  readonly count: number;
  /** Number of the first item of each kind. Must-links begin at 0. */
  readonly cannotLinks: number;
  readonly labels: number;
  readonly groups: number;
  /** `group`: column and code of each exclusive group. `groupItem[column][code]`: its item number, -1 if it cannot be dropped. */
  readonly group: readonly { readonly column: number; readonly code: number }[];
  readonly groupItem: readonly Int32Array[];
}

export function givenItems(set: ConstraintSet): Given {
  const cannotLinks = set.mustLinks.a.length;
  const labels = cannotLinks + set.cannotLinks.a.length;
  const groups = labels + set.labels.row.length;
  const group: { column: number; code: number }[] = [];
  const groupItem = set.exclusive.map((grouping, column) => {
    return groupSizes(grouping).map((size, code) => {
      if (size < 2) return -1;
      group.push({ column, code });
      return groups + group.length - 1;
    });
  });
  return { set, count: groups + group.length, cannotLinks, labels, groups, group, groupItem };
}

/** The kind of an item, and its index in that kind; for an exclusive group, the index of its column. */
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

export function withoutItems(given: Given, dropped: ReadonlySet<number>): ConstraintSet {
  const { set } = given;
  return {
    ...set,
    mustLinks: entriesWhere(set.mustLinks, (s) => !dropped.has(s)),
    cannotLinks: entriesWhere(set.cannotLinks, (s) => !dropped.has(given.cannotLinks + s)),
    labels: entriesWhere(set.labels, (s) => !dropped.has(given.labels + s)),
    exclusive: set.exclusive.map((grouping, column) =>
      keepGroups(grouping, (code) => !dropped.has(given.groupItem[column]![code]!)),
    ),
  };
}

/** Items that a clustering violates, ascending. `cluster` holds the cluster of each row, then of each class; -1 for no cluster. */
export function brokenItems(given: Given, cluster: Int32Array): number[] {
  const { set } = given;
  const broken: number[] = [];
  const together = (u: number, v: number): boolean => cluster[u] === cluster[v] && cluster[u]! >= 0;
  set.mustLinks.a.forEach((a, s) => {
    if (!together(a, set.mustLinks.b[s]!)) broken.push(s);
  });
  set.cannotLinks.a.forEach((a, s) => {
    if (together(a, set.cannotLinks.b[s]!)) broken.push(given.cannotLinks + s);
  });
  set.labels.row.forEach((row, s) => {
    if (!together(row, set.n + set.labels.code[s]!)) broken.push(given.labels + s);
  });
  set.exclusive.forEach(({ codes }, column) => {
    const seen = new Set<string>();
    const items = new Set<number>();
    codes.forEach((code, row) => {
      if (code < 0) return;
      const key = `${code} ${cluster[row]}`;
      if (seen.has(key)) items.add(given.groupItem[column]![code]!);
      seen.add(key);
    });
    for (const item of [...items].sort((a, b) => a - b)) broken.push(item);
  });
  return broken;
}

export function onlyItems(given: Given, items: readonly number[], rows: readonly number[]): ConstraintSet {
  const { set } = given;
  const place = new Map(rows.map((row, i) => [row, i]));
  const wanted = new Set(items);
  const move = (from: Int32Array): Int32Array => from.map((row) => place.get(row) ?? -1);
  const links = (all: Links, first: number): Links => {
    const kept = entriesWhere(all, (s) => wanted.has(first + s));
    return { ...kept, a: move(kept.a), b: move(kept.b) };
  };
  const labels = entriesWhere(set.labels, (s) => wanted.has(given.labels + s));
  return {
    n: rows.length,
    mustLinks: links(set.mustLinks, 0),
    cannotLinks: links(set.cannotLinks, given.cannotLinks),
    relative: NO_TRIPLES,
    labels: { ...labels, row: move(labels.row) },
    exclusive: set.exclusive.map((grouping, column) =>
      keepGroups({ ...grouping, codes: Int32Array.from(rows, (row) => grouping.codes[row]!) }, (code) =>
        wanted.has(given.groupItem[column]![code]!),
      ),
    ),
  };
}

function keepGroups(grouping: Grouping, wanted: (code: number) => boolean): Grouping {
  return { ...grouping, codes: grouping.codes.map((code) => (code >= 0 && wanted(code) ? code : -1)) };
}
