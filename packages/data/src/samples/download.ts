/**
 * One file over HTTP into a file on disk: with progress, limits on time, pace and size, and a sentence for each way it can fail.
 *
 * Redirects are followed by hand, so that they lead to listed hosts only, and from https never to http.
 */
import { open } from "node:fs/promises";
import { badInput, CoterieError } from "@coterie/core/internal";
import { listed, quoted, withEnd } from "../table/sentences.js";
import { type Write, writeAll } from "../writing/parts.js";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
export type { Write };

export interface DownloadOptions extends Limits {
  readonly signal?: AbortSignal;
  /** Called as bytes arrive; the total is null where the server does not say it. */
  readonly onProgress?: (progress: { readonly url: string; readonly bytes: number; readonly total: number | null }) => void;
  readonly fetch?: Fetch;
  readonly write?: Write;
  /** Largest download in bytes, and largest unpacked file; 200 MB. */
  readonly sizeLimit?: number;
}

export const defaultSizeLimit = 200_000_000;
const mostRedirects = 10;

const tryAgain = "Check the connection and try again.";

/**
 * Writes what `url` delivers to `path`, which must not exist. The caller removes the file after a failure. Redirects may lead to
 * `hosts`, with their ports, and to the host of the address itself.
 */
export async function download(url: string, path: string, hosts: readonly string[], options: DownloadOptions): Promise<void> {
  const { signal } = options;
  signal?.throwIfAborted();
  const patience = startPatience(options);
  const stop = signal ? AbortSignal.any([signal, patience.signal]) : patience.signal;
  try {
    const response = await follow(url, hosts, stop, options.fetch ?? fetch);
    await save(response, url, path, patience, options);
    stop.throwIfAborted();
  } catch (error) {
    signal?.throwIfAborted();
    const reason = patience.reason();
    if (reason !== undefined) throw badInput(reason, { file: url, remedy: tryAgain });
    if (error instanceof CoterieError) throw error;
    throw networkProblem(error, url);
  } finally {
    patience.stop();
  }
}

/** Throws for an address that must not be asked: the first one is given by the catalogue, the others by whoever answers. */
function checkAddress(address: string, url: string, hosts: readonly string[]): void {
  const [{ protocol, host }, first] = [new URL(address), new URL(url)];
  if (protocol !== "http:" && protocol !== "https:")
    throw badInput(`It leads to ${quoted(address)}, which is neither http nor https.`, { file: url });
  if (host !== first.host && !hosts.includes(host)) {
    throw badInput(
      `It leads to ${quoted(address)}, and ${host} is none of the listed hosts (${listed([...new Set([first.host, ...hosts])])}).`,
      {
        file: url,
        remedy: "The file may have moved: get it by hand.",
      },
    );
  }
  if (first.protocol === "https:" && protocol === "http:")
    throw badInput(`It leads from https to ${quoted(address)}, where anybody on the way could change it.`, { file: url });
}

async function follow(url: string, hosts: readonly string[], signal: AbortSignal, fetchOnce: Fetch): Promise<Response> {
  let address = url;
  for (let hops = 0; hops <= mostRedirects; hops++) {
    checkAddress(address, url, hosts);
    const response = await fetchOnce(address, { signal, redirect: "manual", headers: { "accept-encoding": "identity" } });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) {
      if (response.ok) return response;
      await response.body?.cancel();
      throw badInput(`The server answered ${response.status} ${withEnd(response.statusText)}`.trimEnd().concat("."), {
        file: url,
        remedy: response.status >= 500 ? "Try again later." : "The file may have moved.",
      });
    }
    await response.body?.cancel();
    if (!URL.canParse(location, address)) throw badInput(`It leads to ${quoted(location)}, which is no address.`, { file: url });
    address = new URL(location, address).href;
  }
  throw badInput(`It redirects more than ${mostRedirects} times.`, { file: url });
}

