/** Reads a table from bytes, in any format, without Node; the studio uses this when it runs only in a browser. */
import { formatOf, HEAD, readStream } from "./formats/formats.js";
import { createSha256 } from "./table/sha256.js";
import type { ReadOptions, Table } from "./table/table.js";

/** Reads a table from bytes. The libraries for Parquet and Arrow are loaded on first use. */
export async function readBytes(bytes: Uint8Array, options: ReadOptions): Promise<Table> {
  const format = formatOf(options.file, bytes.subarray(0, HEAD));
  if (format === "parquet")
    return await (await import("./engines/parquet-bytes.js")).readParquetBytes(bytes, hashOf(bytes), options);
  if (format === "arrow") return await (await import("./engines/arrow-bytes.js")).readArrowBytes(bytes, hashOf(bytes), options);
  return await readStream(format, once(bytes), { hasher: createSha256(), ...options });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

function hashOf(bytes: Uint8Array): Table["contentHash"] {
  const hasher = createSha256();
  hasher.update(bytes);
  const hash = Promise.resolve(hasher.digest());
  return () => hash;
}
