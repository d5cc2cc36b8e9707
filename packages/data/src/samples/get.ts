/**
 * Downloads a sample set into the cache: fetch, unpack, normalise, compare the SHA-256, then rename into place. Whatever goes
 * wrong leaves nothing behind.
 */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { badInput, CoterieError } from "@coterie/core/internal";
import { dropPart, newPart, removeStaleParts } from "../writing/parts.js";
import { knownSample, type SampleFacts } from "./catalogue.js";
import { type DownloadOptions, defaultSizeLimit, diskProblem, download } from "./download.js";
import { type FoundSample, keep, lookForSample, sha256, untriedNotice } from "./find.js";
import { normaliseSample } from "./normalise.js";
import { type Places, placesOf } from "./places.js";
import { listedHosts, type Source, sourcesOf } from "./sources.js";
import { unpack } from "./unpack.js";

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
