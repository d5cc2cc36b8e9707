/**
 * Helpers for bytes that go into a store: streams of chunks, SHA-256, and holds. A hold keeps bytes in memory until a project uses them.
 */
import type { HeldBytes } from "./store.js";

export type Chunks = AsyncIterable<Uint8Array>;

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

export async function gathered(chunks: Chunks): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export async function hashOf(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export type Holds = ReturnType<typeof createHolds>;

/** Makes holds for a store in memory or in a browser. Held bytes stay in memory until they are released. */
export function createHolds() {
  const held = new Map<string, { readonly bytes: Uint8Array; count: number }>();
  return {
    async hold(chunks: Chunks): Promise<HeldBytes> {
      const bytes = await gathered(chunks);
      const sha256 = await hashOf(bytes);
      const known = held.get(sha256);
      if (known) known.count++;
      else held.set(sha256, { bytes, count: 1 });
      return { sha256, bytes: bytes.length };
    },
    release(sha256: string): void {
      const known = held.get(sha256);
      if (known && --known.count === 0) held.delete(sha256);
    },
    bytes: (sha256: string): Uint8Array | undefined => held.get(sha256)?.bytes,
  };
}
