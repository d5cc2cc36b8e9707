/**
 * Blocks: the rows of one component that are in one cluster, as units for a second sweep. Rows held together by many must-links
 * never leave one by one, though the objective may be lower with all of them elsewhere.
 */
import { type Lists, listsByKey } from "../../../constraints/components.js";
import type { Bulk } from "./bulk.js";
import { type Table, tableOf } from "./content.js";
import type { Links } from "./links.js";
import { meansOfLists, type Units } from "./units.js";

export interface Blocks {
  readonly units: Units;
  /** The blocks of more than one unit; others had their turn. */
  readonly several: Int32Array;
}

/** `of` has -1 for free rows; the places of bound rows are rewritten, and belong to the blocks until the next call. */
export function blocksOf(
  links: Links,
  units: Units,
  x: Float64Array,
  d: number,
  k: number,
  labels: Int32Array,
  of: Int32Array,
  bulk: Bulk | null,
): Blocks {
  const { members, componentCount } = links;
  const blockAt = new Int32Array(members.items.length);
  const component: number[] = [];
  const blockIn = new Int32Array(k).fill(-1);
  for (let c = 0; c < componentCount; c++) {
    const first = component.length;
    for (let p = members.start[c]!; p < members.start[c + 1]!; p++) {
      const h = labels[members.items[p]!]!;
      if (blockIn[h]! < first) blockIn[h] = component.push(c) - 1;
      of[members.items[p]!] = blockIn[h]!;
      blockAt[p] = blockIn[h]!;
    }
  }
  const count = component.length;
  const places = listsByKey(blockAt, count);
  const rows = { start: places.start, items: places.items.map((p) => members.items[p]!) };
  const isWhole = (u: number): boolean => {
    const c = component[u]!;
    return bulk !== null && bulk.at[c]! >= 0 && rows.start[u + 1]! - rows.start[u]! === members.start[c + 1]! - members.start[c]!;
  };
  const moments = meansOfLists(rows, x, d, (u) => (isWhole(u) ? bulk!.mean.subarray(bulk!.at[component[u]!]! * d) : null));
  const holdsSeveral = (u: number): boolean => units.size[units.of[rows.items[rows.start[u]!]!]!]! < moments.size[u]!;
  return {
    units: { count, of, rows, ...moments, component: Int32Array.from(component), apart: apartBlocks(units, of, count) },
    several: Int32Array.from({ length: count }, (_, u) => u).filter(holdsSeveral),
  };
}

/** A block may not meet the blocks of its units' hard neighbours. */
function apartBlocks({ apart, rows }: Units, of: Int32Array, count: number): Lists {
  const start = new Int32Array(count + 1);
  if (apart.items.length === 0) return { start, items: new Int32Array(0) };
  const lists: number[][] = Array.from({ length: count }, () => []);
  const blockOf = (u: number): number => of[rows.items[rows.start[u]!]!]!;
  for (let u = 0; u + 1 < apart.start.length; u++) {
    for (let p = apart.start[u]!; p < apart.start[u + 1]!; p++) lists[blockOf(u)]!.push(blockOf(apart.items[p]!));
  }
  lists.forEach((list, b) => {
    start[b + 1] = start[b]! + list.length;
  });
  return { start, items: Int32Array.from(lists.flat()) };
}

/** The distance table of blocks: the sum of their units'. */
export function blockTable(blocks: Units, units: Units, table: Table, k: number): Table {
  const sums = new Float64Array(blocks.count * k);
  for (let u = 0; u < units.count; u++) {
    const at = blocks.of[units.rows.items[units.rows.start[u]!]!]! * k;
    for (let h = 0; h < k; h++) sums[at + h]! += table.cost[u * k + h]!;
  }
  return tableOf(sums, k);
}
