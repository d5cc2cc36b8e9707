/**
 * An example that a link opens, as a documentation page has them: `#/open?sample=penguins&k=3`, or
 * `#/open?table=/data/a.csv&constraints=/data/known.csv&algorithm=ccl`. `dropped=1` takes the files that another page of the same origin put
 * into the browser's storage. Files of other origins are refused.
 */
import type { ReadingChange } from "@coterie/workbench/protocol";

export interface ExampleLink {
  readonly title: string;
  readonly sample: string | null;
  /** The table first, then constraints. */
  readonly files: (signal: AbortSignal) => Promise<readonly File[]>;
  readonly reading: ReadingChange;
  readonly k: number | null;
  readonly algorithm: string | null;
}

const PATH = /^#\/open\?/;
const DROPPED = "coterie-dropped";

export function parseExampleLink(hash: string): ExampleLink | null {
  if (!PATH.test(hash)) return null;
  const query = new URLSearchParams(hash.replace(PATH, ""));
  const k = Number(query.get("k") ?? Number.NaN);
  const sample = query.get("sample");
  const addresses = ["table", "constraints"].flatMap((key) => query.get(key) ?? []);
  const title = query.get("name") ?? sample ?? addresses[0]?.split("/").at(-1) ?? "a table";
  return {
    title,
    sample,
    files: query.has("dropped") ? droppedFiles : (signal) => Promise.all(addresses.map((address) => fetched(address, signal))),
    reading: readingOf(query),
    k: Number.isInteger(k) && k > 0 ? k : null,
    algorithm: query.get("algorithm"),
  };
}

/** `id`, `truth`, `ignore=A,B` and `text=A,B`, the columns that are compared as texts. */
function readingOf(query: URLSearchParams): ReadingChange {
  const [id, truth, ignore, text] = ["id", "truth", "ignore", "text"].map((key) => query.get(key));
  return {
    ...(id ? { id } : {}),
    ...(truth ? { truth } : {}),
    ...(ignore ? { ignore: ignore.split(",") } : {}),
    ...(text ? { types: Object.fromEntries(text.split(",").map((column) => [column, "text" as const])) } : {}),
  };
}

async function fetched(address: string, signal: AbortSignal): Promise<File> {
  const url = new URL(address, location.href);
  if (url.origin !== location.origin)
    throw new Error(`The link names a file of ${url.origin}; only files of this site are opened.`);
  const reply = await fetch(url, { signal });
  const name = decodeURIComponent(url.pathname.split("/").at(-1) ?? "table.csv");
  if (!reply.ok) throw new Error(`The link names the file ${name}, which this site does not have.`);
  return new File([await reply.arrayBuffer()], name);
}

/** The files that were dropped on another page of this site. Each is read once. */
async function droppedFiles(): Promise<readonly File[]> {
  const database = await settled(indexedDB.open(DROPPED, 1), (request) =>
    request.result.createObjectStore("files", { autoIncrement: true }),
  );
  try {
    const store = database.transaction("files", "readwrite").objectStore("files");
    const files = (await settled(store.getAll())) as File[];
    await settled(store.clear());
    if (files.length === 0) throw new Error("The file that was dropped is no longer here. Drop it again.");
    return files;
  } finally {
    database.close();
  }
}

function settled<Result>(request: IDBRequest<Result>, upgrade?: (request: IDBOpenDBRequest) => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (upgrade) (request as unknown as IDBOpenDBRequest).onupgradeneeded = () => upgrade(request as unknown as IDBOpenDBRequest);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
