/** Data by their SHA-256, one file each: written beside its place, flushed, then renamed, so that a file is whole or not there. */
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { damaged, storeErrorFrom } from "../store-error.js";

export interface Blobs {
  put(sha256: string, bytes: Uint8Array): Promise<void>;
  get(sha256: string): Promise<Uint8Array | null>;
  remove(sha256: string): Promise<void>;
}

const NAME = /^[0-9a-f]{64}$/;

export function openBlobs(folder: string): Blobs {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let parts = 0;
  const pathOf = (sha256: string): string => {
    if (!NAME.test(sha256)) throw new Error(`"${sha256}" is no SHA-256.`);
    return join(folder, sha256);
  };
  return {
    async put(sha256, bytes) {
      const path = pathOf(sha256);
      if ((await sizeOf(path)) === bytes.length) return;
      const part = `${path}.part-${process.pid}-${parts++}`;
      try {
        await write(part, bytes);
        await rename(part, path);
        await flushFolder(folder);
      } catch (error) {
        await rm(part, { force: true });
        throw storeErrorFrom(error, path);
      }
    },
    async get(sha256) {
      const path = pathOf(sha256);
      const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return null;
        throw storeErrorFrom(error, path);
      });
      if (bytes && createHash("sha256").update(bytes).digest("hex") !== sha256)
        throw damaged(path, "its content is not what its name says");
      return bytes;
    },
    async remove(sha256) {
      await rm(pathOf(sha256), { force: true });
    },
  };
}

async function sizeOf(path: string): Promise<number | null> {
  const handle = await open(path).catch(() => null);
  if (!handle) return null;
  try {
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

async function write(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Parts that a killed studio left behind. */
export async function removeParts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (name.includes(".part-")) await rm(join(folder, name), { force: true });
}
