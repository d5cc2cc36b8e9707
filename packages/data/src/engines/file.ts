/** Opening and hashing a file, for the engines: failures become sentences. */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { badInput } from "@coterie/core";
import type { Hasher, ReadOptions } from "../table.js";

export interface FileLook {
  readonly hash: string;
  readonly bytes: number;
  /** The first and last bytes, up to eight each. */
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

const PIECE = 1 << 20;
const ENDS = 8;

/** Reads a file once: its SHA-256, its length, and its ends. */
export async function lookAtFile(path: string, options: ReadOptions): Promise<FileLook> {
  const { signal, onProgress, file } = options;
  signal?.throwIfAborted();
  const handle = await open(path, "r").catch(unreadable(file));
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw badInput("This is not a file.", { file, remedy: "Name one file." });
    const hasher = options.hasher ?? nodeHasher();
    const piece = new Uint8Array(PIECE);
    let bytes = 0;
    let head: Uint8Array = new Uint8Array(0);
    let tail: Uint8Array = new Uint8Array(0);
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, PIECE).catch(unreadable(file));
      if (bytesRead === 0) break;
      const read = piece.subarray(0, bytesRead);
      hasher.update(read);
      bytes += bytesRead;
      head = joined(head, read.subarray(0, ENDS - head.length));
      tail = joined(tail, read.subarray(-ENDS)).slice(-ENDS);
      onProgress?.(bytes, status.size);
      signal?.throwIfAborted();
    }
    return { hash: hasher.digest(), bytes, head, tail };
  } finally {
    await handle.close();
  }
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

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
