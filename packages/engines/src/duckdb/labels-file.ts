/** Writes labels as a Parquet file with ids and clusters: DuckDB converts a temporary CSV file beside it. */
import { rm, writeFile } from "node:fs/promises";
import { badInput } from "@coterie/core/internal";
import { quotedText } from "./source.js";

/** `pieces`: the CSV text with the header id,cluster. Ids that are row numbers become whole numbers. */
export async function writeParquetLabels(
  part: string,
  pieces: AsyncIterable<string>,
  { named, signal }: { readonly named: boolean; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const text = `${part}.csv`;
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:", {
    memory_limit: "200MB",
    threads: "1",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  try {
    await writeFile(text, pieces, signal ? { signal } : {});
    const columns = `columns = {'id': '${named ? "VARCHAR" : "BIGINT"}', 'cluster': 'INTEGER'}`;
    const source = `read_csv(${quotedText(text)}, header = true, delim = ',', quote = '"', auto_detect = false, ${columns})`;
    await connection.run(`COPY (FROM ${source}) TO ${quotedText(part)} (FORMAT parquet)`);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof Error) || error.name !== "Error" || "code" in error) throw error;
    throw badInput(`The labels could not be written: ${error.message.split("\n")[0]}`, {
      remedy: "Free some space on the disk, or choose another path.",
    });
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(text, { force: true });
  }
}