async function save(response: Response, url: string, path: string, { heard }: Patience, options: DownloadOptions): Promise<void> {
  const { onProgress, sizeLimit = defaultSizeLimit, write = writeAll } = options;
  const length = response.headers.get("content-encoding") === null ? response.headers.get("content-length") : null;
  const total = length !== null && /^\d+$/.test(length) ? Number(length) : null;
  const tooLarge = () => badInput(`It is larger than the limit of ${sizeLimit} bytes.`, { file: url });
  if (total !== null && total > sizeLimit) {
    await response.body?.cancel();
    throw tooLarge();
  }
  let bytes = 0;
  const file = await open(path, "wx").catch(diskProblem(path));
  try {
    onProgress?.({ url, bytes, total });
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      heard(chunk.length);
      bytes += chunk.length;
      if (bytes > sizeLimit) throw tooLarge();
      await write(file, chunk).catch(diskProblem(path));
      onProgress?.({ url, bytes, total });
    }
  } finally {
    await file.close();
  }
  if (total !== null && bytes < total)
    throw badInput(`Only ${bytes} of ${total} bytes arrived.`, { file: url, remedy: tryAgain });
}

/** A handler for failures of the disk: says what to do about a full or a closed directory. */
export function diskProblem(path: string): (error: unknown) => never {
  return (error) => {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOSPC" || code === "EDQUOT") {
      throw badInput("The disk is full; nothing was kept.", {
        file: path,
        remedy: "Make room, or set XDG_CACHE_HOME (LOCALAPPDATA on Windows) to a directory on another disk.",
      });
    }
    throw badInput(`The file could not be written (${code ?? String(error)}); nothing was kept.`, {
      file: path,
      remedy: "Set XDG_CACHE_HOME (LOCALAPPDATA on Windows) to a directory that you may write to.",
    });
  };
}

function networkProblem(error: unknown, url: string): CoterieError {
  const cause = (error as { cause?: unknown }).cause ?? error;
  const { code, message } = cause as { code?: string; message?: string };
  const reason = code ?? message ?? String(cause);
  return badInput(`The download broke off or did not begin (${reason}).`, { file: url, remedy: tryAgain });
}

/* How long a download may take: a limit on silence, on slowness and on the whole. */

interface Limits {
  /** Milliseconds without a byte after which it is given up; 30,000. */
  readonly silence?: number;
  /** Bytes a second below which it is given up, on the mean of a window; 1,000. */
  readonly leastRate?: number;
  /** Milliseconds of that window; 20,000. */
  readonly rateWindow?: number;
  /** Milliseconds for the whole of it; 600,000. */
  readonly longest?: number;
}

interface Patience {
  /** Raised when a limit is reached. */
  readonly signal: AbortSignal;
  /** Tells of bytes that have come; none are told when only a header came. */
  heard(bytes: number): void;
  /** Why it was given up, as a sentence; undefined if it was not. */
  reason(): string | undefined;
  /** Ends the waiting. */
  stop(): void;
}

function startPatience({ silence = 30_000, leastRate = 1000, rateWindow = 20_000, longest = 600_000 }: Limits): Patience {
  const over = new AbortController();
  let why: string | undefined;
  const giveUp = (sentence: string) => () => {
    why ??= sentence;
    over.abort();
  };
  const whole = setTimeout(giveUp(`It took longer than ${seconds(longest)}.`), longest);
  let quiet: NodeJS.Timeout | undefined;
  let pace: NodeJS.Timeout | undefined;
  let inWindow = 0;
  const listen = () => {
    clearTimeout(quiet);
    quiet = setTimeout(giveUp(`Nothing arrived for ${seconds(silence)}.`), silence);
  };
  const measure = () => {
    if (inWindow * 1000 < leastRate * rateWindow)
      giveUp(
        `It arrives too slowly: ${inWindow} bytes in ${seconds(rateWindow)}, and ${leastRate} bytes a second are the least.`,
      )();
    inWindow = 0;
  };
  listen();
  return {
    signal: over.signal,
    heard(bytes) {
      listen();
      inWindow += bytes;
      // Before the first byte the silence is measured, not the pace.
      if (bytes > 0) pace ??= setInterval(measure, rateWindow);
    },
    reason: () => why,
    stop() {
      clearTimeout(whole);
      clearTimeout(quiet);
      clearInterval(pace);
    },
  };
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000} seconds`;
}
