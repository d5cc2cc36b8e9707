/** Inspects and hashes a file in Node. Turns failures into readable errors. */
import { createHash } from "node:crypto";
import { type FileHandle, open, stat } from "node:fs/promises";
import { badInput } from "@coterie/core/internal";
import type { Hasher, ReadOptions } from "../table/table.js";

export interface FileLook {
  readonly contentHash: () => Promise<string>;
  readonly bytes: number;
  /** The first eight and the last eight bytes of the file, or fewer if the file is shorter. They show the format of the file. */
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

export interface Version {
  readonly size: number;
  readonly mtimeMs: number;
}

const PIECE = 1 << 20;
const ENDS = 8;

export async function lookAtFile(path: string, { signal, onProgress, file }: ReadOptions): Promise<FileLook> {
  signal?.throwIfAborted();
  const handle = await open(path, "r").catch(unreadable(file));
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw badInput("This is not a file.", { file, remedy: "Name one file." });
    const ends = Math.min(ENDS, status.size);
    const part = async (from: number) => {
      const { buffer, bytesRead } = await handle.read(new Uint8Array(ends), 0, ends, from).catch(unreadable(file));
      return buffer.subarray(0, bytesRead);
    };
    const [head, tail] = [await part(0), await part(status.size - ends)];
    onProgress?.(status.size, status.size);
    signal?.throwIfAborted();
    return { contentHash: laterHash(path, file, status), bytes: status.size, head, tail };
  } finally {
    await handle.close();
  }
}

export async function fileHash(path: string, file: string): Promise<() => Promise<string>> {
  return laterHash(path, file, await stat(path).catch(unreadable(file)));
}

/** Returns a function that computes the hash of the file on its first call. If the file has changed since `version`, the call rejects. */
export function laterHash(path: string, file: string, version: Version): () => Promise<string> {
  let hash: Promise<string> | undefined;
  return () => {
    hash ??= hashOf(path, file, version);
    return hash;
  };
}

async function hashOf(path: string, file: string, version: Version): Promise<string> {
  const handle = await open(path, "r").catch(unreadable(file));
  try {
    const hasher = nodeHasher();
    const piece = new Uint8Array(PIECE);
    await refuseChange(handle, file, version);
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, PIECE).catch(unreadable(file));
      if (bytesRead === 0) break;
      hasher.update(piece.subarray(0, bytesRead));
    }
    await refuseChange(handle, file, version);
    return hasher.digest();
  } finally {
    await handle.close();
  }
}

async function refuseChange(handle: FileHandle, file: string, version: Version): Promise<void> {
  const { size, mtimeMs } = await handle.stat();
  if (size === version.size && mtimeMs === version.mtimeMs) return;
  throw badInput("The file was changed after it was read, so its hash would not match the data.", {
    file,
    remedy: "Run again when no program writes to it.",
  });
}

export function bytesHash(bytes: Uint8Array): () => Promise<string> {
  const hasher = nodeHasher();
  hasher.update(bytes);
  const hash = Promise.resolve(hasher.digest());
  return () => hash;
}

export function nodeHasher(): Hasher {
  const hash = createHash("sha256");
  return {
    update: (bytes) => {
      hash.update(bytes);
    },
    digest: () => hash.digest("hex"),
  };
}

export function unreadable(file: string): (error: unknown) => never {
  return (error) => {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") throw badInput("There is no such file.", { file, remedy: "Check the name and the directory." });
    throw badInput(`The file cannot be read (${code ?? String(error)}).`, { file });
  };
}
