/**
 * Files that were sent and are no projects yet. Each is held by the store until it is an hour old, or until newer files need its room;
 * a file that is being made into a project stays until that is done.
 */
import { ReplyError } from "../protocol/reply-error.js";
import type { Chunks } from "../store/bytes.js";
import type { HeldBytes, Store } from "../store/store.js";

interface Upload extends HeldBytes {
  readonly id: string;
  readonly file: string;
  /** How many requests make a project of it now. */
  uses: number;
  isOld: boolean;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** `heldBytes`: bytes of all uploads together; `heldFor`: the time for which an upload waits to become a project, in milliseconds. */
export function createUploads(store: Store, { heldBytes, heldFor }: { readonly heldBytes: number; readonly heldFor: number }) {
  const waiting = new Map<string, Upload>();
  /** Bytes of uploads that wait and of those that are arriving. */
  let total = 0;

  const remove = async (upload: Upload): Promise<void> => {
    if (!waiting.delete(upload.id)) return;
    clearTimeout(upload.timer);
    total -= upload.bytes;
    await store.release(upload.sha256);
  };
  const expire = async (id: string): Promise<void> => {
    const upload = waiting.get(id);
    if (!upload) return;
    upload.isOld = true;
    if (upload.uses === 0) await remove(upload);
  };
  /** The oldest uploads make room. */
  const makeRoom = async (): Promise<void> => {
    for (const upload of waiting.values()) {
      if (total <= heldBytes) return;
      if (upload.uses === 0) await remove(upload);
    }
    if (total > heldBytes)
      throw new ReplyError(413, {
        code: "too-large",
        message: `The studio takes files of ${(heldBytes / 2 ** 20).toLocaleString("en")} MB at once, all together.`,
        remedy: "Send this file again when others have arrived, or send a smaller one.",
      });
  };

  return {
    async add(file: string, chunks: Chunks): Promise<Upload> {
      let arrived = 0;
      async function* counted(): AsyncGenerator<Uint8Array, void, void> {
        for await (const chunk of chunks) {
          arrived += chunk.length;
          total += chunk.length;
          if (total > heldBytes) await makeRoom();
          yield chunk;
        }
      }
      let held: HeldBytes;
      try {
        held = await store.hold(counted());
      } catch (error) {
        total -= arrived;
        throw error;
      }
      const id = crypto.randomUUID();
      const timer = setTimeout(() => void expire(id).catch(() => undefined), heldFor);
      // The timer keeps no process alive.
      (timer as { unref?: () => void }).unref?.();
      const upload: Upload = { ...held, id, file, uses: 0, isOld: false, timer };
      waiting.set(id, upload);
      return upload;
    },
    /** Does something with an upload, which stays until that is done; null for an upload that is not there. */
    async use<T>(id: string, work: (upload: Upload) => Promise<T>): Promise<T | null> {
      const upload = waiting.get(id);
      if (!upload) return null;
      upload.uses++;
      try {
        return await work(upload);
      } finally {
        upload.uses--;
        if (upload.isOld && upload.uses === 0) await remove(upload);
      }
    },
    /** Lets go of an upload at once. */
    async remove(id: string): Promise<void> {
      const upload = waiting.get(id);
      if (upload && upload.uses === 0) await remove(upload);
    },
    async close(): Promise<void> {
      for (const upload of waiting.values()) await remove(upload);
    },
  };
}
