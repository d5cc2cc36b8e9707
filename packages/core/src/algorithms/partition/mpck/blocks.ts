/**
 * Blocks: the rows of one component that are in one cluster, as units for a second sweep. Rows held together by many must-links
 * never leave one by one, though the objective may be lower with all of them elsewhere.
 */
import { type Lists, listsByKey } from "../../../constraints/components.js";
import { type Bulk, placeOfWhole } from "./bulk.js";
import { costsAt, type Table, tableOf } from "./content.js";
import { writeWhole } from "./distance-table.js";
import type { Links } from "./links.js";
import type { SweepState } from "./sweep.js";
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
  const isOneUnit = (c: number): boolean =>
    bulk !== null &&
    bulk.at[c]! >= 0 &&
    units.size[units.of[members.items[members.start[c]!]!]!] === members.start[c + 1]! - members.start[c]!;
  for (let c = 0; c < componentCount; c++) {
    const first = component.length;
    if (isOneUnit(c)) {
      // One row stands for all: such a block does not move.
      blockAt.fill(-1, members.start[c], members.start[c + 1]);
      blockAt[members.start[c]!] = component.push(c) - 1;
      for (let p = members.start[c]!; p < members.start[c + 1]!; p++) of[members.items[p]!] = first;
      continue;
    }
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
    const size = members.start[c + 1]! - members.start[c]!;
    return bulk !== null && bulk.at[c]! >= 0 && (rows.start[u + 1]! - rows.start[u]! === size || isOneUnit(c));
  };
  const moments = meansOfLists(rows, x, d, (u) => (isWhole(u) ? bulk!.mean.subarray(bulk!.at[component[u]!]! * d) : null));
  component.forEach((c, u) => {
    if (isOneUnit(c)) moments.size[u] = members.start[c + 1]! - members.start[c]!;
  });
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

/** The distance table of blocks: the sum of their units', or from moments where a block is a whole component. */
export function blockTable(state: SweepState, blocks: Units, table: Table): Table {
  const { links, units, bulk, k } = state;
  const sums = new Float64Array(blocks.count * k);
  const whole = new Uint8Array(blocks.count);
  for (let b = 0; b < blocks.count && bulk; b++) {
    if (placeOfWhole(bulk, links, blocks, b) < 0) continue;
    writeWhole(state, bulk, blocks.component[b]!, sums, b * k);
    whole[b] = 1;
  }
  for (let u = 0; u < units.count; u++) {
    const b = blocks.of[units.rows.items[units.rows.start[u]!]!]!;
    if (whole[b] === 1) continue;
    for (let h = 0, at = costsAt(table, u); h < k; h++) sums[b * k + h]! += table.cost[at + h]!;
  }
  return tableOf(sums, k);
}
