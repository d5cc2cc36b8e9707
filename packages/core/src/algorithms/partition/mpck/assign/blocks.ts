/**
 * Blocks: the rows of one component that are in one cluster, as units for a second sweep. Rows held together by many must-links
 * never leave one by one, though the objective may be lower with all of them elsewhere.
 */
import { type Lists, listsByKey } from "../../../../structures/components.js";
import { squareBetween } from "../../../metric/metrics.js";
import { placeOfWhole } from "../constraints/component-moments.js";
import { meansOfLists, type Units, weightsOfLists } from "../constraints/moving-units.js";
import { leastOf, writeWhole } from "./distance-table.js";
import type { Mapped, SweepState, Table } from "./state.js";

export interface Blocks {
  /** Blocks of more than one unit: others had their turn. */
  readonly units: Units;
  /** The units of each block. */
  readonly inside: Lists;
}

export function blocksOf(state: SweepState): Blocks {
  const { units, labels, table } = state;
  const { blockOf, component } = numberBlocks(state);
  const count = component.length;
  const inside = listsByKey(blockOf, count);
  const rows = joined(units.rows, inside);
  const of = new Int32Array(labels.length).fill(-1);
  for (let b = 0; b < count; b++) for (let p = rows.start[b]!; p < rows.start[b + 1]!; p++) of[rows.items[p]!] = b;
  // In the space of one metric the means of units are known, and those of blocks come from them.
  const means = table?.mapped
    ? { ...weightsOfLists(rows, state.rowWeights), mean: new Float64Array(0) }
    : meansOfLists(rows, state);
  return { units: { count, of, rows, ...means, component, apart: joined(units.apart, inside) }, inside };
}

/** The block of each unit, -1 for one that is alone in its cluster, and the component of each block. */
function numberBlocks({ links: { componentCount }, units, k, labels }: SweepState) {
  const { items, start } = listsByKey(units.component, componentCount);
  const clusterOf = (u: number): number => labels[units.rows.items[units.rows.start[u]!]!]!;
  const blockOf = new Int32Array(units.count).fill(-1);
  const component: number[] = [];
  const unitsIn = new Int32Array(k);
  const blockIn = new Int32Array(k);
  for (let c = 0; c < componentCount; c++) {
    if (start[c + 1]! - start[c]! < 2) continue;
    unitsIn.fill(0);
    blockIn.fill(-1);
    for (let p = start[c]!; p < start[c + 1]!; p++) unitsIn[clusterOf(items[p]!)]!++;
    for (let p = start[c]!; p < start[c + 1]!; p++) {
      const h = clusterOf(items[p]!);
      if (unitsIn[h]! < 2) continue;
      if (blockIn[h]! < 0) blockIn[h] = component.push(c) - 1;
      blockOf[items[p]!] = blockIn[h]!;
    }
  }
  return { blockOf, component: Int32Array.from(component) };
}

/** For each block the lists of its units, one after the other. */
function joined({ start, items }: Lists, inside: Lists): Lists {
  const ends = new Int32Array(inside.start.length);
  const all: number[] = [];
  for (let b = 0; b + 1 < ends.length; b++) {
    for (let p = inside.start[b]!; p < inside.start[b + 1]!; p++) {
      const u = inside.items[p]!;
      for (let q = start[u]!; q < start[u + 1]!; q++) all.push(items[q]!);
    }
    ends[b + 1] = all.length;
  }
  return { start: ends, items: Int32Array.from(all) };
}

/** Blocks under the one metric, from their units; most blocks stay where they are without a look at these. */
function mapBlocks({ units, d }: SweepState, { units: blocks, inside }: Blocks, of: Mapped): Mapped {
  const mean = new Float64Array(blocks.count * d);
  const scatter = new Float64Array(blocks.count);
  const isKnown = new Uint8Array(blocks.count);
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
      scatter[b]! += of.scatter[u]! + units.weight[u]! * squareBetween(of.mean, u * d, mean, at, d);
    }
  };
  return { mean, scatter, prepare };
}

/**
 * The distance table of blocks: the sum of their units', or from moments where a block is a whole component. Where all
 * units of a block have one nearest cluster, it is the block's.
 */
export function blockTable(state: SweepState, blocks: Blocks, table: Table): Table {
  const { links, moments, k } = state;
  const { units, inside } = blocks;
  const cost = new Float64Array(units.count * k);
  const nearest = new Int32Array(units.count);
  const isKnown = new Uint8Array(units.count);
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
  for (let b = 0; b < units.count; b++) {
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
