/** A distance matrix from a file, in Node: any format that tables have. */
import { type DistanceTable, distancesOf, ROW_NAMES } from "./instances/distances.js";
import { readColumns } from "./read-table.js";
import type { ReadOptions } from "./table/table.js";

export type ReadDistancesOptions = Pick<ReadOptions, "delimiter" | "decimal" | "signal" | "onProgress">;

/**
 * Reads a distance matrix, square or condensed: CSV, Parquet, Arrow or .npy.
 *
 * ```ts
 * const { distances } = await readDistances("distances.npy");
 * ```
 */
export async function readDistances(path: string, options: ReadDistancesOptions = {}): Promise<DistanceTable> {
  return distancesOf(await readColumns(path, { ...options, text: [ROW_NAMES], rowNames: ROW_NAMES }));
}
