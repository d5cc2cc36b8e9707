/**
 * Blocks: the rows of one component that are in one cluster, as units for a second sweep. Rows held together by many must-links
 * never leave one by one, though the objective may be lower with all of them elsewhere.
 */
import { type Lists, listsByKey } from "../../../../structures/components.js";
import { placeOfWhole } from "../constraints/component-moments.js";
import { meansOfLists, type Units, weightsOfLists } from "../constraints/moving-units.js";
import { leastOf, writeWhole } from "./distance-table.js";
import type { Mapped, SweepState, Table } from "./state.js";

export interface Blocks {
  /** Blocks of more than one unit come first. */
  readonly units: Units;
  /** The number of these; others had their turn. */
  readonly several: number;
  /** The units of each block. */
  readonly inside: Lists;
}

export function blocksOf(state: SweepState): Blocks {
  const { units, labels, table } = state;
  const { blockOf, component, several } = numberBlocks(state);
  const count = component.length;
  const inside = listsByKey(blockOf, count);
  const rows = rowsOfBlocks(units.rows, inside);
  const of = new Int32Array(labels.length).fill(-1);
  for (let b = 0; b < count; b++) for (let p = rows.start[b]!; p < rows.start[b + 1]!; p++) of[rows.items[p]!] = b;
  // In the space of one metric the means of units are known, and those of blocks come from them.
  const means = table?.mapped
    ? { ...weightsOfLists(rows, state.rowWeights), mean: new Float64Array(0) }
    : meansOfLists(rows, state);
  return {
    units: { count, of, rows, ...means, component, apart: apartBlocks(units.apart, blockOf, count) },
    several,
    inside,
  };
}

/** The block of each unit, and the component of each block. */
function numberBlocks({ links: { componentCount }, units, k, labels }: SweepState) {
  const { items, start } = listsByKey(units.component, componentCount);
  const found = new Int32Array(units.count);
  const component: number[] = [];
  const size: number[] = [];
  const blockIn = new Int32Array(k).fill(-1);
  for (let c = 0; c < componentCount; c++) {
    const first = component.length;
    for (let p = start[c]!; p < start[c + 1]!; p++) {
      const h = labels[units.rows.items[units.rows.start[items[p]!]!]!]!;
      if (blockIn[h]! < first) {
        blockIn[h] = component.push(c) - 1;
        size.push(0);
      }
      size[blockIn[h]!]!++;
      found[items[p]!] = blockIn[h]!;
    }
  }
  const several = size.reduce((sum, units) => sum + (units > 1 ? 1 : 0), 0);
  let [nextOfSeveral, nextOfOne] = [0, several];
  const place = Int32Array.from(size, (units) => (units > 1 ? nextOfSeveral++ : nextOfOne++));
  const sorted = new Int32Array(component.length);
  component.forEach((c, b) => {
    sorted[place[b]!] = c;
  });
  return { blockOf: found.map((b) => place[b]!), component: sorted, several };
}

/** Blocks of several units under the one metric, from their units; most blocks stay where they are without a look at these. */
function mapBlocks({ units, d }: SweepState, { units: blocks, several, inside }: Blocks, of: Mapped): Mapped {
  const mean = new Float64Array(several * d);
  const scatter = new Float64Array(several);
  const isKnown = new Uint8Array(several);
  const prepare = (b: number): void => {
    if (isKnown[b] === 1) return;
    isKnown[b] = 1;
    const at = b * d;
    for (let p = inside.start[b]!; p < inside.start[b + 1]!; p++) {
      const u = inside.items[p]!;
      const share = units.weight[u]! / blocks.weight[b]!;
      for (let j = 0; j < d; j++) mean[at + j]! += share * of.mean[u * d + j]!;
    }
    for (let p = inside.start[b]!; p < inside.start[b + 1]!; p++) {
      const u = inside.items[p]!;
      let square = 0;
      for (let j = 0; j < d; j++) {
        const t = of.mean[u * d + j]! - mean[at + j]!;
        square += t * t;
      }
      scatter[b]! += of.scatter[u]! + units.weight[u]! * square;
    }
  };
  return { mean, scatter, prepare };
}

/** `inside`: the units of each block. */
function rowsOfBlocks(rows: Lists, inside: Lists): Lists {
  const start = new Int32Array(inside.start.length);
  const items = new Int32Array(rows.items.length);
  let length = 0;
  for (let b = 0; b + 1 < start.length; b++) {
    for (let p = inside.start[b]!; p < inside.start[b + 1]!; p++) {
      const u = inside.items[p]!;
      for (let r = rows.start[u]!; r < rows.start[u + 1]!; r++) items[length++] = rows.items[r]!;
    }
    start[b + 1] = length;
  }
  return { start, items };
}

/** A block may not meet the blocks of its units' hard neighbours. */
function apartBlocks(apart: Lists, blockOf: Int32Array, count: number): Lists {
  const start = new Int32Array(count + 1);
  if (apart.items.length === 0) return { start, items: new Int32Array(0) };
  const lists: number[][] = Array.from({ length: count }, () => []);
  for (let u = 0; u + 1 < apart.start.length; u++) {
    for (let p = apart.start[u]!; p < apart.start[u + 1]!; p++) lists[blockOf[u]!]!.push(blockOf[apart.items[p]!]!);
  }
  lists.forEach((list, b) => {
    start[b + 1] = start[b]! + list.length;
  });
  return { start, items: Int32Array.from(lists.flat()) };
}

/**
 * The distance table of blocks of several units: the sum of their units', or from moments where a block is a whole component. Where all
 * units of a block have one nearest cluster, it is the block's.
 */
export function blockTable(state: SweepState, blocks: Blocks, table: Table): Table {
  const { links, moments, k } = state;
  const { units, inside, several } = blocks;
  const cost = new Float64Array(several * k);
  const nearest = new Int32Array(several);
  const isKnown = new Uint8Array(several);
  const ask = (b: number): void => {
    if (isKnown[b] === 1) return;
    isKnown[b] = 1;
    if (moments && placeOfWhole(moments, links, units, b) >= 0) {
      writeWhole(state, moments, units.component[b]!, cost, b * k);
      return;
    }
    for (let p = inside.start[b]!; p < inside.start[b + 1]!; p++) {
      const from = inside.items[p]! * k;
      table.ask(inside.items[p]!);
      for (let h = 0; h < k; h++) cost[b * k + h]! += table.cost[from + h]!;
    }
  };
  for (let b = 0; b < several; b++) {
    nearest[b] = commonNearest(table, inside, b);
    if (nearest[b]! >= 0) continue;
    ask(b);
    nearest[b] = leastOf(cost, b * k, k);
  }
  const costIn = (b: number, h: number): number => {
    ask(b);
    return cost[b * k + h]!;
  };
  return { nearest, cost, ask, costIn, mapped: table.mapped && mapBlocks(state, blocks, table.mapped) };
}

/** The nearest cluster of all units of a block, or -1. */
function commonNearest({ nearest }: Table, { start, items }: Lists, b: number): number {
  const h = nearest[items[start[b]!]!]!;
  for (let p = start[b]!; p < start[b + 1]!; p++) if (nearest[items[p]!] !== h) return -1;
  return h;
}
