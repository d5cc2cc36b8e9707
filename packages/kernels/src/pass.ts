/** Passes over an engine's rows in WebAssembly. They give the same bits as the plain pass of core. */
import type { Grid, OpenPass, OpenPassKernel, PassModel } from "@coterie/core/scale";
import { BLOCK_ROWS, flushBlock, momentCount, openPassTotals } from "@coterie/core/scale";
import { createHost } from "./create-host.js";
import { memoryArena } from "./memory.js";

const METRICS = { plain: 0, diagonal: 1, full: 2 } as const;
/** Maximum memory of a pass. It is enough for a hundred thousand sums of a few hundred columns. */
const MOST_BYTES = 2 ** 30;

/** Opens passes over one memory; only one pass can be open at a time. */
export function createPassKernel(): OpenPassKernel {
  const host = createHost(MOST_BYTES);
  return (model) => openPass(host, model);
}

function openPass(host: ReturnType<typeof createHost>, model: PassModel): OpenPass {
  const { d, k, centres, maps, bias, scaling, moments, sumGrids, momentGrids, costGrid } = model;
  const arena = memoryArena(host.allocator);
  const filled = (values: ArrayLike<number>) => {
    const block = arena.f64(Math.max(1, values.length));
    block.view().set(values);
    return block;
  };
  const per = momentCount(model);
  const rounds = (grids: readonly Grid[]) => filled(grids.flatMap(({ coarseRound, fineRound }) => [coarseRound, fineRound]));
  const x = arena.f64(d * BLOCK_ROWS);
  const labels = arena.i32(BLOCK_ROWS);
  const parts = {
    costs: arena.f64(BLOCK_ROWS),
    terms: arena.f64(BLOCK_ROWS),
    centres: filled(centres),
    maps: filled(maps),
    bias: filled(bias),
    offset: filled(scaling?.offset ?? []),
    factor: filled(scaling?.factor ?? []),
    sumRounds: rounds(sumGrids),
    momentRounds: rounds(momentGrids),
    costRounds: rounds([costGrid]),
    counts: filled(new Float64Array(k)),
    sums: filled(new Float64Array(2 * k * d)),
    seconds: filled(new Float64Array(Math.max(1, 2 * k * per))),
    costSums: filled(new Float64Array(2 * k)),
  };
  const totals = openPassTotals(model);
  const at = host.pointer;
  const table = (rows: number) => [at(x), 8 * BLOCK_ROWS, rows, d];
  const metric = [METRICS[model.metric], at(parts.maps), model.several ? 1 : 0];
  const scale = (rows: number): void => {
    if (scaling) host.call("passScale", ...table(rows), at(parts.offset), at(parts.factor));
  };
  const sum = (rows: number): void => {
    const { costs, sumRounds, costRounds, counts, sums, costSums, seconds, momentRounds, terms } = parts;
    host.call(
      "passAdd",
      ...table(rows),
      at(labels),
      at(costs),
      at(sumRounds),
      at(costRounds),
      at(counts),
      at(sums),
      at(costSums),
    );
    if (per > 0) {
      const full = moments === "full" ? 1 : 0;
      host.call("passMoments", ...table(rows), at(labels), at(parts.centres), full, at(momentRounds), at(terms), at(seconds));
    }
    const counted = counts.view();
    for (let c = 0; c < k; c++) totals.counts[c]! += counted[c]!;
    counted.fill(0);
    flushBlock(sums.view(), totals.sums, (index) => sumGrids[index % d]!);
    if (per > 0) flushBlock(seconds.view(), totals.moments, (index) => momentGrids[index % per]!);
    flushBlock(costSums.view(), totals.costs, () => costGrid);
  };
  return {
    column: (j) => x.view().subarray(j * BLOCK_ROWS, (j + 1) * BLOCK_ROWS),
    labels: () => labels.view(),
    assign(rows) {
      scale(rows);
      host.call("passAssign", ...table(rows), at(parts.centres), k, ...metric, at(parts.bias), at(labels), at(parts.costs));
      sum(rows);
    },
    add(rows) {
      scale(rows);
      host.call("passCosts", ...table(rows), at(parts.centres), ...metric, at(labels), at(parts.costs));
      sum(rows);
    },
    totals: () => totals,
    close: () => arena.release(),
  };
}
