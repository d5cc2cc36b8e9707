/**
 * Converts a constraint set to signed ties between rows: positive if constraints join them, negative if they separate them. A label
 * ties its row to its class; classes are extra elements after the rows. Exclusive groups stay lists and are not expanded.
 */
import { groupSizes } from "../../constraints/component-graph.js";
import type { Links } from "../../model/constraint-set.js";
import { type Lists, listsByKey } from "../../structures/components.js";
import type { Given } from "./given.js";

export interface Ties {
  readonly rows: number;
  /** Number of rows plus number of classes. */
  readonly elements: number;
  /**
   * For each pair of elements, in both directions: price of the constraints that join them minus price of the constraints that
   * separate them.
   */
  readonly near: Map<number, number>[];
  /** The exclusive groups of each row, as item numbers. */
  readonly groupsOf: Lists;
  /** Price of an exclusive group. */
  readonly groupPrice: number;
}

/** Groups of more than k rows are left out, because no clustering with k clusters satisfies them. */
export function tiesOf(given: Given, k: number | null, price: (item: number) => number): Ties {
  const { set } = given;
  const elements = set.n + set.labels.names.length;
  // Most rows of exclusive groups have no tie; they share one empty map.
  const near = new Array<Map<number, number>>(elements).fill(NO_TIES);
  const add = (u: number, v: number, more: number): void => {
    if (near[u] === NO_TIES) near[u] = new Map();
    near[u]!.set(v, (near[u]!.get(v) ?? 0) + more);
  };
  const tie = (u: number, v: number, more: number): void => {
    add(u, v, more);
    add(v, u, more);
  };
  const tieAll = ({ a, b }: Pick<Links, "a" | "b">, first: number, sign: number): void => {
    for (let s = 0; s < a.length; s++) tie(a[s]!, b[s]!, sign * price(first + s));
  };
  tieAll(set.mustLinks, 0, 1);
  tieAll(set.cannotLinks, given.cannotLinks, -1);
  tieAll({ a: set.labels.row, b: set.labels.code.map((code) => set.n + code) }, given.labels, 1);
  const groupPrice = given.group.length > 0 ? price(given.groups) : 0;
  return { rows: set.n, elements, near, groupsOf: groupsOfRows(given, k), groupPrice };
}

const NO_TIES = new Map<number, number>();

function groupsOfRows(given: Given, k: number | null): Lists {
  const { set, groupItem } = given;
  const rows: number[] = [];
  const items: number[] = [];
  set.exclusive.forEach((grouping, column) => {
    const sizes = groupSizes(grouping);
    grouping.codes.forEach((code, row) => {
      const item = code < 0 ? -1 : groupItem[column]![code]!;
      if (item < 0 || (k !== null && sizes[code]! > k)) return;
      rows.push(row);
      items.push(item);
    });
  });
  const places = listsByKey(Int32Array.from(rows), set.n);
  return { start: places.start, items: places.items.map((p) => items[p]!) };
}
