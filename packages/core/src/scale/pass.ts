/** One pass over all rows in plain TypeScript. Faster kernels and other engines must return the same bits. */
import { addUnits, BLOCK_ROWS, type Grid, type Totals } from "./fixed-sums.js";
import { momentCount, openPassTotals, type PassModel, type PassTotals } from "./pass-model.js";

export interface OpenPass {
  /** Buffer for the values of column j of a block, at most BLOCK_ROWS values. Call `column` again for every block. */
  column(j: number): Float64Array;
  /** The cluster of each row of the last block. Before calling `add`, write the clusters here. */
  labels(): Int32Array;
  /** Assigns the first `rows` rows of the block to their nearest clusters, and adds these rows to the totals. */
  assign(rows: number): void;
  /** Adds the first `rows` rows of the block to the totals of the clusters in `labels`. */
  add(rows: number): void;
  totals(): PassTotals;
  close(): void;
}

export type OpenPassKernel = (model: PassModel) => OpenPass;

export function openPlainPass(model: PassModel): OpenPass {
  const { d } = model;
  const columns = Array.from({ length: d }, () => new Float64Array(BLOCK_ROWS));
  const labels = new Int32Array(BLOCK_ROWS);
  const totals = openPassTotals(model);
  const row = new Float64Array(d);
  const block = blockSums(model);
  const take = (i: number): void => {
    for (let j = 0; j < d; j++) row[j] = columns[j]![i]!;
  };
  const run = (rows: number, given: boolean): void => {
    scaleBlock(columns, rows, model);
    for (let i = 0; i < rows; i++) {
      take(i);
      if (!given) labels[i] = nearestCluster(model, row);
      const c = labels[i]!;
      block.add(row, c, squaredDistance(model, row, c));
    }
    block.flush(totals);
  };
  return {
    column: (j) => columns[j]!,
    labels: () => labels,
    assign: (rows) => run(rows, false),
    add: (rows) => run(rows, true),
    totals: () => totals,
    close() {},
  };
}

function scaleBlock(columns: readonly Float64Array[], rows: number, { scaling }: PassModel): void {
  if (!scaling) return;
  columns.forEach((column, j) => {
    const offset = scaling.offset[j]!;
    const factor = scaling.factor[j]!;
    for (let i = 0; i < rows; i++) column[i] = (column[i]! - offset) / factor;
  });
}

/** The cluster with the smallest squared distance plus bias; the lower cluster on ties. */
export function nearestCluster(model: PassModel, row: Float64Array): number {
  let best = 0;
  let least = Infinity;
  for (let c = 0; c < model.k; c++) {
    const score = squaredDistance(model, row, c) + model.bias[c]!;
    if (score < least) {
      least = score;
      best = c;
    }
  }
  return best;
}

/** ‖x - c‖² under the metric of the cluster, for a scaled row. */
export function squaredDistance(model: PassModel, row: Float64Array, c: number): number {
  const { d, centres, maps, metric } = model;
  const g = model.several ? c : 0;
  let sum = 0;
  if (metric === "full") {
    for (let e = 0; e < d; e++) {
      let part = 0;
      for (let j = 0; j < d; j++) part += maps[(g * d + e) * d + j]! * (row[j]! - centres[c * d + j]!);
      sum += part * part;
    }
    return sum;
  }
  for (let j = 0; j < d; j++) {
    const t = row[j]! - centres[c * d + j]!;
    sum += metric === "plain" ? t * t : t * t * maps[g * d + j]!;
  }
  return sum;
}

/** The sums of one block, exact in doubles, before they are added to the totals. */
function blockSums(model: PassModel) {
  const { d, k, centres, moments, sumGrids, momentGrids, costGrid } = model;
  const per = momentCount(model);
  const counts = new Float64Array(k);
  const sums = new Float64Array(2 * k * d);
  const seconds = new Float64Array(2 * k * per);
  const costs = new Float64Array(2 * k);
  return {
    add(row: Float64Array, c: number, cost: number): void {
      counts[c]!++;
      for (let j = 0; j < d; j++) split(sums, 2 * (c * d + j), row[j]!, sumGrids[j]!);
      if (moments === "diagonal") {
        for (let j = 0; j < d; j++) {
          const t = row[j]! - centres[c * d + j]!;
          split(seconds, 2 * (c * per + j), t * t, momentGrids[j]!);
        }
      }
      if (moments === "full") {
        for (let i = 0, at = 0; i < d; i++) {
          const t = row[i]! - centres[c * d + i]!;
          for (let j = 0; j <= i; j++, at++) {
            split(seconds, 2 * (c * per + at), t * (row[j]! - centres[c * d + j]!), momentGrids[at]!);
          }
        }
      }
      split(costs, 2 * c, cost, costGrid);
    },
    flush(totals: PassTotals): void {
      for (let c = 0; c < k; c++) totals.counts[c]! += counts[c]!;
      counts.fill(0);
      flushBlock(sums, totals.sums, (at) => sumGrids[at % d]!);
      flushBlock(seconds, totals.moments, (at) => momentGrids[at % per]!);
      flushBlock(costs, totals.costs, () => costGrid);
    },
  };
}

/** Adds a term to the sums of a block: the coarse part at `at`, the fine part at `at + 1`. */
function split(sums: Float64Array, at: number, term: number, grid: Grid): void {
  const coarse = term + grid.coarseRound - grid.coarseRound;
  const rest = term - coarse;
  sums[at]! += coarse;
  sums[at + 1]! += rest + grid.fineRound - grid.fineRound;
}

export function flushBlock(sums: Float64Array, totals: Totals, gridOf: (at: number) => Grid): void {
  for (let at = 0; 2 * at < sums.length; at++) {
    const grid = gridOf(at);
    addUnits(totals, 2 * at, sums[2 * at]! / grid.coarseUnit);
    addUnits(totals, 2 * at + 1, sums[2 * at + 1]! / grid.fineUnit);
  }
  sums.fill(0);
}
