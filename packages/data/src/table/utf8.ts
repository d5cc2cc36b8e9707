/**
 * The first step of every text reader: provides the bytes as UTF-8. It removes a byte-order mark, converts UTF-16, reports progress, and
 * stops when a signal aborts. It hashes the original bytes, unless the caller can hash them later.
 */
import { badInput } from "@coterie/core/internal";
import { createSha256 } from "./sha256.js";
import type { Chunks, ReadOptions } from "./table.js";

export interface TextBytes {
  readonly chunks: AsyncGenerator<Uint8Array, void, void>;
  readonly notices: string[];
  /** Returns the SHA-256 of the original bytes. It can be called after the last piece was read. */
  contentHash(): Promise<string>;
}

/** Opens `chunks` as UTF-8 text. */
export function textBytes(chunks: Chunks, options: ReadOptions): TextBytes {
  const notices: string[] = [];
  const watched = watchedBytes(chunks, options);
  return { chunks: decoded(watched.chunks, options.file, notices), notices, contentHash: watched.contentHash };
}

/** Options for reading a file whose hash is not needed. */
export const unhashed: Pick<ReadOptions, "contentHash"> = {
  contentHash: () => Promise.reject(new Error("The file was not hashed.")),
};

export function watchedBytes(chunks: Chunks, options: ReadOptions): Pick<TextBytes, "chunks" | "contentHash"> {
  const hasher = options.contentHash ? null : (options.hasher ?? createSha256());
  let digest: string | undefined;
  async function* watch(): AsyncGenerator<Uint8Array, void, void> {
    let done = 0;
    for await (const chunk of chunks) {
      options.signal?.throwIfAborted();
      hasher?.update(chunk);
      done += chunk.length;
      options.onProgress?.(done, options.bytesTotal ?? null);
      if (chunk.length > 0) yield chunk;
    }
  }
  const hashed = async () => {
    digest ??= hasher!.digest();
    return digest;
  };
  return { chunks: watch(), contentHash: options.contentHash ?? hashed };
}

export async function allBytes(chunks: Chunks): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk.slice());
  return joined(pieces);
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

async function* decoded(chunks: Chunks, file: string, notices: string[]): AsyncGenerator<Uint8Array, void, void> {
  let head: Uint8Array | null = new Uint8Array(0);
  let transcode: ((bytes: Uint8Array, last: boolean) => Uint8Array) | null = null;
  for await (const chunk of chunks) {
    let bytes = chunk;
    if (head) {
      // Four bytes are enough to detect the encoding: by a byte-order mark, or by the positions of zero bytes beside ASCII characters.
      bytes = head.length > 0 ? joined([head, chunk]) : chunk;
      if (bytes.length < 4) {
        head = bytes.slice();
        continue;
      }
      head = null;
      const start = begin(bytes, file, notices);
      transcode = start.transcode;
      bytes = bytes.subarray(start.skip);
    }
    yield transcode ? transcode(bytes, false) : bytes;
  }
  if (head && head.length > 0) {
    const start = begin(head, file, notices);
    transcode = start.transcode;
    const bytes = head.subarray(start.skip);
    yield transcode ? transcode(bytes, true) : bytes;
  } else if (transcode) yield transcode(new Uint8Array(0), true);
}

function begin(bytes: Uint8Array, file: string, notices: string[]) {
  const { encoding, mark } = encodingOf(bytes);
  if (encoding !== "utf-8") {
    const order = encoding === "utf-16le" ? "little-endian" : "big-endian";
    notices.push(`${file} is read as UTF-16 (${order})${mark > 0 ? ", because of its byte-order mark" : ""}.`);
    return { skip: mark, transcode: utf16ToUtf8(encoding === "utf-16le", file) };
  }
  if (mark > 0) notices.push(markNotice(file));
  return { skip: mark, transcode: null };
}

export function markNotice(file: string): string {
  return `${file} begins with a byte-order mark (UTF-8), which is skipped.`;
}

/** Detects the encoding by the first four bytes; `mark` is the length of the byte-order mark. */
export function encodingOf(bytes: Uint8Array): { readonly encoding: "utf-8" | "utf-16le" | "utf-16be"; readonly mark: number } {
  const [a = -1, b = -1, c = -1, d = -1] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: "utf-8", mark: 3 };
  if (a === 0xff && b === 0xfe) return { encoding: "utf-16le", mark: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: "utf-16be", mark: 2 };
  if (a > 0 && b === 0 && c > 0 && d === 0) return { encoding: "utf-16le", mark: 0 };
  if (a === 0 && b > 0 && c === 0 && d > 0) return { encoding: "utf-16be", mark: 0 };
  return { encoding: "utf-8", mark: 0 };
}

/**
 * Returns a function that converts pieces of UTF-16 to UTF-8. It keeps an incomplete character at the end of a piece for the next piece.
 */
function utf16ToUtf8(little: boolean, file: string): (bytes: Uint8Array, last: boolean) => Uint8Array {
  let odd = -1;
  let lead = 0;
  let line = 1;
  const broken = (what: string) =>
    badInput(`${what} at this place is not valid UTF-16.`, { file, line, remedy: "Save the file as UTF-8." });
  return (bytes, last) => {
    // Two bytes of UTF-16 become at most three bytes of UTF-8. Four bytes (a surrogate pair) become four bytes.
    const out = new Uint8Array(Math.ceil((bytes.length + 3) / 2) * 3 + 4);
    let length = 0;
    for (const byte of bytes) {
      if (odd < 0) {
        odd = byte;
        continue;
      }
      const unit = little ? odd | (byte << 8) : (odd << 8) | byte;
      odd = -1;
      if (unit === 10) line++;
      if (lead !== 0) {
        if (unit < 0xdc00 || unit > 0xdfff) throw broken("The character");
        length = put(out, length, 0x10000 + ((lead - 0xd800) << 10) + (unit - 0xdc00));
        lead = 0;
      } else if (unit >= 0xd800 && unit <= 0xdbff) lead = unit;
      else if (unit >= 0xdc00 && unit <= 0xdfff) throw broken("The character");
      else length = put(out, length, unit);
    }
    if (last && (odd >= 0 || lead !== 0)) throw broken("The end");
    return out.subarray(0, length);
  };
}

function put(out: Uint8Array, at: number, point: number): number {
  if (point < 0x80) {
    out[at] = point;
    return at + 1;
  }
  const continuations = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  const prefix = [0, 0xc0, 0xe0, 0xf0][continuations]!;
  out[at] = prefix | (point >> (6 * continuations));
  for (let i = 1; i <= continuations; i++) out[at + i] = 0x80 | ((point >> (6 * (continuations - i))) & 0x3f);
  return at + continuations + 1;
}
