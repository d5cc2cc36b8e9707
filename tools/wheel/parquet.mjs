/** In place of packages/data/src/engines/duckdb.ts: the reader of Parquet for browsers, which gives the same tables without binaries. */
import { readFile } from "node:fs/promises";
import { readArrowBytes } from "../../packages/data/dist/engines/arrow-bytes.js";
import { lookAtFile, unreadable } from "../../packages/data/dist/engines/file.js";
import { readParquetBytes } from "../../packages/data/dist/engines/parquet-bytes.js";

async function bytesOf(path, { file, signal }) {
  return new Uint8Array(await readFile(path, signal ? { signal } : {}).catch(unreadable(file)));
}

export async function readParquet(path, options) {
  const { contentHash } = await lookAtFile(path, options);
  return await readParquetBytes(await bytesOf(path, options), contentHash, options);
}

export async function readArrow(path, options) {
  const { contentHash } = await lookAtFile(path, options);
  return await readArrowBytes(await bytesOf(path, options), contentHash, options);
}

/** No engine could take the file instead, so its size is of no use. */
export async function parquetShape() {
  return null;
}
