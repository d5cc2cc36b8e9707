/** The engine for rows in memory: the simplest implementation, and the reference for the other engines. */

import { createHash } from "node:crypto";
import { badInput, gatherRows, type InstanceId } from "@coterie/core/internal";
import type { ColumnRange, OpenPassKernel, PassModel, PassTotals } from "@coterie/core/scale";
import { BLOCK_ROWS, openPlainPass, workOf } from "@coterie/core/scale";
import type { Engine } from "../engine.js";
import { orderOf } from "../labels.js";
import { pauses } from "../pauses.js";

/** Number of rows after which the clock is checked, to decide about a pause. */
const STRETCH = 4096;

export interface MemoryRows {
  readonly n: number;
  readonly d: number;
  /** The values, n × d, row by row, not scaled. */
  readonly x: Float64Array;
  readonly names: readonly string[];
  /** Ids of the rows. Default: row numbers. */
  readonly ids?: readonly InstanceId[] | undefined;
  /** rows: for each row, its row number in the file. total: number of rows in the file. By default these are all rows of the file. */
  readonly rows?: Int32Array | undefined;
  readonly total?: number | undefined;
}

export interface MemoryOptions {
  readonly kernel?: OpenPassKernel | undefined;
  /** Rows per block, at most BLOCK_ROWS. It does not change the result. */
  readonly block?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Limit on rows × clusters × columns of a block. A kernel processes such a block in much less than a second, so pauses come often enough.
 */
const MOST_WORK = 2 ** 25;

export function createMemoryEngine(table: MemoryRows, options: MemoryOptions = {}): Engine {
  const { n, d, x, names } = table;
  const { kernel = openPlainPass, block = BLOCK_ROWS, signal } = options;
  const idAt = (row: number): InstanceId => table.ids?.[row] ?? row;
  const gathered = (rows: readonly number[] | Int32Array) => ({ n: rows.length, x: gatherRows(x, d, rows) });
  let asked = new Int32Array(0);
  let labels = new Int32Array(0);

  /** Runs a pass over all rows, block by block. Calls `each` with the clusters of every block. */
  const run = async (model: PassModel, each: (from: number, rows: number, labels: Int32Array) => void): Promise<PassTotals> => {
    const pass = kernel(model);
    const pause = pauses(signal);
    const size = Math.max(1, Math.min(block, Math.floor(MOST_WORK / workOf(model))));
    try {
      for (let from = 0; from < n; from += size) {
        const rows = Math.min(size, n - from);
        for (let j = 0; j < d; j++) {
          const column = pass.column(j);
          for (let i = 0, p = from * d + j; i < rows; i++, p += d) column[i] = x[p]!;
        }
        pass.assign(rows);
        each(from, rows, pass.labels());
        await pause();
      }
      return pass.totals();
    } finally {
      pass.close();
    }
  };

  return {
    name: "memory",
    path: "arrays",
    statistics: async () => ({ rows: n, names, ranges: await rangesOf(table, pauses(signal)) }),
    async rows(ids) {
      const places = new Map<string, number>();
      const found = new Int32Array(ids.length).fill(-1);
      const pause = pauses(signal);
      for (const [place, id] of ids.entries()) {
        if (place % BLOCK_ROWS === 0) await pause();
        places.set(String(id), place);
      }
      for (let row = 0; row < n; row++) {
        if (row % BLOCK_ROWS === 0) await pause();
        const place = places.get(String(idAt(row)));
        if (place !== undefined) found[place] = row;
      }
      const unknown = found.indexOf(-1);
      if (unknown >= 0) throw unknownId(ids[unknown]!);
      asked = found;
      return gathered(asked);
    },
    async sample(size, seed) {
      const rows = await lowestRanks(n, size, (row) => rankOf(seed, idAt(row)), pauses(signal));
      return { ...gathered(rows), ids: rows.map(idAt) };
    },
    pass: (model) => run(model, () => {}),
    async label(model, placed) {
      labels = new Int32Array(n);
      const totals = await run(model, (from, rows, found) => labels.set(found.subarray(0, rows), from));
      asked.forEach((row, i) => {
        labels[row] = placed[i]!;
      });
      return totals;
    },
    async labelled() {
      const inFile = inTheFile(labels, table);
      async function* rows() {
        for (let from = 0; from < n; from += BLOCK_ROWS) {
          const to = Math.min(n, from + BLOCK_ROWS);
          yield { ids: Array.from({ length: to - from }, (_, i) => idAt(from + i)), clusters: labels.subarray(from, to) };
        }
      }
      const placedRows = asked.map((row) => table.rows?.[row] ?? row);
      return { order: orderOf(labels), labels: inFile, placedRows, rows };
    },
    close: async () => {},
  };
}

function inTheFile(labels: Int32Array, { rows, total }: MemoryRows): Int32Array {
  if (!rows || total === undefined) return labels;
  const all = new Int32Array(total).fill(-1);
  for (let i = 0; i < labels.length; i++) all[rows[i]!] = labels[i]!;
  return all;
}

async function rangesOf({ n, d, x }: MemoryRows, pause: () => Promise<void> | undefined): Promise<ColumnRange[]> {
  const ranges = Array.from({ length: d }, () => ({ least: Infinity, most: -Infinity }));
  for (let from = 0; from < n; from += BLOCK_ROWS) {
    const end = Math.min(n, from + BLOCK_ROWS) * d;
    for (let j = 0; j < d; j++) {
      let { least, most } = ranges[j]!;
      for (let p = from * d + j; p < end; p += d) {
        if (x[p]! < least) least = x[p]!;
        if (x[p]! > most) most = x[p]!;
      }
      ranges[j] = { least, most };
    }
    await pause();
  }
  return ranges;
}

export function unknownId(id: InstanceId): Error {
  return badInput(`No row has the id "${id}", which a constraint names.`, {
    remedy: "Check the constraints, and the column that --id names.",
  });
}

/* A sample consists of the rows with the lowest hash of seed and id, because every engine can compute this hash. */

/**
 * The hash of seed and id. The rows with the lowest hashes are the sample. DuckDB computes it as sha256(seed || ':' || id), Spark as
 * sha2(concat(seed, ':', id), 256).
 */
function rankOf(seed: number, id: InstanceId): string {
  return createHash("sha256").update(`${seed}:${id}`).digest("hex");
}

async function lowestRanks(
  n: number,
  size: number,
  rank: (row: number) => string,
  pause: () => Promise<void> | undefined,
): Promise<number[]> {
  const kept: { readonly row: number; readonly rank: string }[] = [];
  const worse = (a: { rank: string }, b: { rank: string }): number => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0);
  let bar = "g";
  for (let row = 0; row < n; row++) {
    if (row % STRETCH === 0) await pause();
    const own = rank(row);
    if (own >= bar) continue;
    kept.push({ row, rank: own });
    if (kept.length < 2 * size) continue;
    kept.sort(worse);
    kept.length = size;
    bar = kept.at(-1)!.rank;
  }
  return kept
    .sort(worse)
    .slice(0, size)
    .map(({ row }) => row);
}
