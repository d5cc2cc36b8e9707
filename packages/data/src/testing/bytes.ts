import { CoterieError } from "@coterie/core/internal";

/** A text or bytes as a source, in pieces of `size` bytes. Each piece is overwritten after use, to imitate a reused buffer. */
export async function* bytesOf(
  content: string | Uint8Array,
  size = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array, void, void> {
  const all = typeof content === "string" ? new TextEncoder().encode(content) : content;
  for (let p = 0; p < all.length; p += size) {
    const piece = all.slice(p, p + size);
    yield piece;
    piece.fill(0xff);
  }
}

/** The message of the CoterieError that a promise or function throws; fails for any other result. */
export async function sentenceOf(work: Promise<unknown> | (() => unknown)): Promise<string> {
  try {
    const value = await (typeof work === "function" ? work() : work);
    return `no error, but ${JSON.stringify(value)?.slice(0, 200)}`;
  } catch (error) {
    if (!(error instanceof CoterieError)) throw error;
    return error.message;
  }
}

export function utf16(text: string, little: boolean, mark: boolean): Uint8Array {
  const units = [...(mark ? "\ufeff" : ""), ...text].join("");
  const bytes = new Uint8Array(2 * units.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < units.length; i++) view.setUint16(2 * i, units.charCodeAt(i), little);
  return bytes;
}
