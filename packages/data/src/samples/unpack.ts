/**
 * The bytes of one file out of what was downloaded: a plain file, a gzip file, or an entry of a zip archive.
 *
 * The zip reader knows what public archives use: stored and deflated entries, found through the central directory. Checksums are
 * left to the SHA-256 of the normalised content. Every output is bounded, so that a small archive cannot fill the memory.
 */
import { gunzipSync, inflateRawSync } from "node:zlib";
import { badInput } from "@coterie/core/internal";

/** The bytes of `entry` in a zip archive, or of the whole file, unzipped where it is gzip. */
export function unpack(bytes: Uint8Array, name: string, entry: string | undefined, limit: number): Uint8Array {
  if (entry !== undefined) return zipEntry(bytes, name, entry, limit);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return bounded(name, limit, () => gunzipSync(bytes, { maxOutputLength: limit }));
}

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;
const localEntry = 0x04034b50;
/** The end record is 22 bytes, followed by a comment of at most 65,535. */
const endRecord = 22;

function zipEntry(bytes: Uint8Array, name: string, entry: string, limit: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const found = findEntry(view, bytes, entry);
    if (!found) throw badInput(`The archive has no file "${entry}".`, { file: name });
    const { method, compressedSize, offset, encrypted } = found;
    if (encrypted || (method !== 0 && method !== 8)) {
      throw badInput(`The file "${entry}" of the archive is packed in a way that is not supported.`, { file: name });
    }
    if (view.getUint32(offset, true) !== localEntry) throw new RangeError("no local header");
    const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
    if (start + compressedSize > bytes.length) throw new RangeError("entry beyond the end");
    const packed = bytes.subarray(start, start + compressedSize);
    return method === 0 ? packed : bounded(name, limit, () => inflateRawSync(packed, { maxOutputLength: limit }));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw badInput("This is not a complete zip archive.", { file: name });
  }
}

interface ZipEntry {
  readonly method: number;
  readonly compressedSize: number;
  readonly offset: number;
  readonly encrypted: boolean;
}

/** The entry with this name, in any folder of the archive. Reads beyond the end throw RangeError. */
function findEntry(view: DataView, bytes: Uint8Array, wanted: string): ZipEntry | undefined {
  let end = view.byteLength - endRecord;
  const lowest = Math.max(0, end - 0xffff);
  while (end >= lowest && view.getUint32(end, true) !== endOfDirectory) end--;
  if (end < lowest) throw new RangeError("no end record");
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  for (let i = 0; i < count; i++) {
    if (view.getUint32(at, true) !== directoryEntry) throw new RangeError("no directory entry");
    const nameLength = view.getUint16(at + 28, true);
    const path = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    if (path === wanted || path.endsWith(`/${wanted}`)) {
      return {
        method: view.getUint16(at + 10, true),
        compressedSize: view.getUint32(at + 20, true),
        offset: view.getUint32(at + 42, true),
        encrypted: (view.getUint16(at + 8, true) & 1) === 1,
      };
    }
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return undefined;
}

function bounded(name: string, limit: number, inflate: () => Uint8Array): Uint8Array {
  try {
    return inflate();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      throw badInput(`Unpacked, it is larger than the limit of ${limit} bytes.`, { file: name });
    }
    throw badInput("The packed content is damaged.", { file: name });
  }
}
