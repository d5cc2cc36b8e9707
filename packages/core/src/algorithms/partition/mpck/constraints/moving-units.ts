/** What moves in the E-step: a bound row by itself, or all rows that hard must-links join, as one. */

import { CoterieError } from "../../../../errors.js";
import { type InstanceId, idOf, type Points } from "../../../../model/points.js";
import { type Lists, listsByKey } from "../../../../structures/components.js";
import type { Links } from "./links.js";

export interface Units {
  readonly count: number;
  /** Unit of each row, -1 for a free row. */
  readonly of: Int32Array;
  readonly rows: Lists;
  /** Number of rows, what they weigh together, and their mean in the space of the points. */
  readonly size: Float64Array;
  readonly weight: Float64Array;
  readonly mean: Float64Array;
  /** Component of each unit; -1 if soft constraints do not count. */
  readonly component: Int32Array;
  /** Rows with which no row of a unit may ever share a cluster: one of each unit that hard cannot-links keep apart from it. */
  readonly apart: Lists;
}

/** `soft`: whether soft constraints bind rows too. `others`: components whose rows are units elsewhere. */
export function unitsOf(
  links: Links,
  points: Points,
  k: number,
  soft: boolean,
  ids?: readonly InstanceId[],
  others: Int32Array = new Int32Array(0),
): Units {
  const { hard } = links;
  const { n } = points;
  const unitOfHard = new Int32Array(hard?.componentCount ?? 0).fill(-1);
  const of = new Int32Array(n).fill(-1);
  const isOther = new Uint8Array(links.componentCount);
  for (const c of others) isOther[c] = 1;
  let count = 0;
  for (let i = 0; i < n; i++) {
    if (links.component[i] === -1 || isOther[links.component[i]!] === 1) continue;
    const c = hard ? hard.component[i]! : -1;
    const moves = soft || (hard !== null && (hard.sizes[c]! > 1 || hard.degree(c) > 0));
    if (!moves) continue;
    if (c === -1) of[i] = count++;
    else {
      if (unitOfHard[c] === -1) unitOfHard[c] = count++;
      of[i] = unitOfHard[c]!;
    }
  }
  const rows = listsByKey(of, count);
  const component = new Int32Array(count).fill(-1);
  if (soft) for (let u = 0; u < count; u++) component[u] = links.component[rows.items[rows.start[u]!]!]!;
  return { count, of, rows, ...meansOfLists(rows, points), component, apart: hardNeighbours(links, unitOfHard, count, k, ids) };
}

/** Rows, and what each weighs where not all weigh the same. */
interface Weighed extends Pick<Points, "d" | "x"> {
  readonly rowWeights?: Float64Array | undefined;
}

/** The number, the weight and the mean of the rows in each list. */
export function meansOfLists(rows: Lists, { d, x, rowWeights }: Weighed): Pick<Units, "size" | "weight" | "mean"> {
  const { size, weight } = weightsOfLists(rows, rowWeights);
  const mean = new Float64Array(size.length * d);
  for (let u = 0; u < size.length; u++) {
    const isOne = size[u] === 1;
    for (let p = rows.start[u]!; p < rows.start[u + 1]!; p++) {
      const own = isOne ? 1 : (rowWeights?.[rows.items[p]!] ?? 1);
      for (let j = 0, q = rows.items[p]! * d; j < d; j++) mean[u * d + j]! += own * x[q + j]!;
    }
    if (!isOne) for (let j = 0; j < d; j++) mean[u * d + j]! /= weight[u]!;
  }
  return { size, weight, mean };
}

/** The number and the weight of the rows in each list. */
export function weightsOfLists({ start, items }: Lists, rowWeights: Float64Array | undefined): Pick<Units, "size" | "weight"> {
  const size = Float64Array.from({ length: start.length - 1 }, (_, u) => start[u + 1]! - start[u]!);
  if (!rowWeights) return { size, weight: size };
  const weight = new Float64Array(size.length);
  for (let u = 0; u < size.length; u++) for (let p = start[u]!; p < start[u + 1]!; p++) weight[u]! += rowWeights[items[p]!]!;
  return { size, weight };
}

function hardNeighbours(
  { hard }: Links,
  unitOfHard: Int32Array,
  count: number,
  k: number,
  ids: readonly InstanceId[] | undefined,
): Lists {
  const start = new Int32Array(count + 1);
  if (!hard) return { start, items: new Int32Array(0) };
  const { cliques } = hard;
  for (let q = 0; q < cliques.count; q++) {
    if (cliques.start[q + 1]! - cliques.start[q]! <= k) continue;
    const core = Array.from(cliques.items.subarray(cliques.start[q]!, cliques.start[q]! + k + 1));
    throw new CoterieError({ code: "infeasible", k, core: core.map((c) => idsOfHard(hard, c, ids)) });
  }
  const lists: number[][] = Array.from({ length: count }, () => []);
  for (let c = 0; c < unitOfHard.length; c++) {
    if (unitOfHard[c]! < 0 || hard.degree(c) === 0) continue;
    for (const other of hard.neighbours(c)) lists[unitOfHard[c]!]!.push(hard.members.items[hard.members.start[other]!]!);
  }
  lists.forEach((list, u) => {
    start[u + 1] = start[u]! + list.length;
  });
  return { start, items: Int32Array.from(lists.flat()) };
}

function idsOfHard({ members }: NonNullable<Links["hard"]>, c: number, ids: readonly InstanceId[] | undefined): InstanceId[] {
  return Array.from(members.items.subarray(members.start[c]!, members.start[c + 1]!), (row) => idOf(ids ? { ids } : {}, row));
}

export function idsOfUnit({ rows }: Units, u: number, ids: readonly InstanceId[] | undefined): InstanceId[] {
  return Array.from(rows.items.subarray(rows.start[u]!, rows.start[u + 1]!), (row) => idOf(ids ? { ids } : {}, row));
}
