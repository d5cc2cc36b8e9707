/**
 * Data by their SHA-256, one file each. Bytes that arrive go to a file of another name, `….upload`, and are held there; the first project
 * that is about them flushes and renames the file, so that a file is whole or not there. Uploads that are left at the start are removed.
 *
 * Holding, keeping and removing happen one after the other. A file is removed only where nothing holds its bytes and no project names
 * them, and a project is only added while its bytes are held: so no file goes that somebody is about to need.
 */
import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { HeldBytes } from "@coterie/workbench";
import { damaged, storeErrorFrom } from "../store-error.js";
import { makeFolder, unusable } from "./folder.js";

export function isHash(sha256: string): boolean {
  return /^[0-9a-f]{64}$/.test(sha256);
}

export interface Blobs {
  hold(chunks: AsyncIterable<Uint8Array>): Promise<HeldBytes>;
  /** Puts held bytes in their place for good. */
  keep(sha256: string): Promise<void>;
  release(sha256: string): Promise<void>;
  get(sha256: string): Promise<Uint8Array | null>;
  has(sha256: string): Promise<boolean>;
  /** Removes bytes that nothing holds and no project names. */
  removeUnneeded(sha256: string): Promise<void>;
}

interface Held {
  /** The file of the upload; null once it has its place. */
  path: string | null;
  count: number;
}

/** Uploads that a studio that was killed left behind, and unfinished files of earlier versions. */
const LEFTOVER = /^(?:[0-9a-f-]{36}\.upload|[0-9a-f]{64}\.part-.*)$/;

/** `isNeeded` tells whether a project is about these bytes. */
export async function openBlobs(folder: string, isNeeded: (sha256: string) => Promise<boolean>): Promise<Blobs> {
  try {
    makeFolder(folder);
    for (const name of await readdir(folder)) if (LEFTOVER.test(name)) await rm(join(folder, name), { force: true });
  } catch (error) {
    throw unusable(folder, error as NodeJS.ErrnoException);
  }
  const held = new Map<string, Held>();
  const inTurn = turns();
  const placeOf = (sha256: string): string => {
    if (!isHash(sha256)) throw new Error(`"${sha256}" is no SHA-256.`);
    return join(folder, sha256);
  };
  const pathNow = (sha256: string): string => held.get(sha256)?.path ?? placeOf(sha256);
  const removeUnneeded = async (sha256: string): Promise<void> => {
    if (!held.has(sha256) && !(await isNeeded(sha256))) await rm(placeOf(sha256), { force: true });
  };
  return {
    async hold(chunks) {
      const path = join(folder, `${randomUUID()}.upload`);
      const { sha256, bytes } = await written(path, chunks);
      await inTurn(async () => {
        const known = held.get(sha256);
        if (known) known.count++;
        else held.set(sha256, { path, count: 1 });
        if (known) await rm(path, { force: true });
      });
      return { sha256, bytes };
    },
    keep: (sha256) =>
      inTurn(async () => {
        const known = held.get(sha256);
        if (!known || known.path === null) return;
        try {
          await flush(known.path);
          await rename(known.path, placeOf(sha256));
          await flush(folder).catch(() => undefined);
        } catch (error) {
          throw storeErrorFrom(error, placeOf(sha256));
        }
        known.path = null;
      }),
    release: (sha256) =>
      inTurn(async () => {
        const known = held.get(sha256);
        if (!known || --known.count > 0) return;
        held.delete(sha256);
        if (known.path === null) await removeUnneeded(sha256);
        else await rm(known.path, { force: true });
      }),
    async get(sha256) {
      const path = pathNow(sha256);
      const bytes = await readWhole(await inTurn(() => opened(pathNow(sha256))), path);
      if (bytes && createHash("sha256").update(bytes).digest("hex") !== sha256)
        throw damaged(path, "its content is not what its name says");
      return bytes;
    },
    async has(sha256) {
      const handle = await inTurn(() => opened(pathNow(sha256)));
      await handle?.close();
      return handle !== null;
    },
    removeUnneeded: (sha256) => inTurn(() => removeUnneeded(sha256)),
  };
}

/** Runs one piece of work after the other, in the order in which they come. */
function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}

async function written(path: string, chunks: AsyncIterable<Uint8Array>): Promise<HeldBytes> {
  const hash = createHash("sha256");
  let bytes = 0;
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "wx", 0o600).catch((error: unknown) => {
      throw storeErrorFrom(error, path);
    });
    for await (const chunk of chunks) {
      hash.update(chunk);
      await handle.writeFile(chunk).catch((error: unknown) => {
        throw storeErrorFrom(error, path);
      });
      bytes += chunk.length;
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle?.close();
  }
  return { sha256: hash.digest("hex"), bytes };
}

async function opened(path: string): Promise<FileHandle | null> {
  return await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw storeErrorFrom(error, path);
  });
}

async function readWhole(handle: FileHandle | null, path: string): Promise<Uint8Array | null> {
  try {
    return (await handle?.readFile()) ?? null;
  } catch (error) {
    throw storeErrorFrom(error, path);
  } finally {
    await handle?.close();
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
