/** The engine over rows in memory: the plain twin of the others. */
import { badInput, type InstanceId } from "@coterie/core/internal";
import { BLOCK_ROWS, type OpenPassKernel, openPlainPass, type PassModel, type PassTotals } from "@coterie/core/scale";
import type { Engine } from "../engine.js";
import { lowestRanks, rankOf } from "../hash.js";
import { orderOf } from "../labels.js";

export interface MemoryRows {
  readonly n: number;
  readonly d: number;
  /** n × d, row by row, not scaled. */
  readonly x: Float64Array;
  readonly names: readonly string[];
  /** Ids of the rows; their numbers if left out. */
  readonly ids?: readonly InstanceId[] | undefined;
  /** The number in the file of each row, and how many rows that has; all of them if left out. */
  readonly rows?: Int32Array | undefined;
  readonly total?: number | undefined;
}

export interface MemoryOptions {
  readonly kernel?: OpenPassKernel | undefined;
  /** Rows of a block, at most BLOCK_ROWS: the answer does not depend on it. */
  readonly block?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export function createMemoryEngine(table: MemoryRows, options: MemoryOptions = {}): Engine {
  const { n, d, x, names } = table;
  const { kernel = openPlainPass, block = BLOCK_ROWS, signal } = options;
  const idAt = (row: number): InstanceId => table.ids?.[row] ?? row;
  const gathered = (rows: readonly number[]): { n: number; x: Float64Array } => {
    const out = new Float64Array(rows.length * d);
    rows.forEach((row, i) => {
      out.set(x.subarray(row * d, (row + 1) * d), i * d);
    });
    return { n: rows.length, x: out };
  };
  let asked: number[] = [];
  let labels = new Int32Array(0);

  /** One pass; `each` sees the clusters of every block. */
  const run = async (model: PassModel, each: (from: number, rows: number, labels: Int32Array) => void): Promise<PassTotals> => {
    const pass = kernel(model);
    try {
      for (let from = 0, blocks = 1; from < n; from += block, blocks++) {
        const rows = Math.min(block, n - from);
        for (let j = 0; j < d; j++) {
          const column = pass.column(j);
          for (let i = 0, p = from * d + j; i < rows; i++, p += d) column[i] = x[p]!;
        }
        pass.assign(rows);
        each(from, rows, pass.labels());
        if (blocks % 64 === 0) await new Promise((resume) => setImmediate(resume));
        signal?.throwIfAborted();
      }
      return pass.totals();
    } finally {
      pass.close();
    }
  };

  return {
    name: "memory",
    path: "arrays",
    statistics: async () => ({ rows: n, names, ranges: names.map((_, j) => rangeOf(x, n, d, j)) }),
    async rows(ids) {
      const byId = new Map<string, number>();
      for (let row = 0; row < n; row++) byId.set(String(idAt(row)), row);
      asked = ids.map((id) => {
        const row = byId.get(String(id));
        if (row === undefined) throw unknownId(id);
        return row;
      });
      return gathered(asked);
    },
    async sample(size, seed) {
      const rows = lowestRanks(n, size, (row) => rankOf(seed, idAt(row)));
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
      const placedRows = Int32Array.from(asked, (row) => table.rows?.[row] ?? row);
      return { order: orderOf(labels), labels: inFile, placedRows, rows };
    },
    close: async () => {},
  };
}

function inTheFile(labels: Int32Array, { rows, total }: MemoryRows): Int32Array {
  if (!rows || total === undefined) return labels;
  const all = new Int32Array(total).fill(-1);
  labels.forEach((label, i) => {
    all[rows[i]!] = label;
  });
  return all;
}

function rangeOf(x: Float64Array, n: number, d: number, j: number): { least: number; most: number } {
  let least = Infinity;
  let most = -Infinity;
  for (let p = j; p < n * d; p += d) {
    if (x[p]! < least) least = x[p]!;
    if (x[p]! > most) most = x[p]!;
  }
  return { least, most };
}

export function unknownId(id: InstanceId): Error {
  return badInput(`No row has the id "${id}", which a constraint names.`, {
    remedy: "Check the constraints, and the column that --id names.",
  });
}
