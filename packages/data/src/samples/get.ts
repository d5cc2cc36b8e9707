/**
 * Downloads a sample set into the cache: fetches its files, normalises them, compares the SHA-256, then renames the result to its final
 * name. A failure leaves no files. A result with another SHA-256 is never used.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { badInput, CoterieError } from "@coterie/core/internal";
import { removeStaleParts, type Write } from "../writing/parts.js";
import { knownSample, type SampleDownload } from "./catalogue.js";
import { diskProblem, type FoundSample, keep, lookForSample, sha256 } from "./find.js";
import { normaliseSample, type RawFile } from "./normalise.js";
import { type Places, placesOf } from "./places.js";

export interface GetOptions extends Partial<Places> {
  readonly signal?: AbortSignal;
  /** Called as bytes arrive; the total is null if the server does not report it. */
  readonly onProgress?: (progress: { readonly url: string; readonly bytes: number; readonly total: number | null }) => void;
  /** Files to download instead of the files in the catalogue; null: download nothing. */
  readonly download?: SampleDownload | null;
  readonly write?: Write;
  /** Largest size of a downloaded file, in bytes. Default 50,000,000. */
  readonly sizeLimit?: number;
  /** The download fails if no data arrive for this time, in milliseconds. Default 30,000. */
  readonly silence?: number;
  /** The download fails if one file takes longer than this time, in milliseconds. Default 600,000. */
  readonly longest?: number;
}

export interface GotSample extends FoundSample {
  readonly downloaded: boolean;
}

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
  const byHand = `put ${facts.file} into the directory that COTERIE_DATA names.`;
  const download = options.download === undefined ? facts.download : options.download;
  if (!download) throw badInput(`No public download of the sample set "${name}" is known.`, { remedy: `P${byHand.slice(1)}` });
  await mkdir(places.cacheDir, { recursive: true }).catch(diskProblem(places.cacheDir));
  removeStaleParts(places.cacheDir);
  const path = join(places.cacheDir, facts.file);
  try {
    const raw: RawFile[] = [];
    for (const { url, ...lead } of download.files) raw.push({ name: url, text: await fetchText(url, options), ...lead });
    const text = normaliseSample(raw, download.layout);
    const hash = sha256(text);
    if (hash !== facts.sha256)
      throw badInput(`The content differs from the catalogue: its SHA-256 is ${hash}, not ${facts.sha256}.`, {
        file: download.files[0]!.url,
        remedy: "The file has perhaps changed or moved.",
      });
    options.signal?.throwIfAborted();
    await keep(path, text, options.write);
  } catch (error) {
    if (!(error instanceof CoterieError)) throw error;
    throw badInput(`The sample set "${name}" could not be downloaded. ${error.message}`, {
      remedy: `Nothing was saved. You can also ${byHand}`,
    });
  }
  return { name, path, place: "cache", facts, notices: [], downloaded: true };
}

async function fetchText(
  url: string,
  { signal, onProgress, sizeLimit = 50_000_000, silence = 30_000, longest = 600_000 }: GetOptions,
): Promise<string> {
  const limits = new AbortController();
  const after = (milliseconds: number, sentence: string) =>
    setTimeout(() => limits.abort(badInput(sentence, { file: url, remedy: tryAgain })), milliseconds);
  const waitForBytes = () => after(silence, `Nothing arrived for ${silence / 1000} seconds.`);
  const whole = after(longest, `The download took longer than ${longest / 1000} seconds.`);
  let quiet = waitForBytes();
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([limits.signal, ...(signal ? [signal] : [])]),
      headers: { "accept-encoding": "identity" },
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw badInput(`The server answered ${response.status} ${response.statusText}.`, {
        file: url,
        remedy: response.status >= 500 ? "Try again later." : "The file has perhaps moved.",
      });
    }
    const total = Number(response.headers.get("content-length")) || null;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    onProgress?.({ url, bytes, total });
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      clearTimeout(quiet);
      quiet = waitForBytes();
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > sizeLimit) throw badInput(`The file is larger than the limit of ${sizeLimit} bytes.`, { file: url });
      onProgress?.({ url, bytes, total });
    }
    return Buffer.concat(chunks).toString("latin1");
  } catch (error) {
    signal?.throwIfAborted();
    limits.signal.throwIfAborted();
    if (error instanceof CoterieError) throw error;
    const { code, message } = ((error as { cause?: unknown }).cause ?? error) as { code?: string; message?: string };
    throw badInput(`The download broke off or did not begin (${code ?? message}).`, { file: url, remedy: tryAgain });
  } finally {
    clearTimeout(whole);
    clearTimeout(quiet);
  }
}

const tryAgain = "Check the connection and try again.";
