/**
 * Downloads a sample set into the cache: fetch, unpack, normalise, compare the SHA-256, then rename into place. Whatever goes
 * wrong leaves nothing behind.
 */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, inflateRawSync } from "node:zlib";
import { badInput, CoterieError } from "@coterie/core/internal";
import { dropPart, newPart, removeStaleParts } from "../writing/parts.js";
import { knownSample, type SampleFacts } from "./catalogue.js";
import { type DownloadOptions, defaultSizeLimit, diskProblem, download } from "./download.js";
import { type FoundSample, keep, lookForSample, sha256, untriedNotice } from "./find.js";
import { normaliseSample } from "./normalise.js";
import { type Places, placesOf } from "./places.js";
import { listedHosts, type Source, sourcesOf } from "./sources.js";

const endOfDirectory = 0x06054b50;

const directoryEntry = 0x02014b50;

const localEntry = 0x04034b50;

/** The end record is 22 bytes, followed by a comment of at most 65,535. */
const endRecord = 22;

export interface GetOptions extends DownloadOptions, Partial<Places> {
  /** Places to download from instead of the catalogue's. */
  readonly sources?: readonly Source[];
}

export interface GotSample extends FoundSample {
  /** False where the set was here already. */
  readonly downloaded: boolean;
}

/** The set's file, downloaded if it is not here. */
export async function getSample(name: string, options: GetOptions = {}): Promise<GotSample> {
  const places = placesOf(options);
  const found = await lookForSample(name, places);
  if (found) return { ...found, downloaded: false };
  const facts = knownSample(name);
  if (facts.derived) {
    await getSample(facts.derived.from, options);
    const made = await lookForSample(name, places);
    return { ...made!, downloaded: true };
  }
  const sources = options.sources ?? sourcesOf(name);
  if (sources.length === 0) {
    throw badInput(`No public download of the sample set "${name}" is known.`, {
      remedy: `Put ${facts.file} into the directory that COTERIE_DATA names.`,
    });
  }
  await mkdir(places.cacheDir, { recursive: true }).catch(diskProblem(places.cacheDir));
  removeStaleParts(places.cacheDir);
  const used = await firstThatWorks(facts, sources, places.cacheDir, options);
  const notices = used.verified ? [] : [untriedNotice(name)];
  return { name, path: join(places.cacheDir, facts.file), place: "cache", facts, notices, downloaded: true };
}

/** Tries the places in turn; when all fail, one sentence names each with its reason. */
async function firstThatWorks(
  facts: SampleFacts,
  sources: readonly Source[],
  cacheDir: string,
  options: GetOptions,
): Promise<Source> {
  const failures: CoterieError[] = [];
  for (const source of sources) {
    try {
      await fetchInto(facts, source, cacheDir, options);
      return source;
    } catch (error) {
      if (!(error instanceof CoterieError)) throw error;
      failures.push(error);
    }
  }
  const reasons = failures.map(({ message }) => message).join(" ");
  const untried = sources.some(({ verified }) => !verified) ? " Some addresses have not been tried and may have moved." : "";
  throw badInput(`The sample set "${facts.name}" could not be downloaded. ${reasons}`, {
    remedy: `Nothing was kept.${untried} You can also put ${facts.file} into the directory that COTERIE_DATA names.`,
  });
}

async function fetchInto(facts: SampleFacts, source: Source, cacheDir: string, options: GetOptions): Promise<void> {
  const limit = options.sizeLimit ?? defaultSizeLimit;
  const parts = new Map<string, string>();
  const hosts = [...source.files.map(({ url }) => new URL(url).host), ...listedHosts];
  try {
    for (const { url } of source.files) {
      if (parts.has(url)) continue;
      const part = newPart(join(cacheDir, facts.name));
      parts.set(url, part);
      await download(url, part, hosts, options);
    }
    const raw = [];
    for (const { url, entry, lead } of source.files) {
      const bytes = unpack(await readFile(parts.get(url)!), url, entry, limit);
      const name = entry === undefined ? url : `${url}, ${entry}`;
      raw.push({ name, text: new TextDecoder("latin1").decode(bytes), ...(lead === undefined ? {} : { lead }) });
    }
    const text = normaliseSample(raw, source.layout);
    const hash = sha256(text);
    if (hash !== facts.sha256) {
      throw badInput(`The content is not that of the catalogue: its SHA-256 is ${hash}, not ${facts.sha256}.`, {
        file: source.files[0]!.url,
        remedy: "The file may have changed or moved.",
      });
    }
    options.signal?.throwIfAborted();
    await keep(join(cacheDir, facts.file), text, options.write);
  } finally {
    for (const part of parts.values()) dropPart(part);
  }
}

/*
 * The bytes of one file out of what was downloaded: a plain file, a gzip file, or an entry of a zip archive.
 *
 * The zip reader knows what public archives use: stored and deflated entries, found through the central directory. Checksums are
 * left to the SHA-256 of the normalised content. Every output is bounded, so that a small archive cannot fill the memory.
 */

/** The bytes of `entry` in a zip archive, or of the whole file, unzipped where it is gzip. */
export function unpack(bytes: Uint8Array, name: string, entry: string | undefined, limit: number): Uint8Array {
  if (entry !== undefined) return zipEntry(bytes, name, entry, limit);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return bounded(name, limit, () => gunzipSync(bytes, { maxOutputLength: limit }));
}

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
