/** Reads Arrow IPC in Node, from a path or from bytes. */
import { readFile } from "node:fs/promises";
import type { ReadOptions, Table } from "../table/table.js";
import { readArrowBytes } from "./arrow-bytes.js";
import { bytesHash, fileHash, unreadable } from "./file.js";

/** The table of an Arrow IPC file or stream, from its bytes or its path. */
export async function readArrow(source: Uint8Array | string, options: ReadOptions): Promise<Table> {
  const { file, signal } = options;
  signal?.throwIfAborted();
  if (typeof source !== "string") return await readArrowBytes(source, bytesHash(source), options);
  const contentHash = await fileHash(source, file);
  const bytes = await readFile(source, signal ? { signal } : {}).catch(stopped(options));
  return await readArrowBytes(bytes, contentHash, options);
}

function stopped({ file, signal }: ReadOptions): (error: unknown) => never {
  return (error) => {
    signal?.throwIfAborted();
    return unreadable(file)(error);
  };
}
