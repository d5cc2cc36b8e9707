/** Detects the format of a file and reads formats that are streams of bytes: all but Parquet and Arrow. Runs in browsers. */
import { badInput } from "@coterie/core/internal";
import { readCsv } from "../csv/csv.js";
import type { RowReader } from "../csv/csv-kernel.js";
import type { Chunks, ReadOptions, Table } from "../table/table.js";
import { readArff } from "./arff.js";
import { readJsonLines } from "./jsonl.js";
import { isNpy, readNpy } from "./npy.js";

export type Format = "csv" | "tsv" | "jsonl" | "arff" | "npy" | "parquet" | "arrow";

const byExtension: Readonly<Record<string, Format>> = {
  csv: "csv",
  txt: "csv",
  data: "csv",
  tsv: "tsv",
  tab: "tsv",
  jsonl: "jsonl",
  ndjson: "jsonl",
  arff: "arff",
  npy: "npy",
  parquet: "parquet",
  pq: "parquet",
  arrow: "arrow",
  feather: "arrow",
  ipc: "arrow",
};

export const HEAD = 512;

/** Detects the format of a file: by the magic bytes of binary formats, then by the extension, then by the beginning of the text. */
export function formatOf(file: string, head: Uint8Array): Format {
  const ascii = new TextDecoder("latin1").decode(head);
  if (isNpy(head)) return "npy";
  if (ascii.startsWith("PAR1")) return "parquet";
  if (ascii.startsWith("ARROW1")) return "arrow";
  const extension = /\.([a-z0-9]+)$/i.exec(file)?.[1]?.toLowerCase();
  const named = extension === undefined ? undefined : byExtension[extension];
  if (named) return named;
  if (/^\s*\{/.test(ascii)) return "jsonl";
  return /^(?:\s|%.*(?:\r?\n|$))*@relation\b/i.test(ascii) ? "arff" : "csv";
}

/** Reads a table from a stream of bytes. reader: the fast path for CSV; if it is absent, a new one is made. */
export function readStream(format: Format, chunks: Chunks, options: ReadOptions, reader?: RowReader): Promise<Table> {
  const rules = reader ? { reader } : {};
  switch (format) {
    case "csv":
      return readCsv(chunks, options, rules);
    case "tsv":
      return readCsv(chunks, options, { ...rules, expectedDelimiter: "\t" });
    case "jsonl":
      return readJsonLines(chunks, options);
    case "arff":
      return readArff(chunks, options);
    case "npy":
      return readNpy(chunks, options);
    case "parquet":
    case "arrow":
      throw badInput(`${format === "parquet" ? "Parquet" : "Arrow IPC"} cannot be read from a stream here.`, {
        file: options.file,
        remedy: "Read it as a file with the command line, or save the table as CSV.",
      });
  }
}

/** Reads the first bytes of a source, at least `wanted` if it has them, and returns a stream of the whole source. */
export async function peek(chunks: Chunks, wanted: number): Promise<{ readonly head: Uint8Array; readonly chunks: Chunks }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head = new Uint8Array(0);
  let last: Uint8Array | undefined;
  let ended = false;
  while (head.length + (last?.length ?? 0) < wanted) {
    // A piece is only valid until the next request, so earlier pieces must be copied. The last piece needs no copy.
    if (last) head = joined(head, last);
    last = undefined;
    const { done, value } = await iterator.next();
    ended = done === true;
    if (done) break;
    last = value;
  }
  const rest = last ?? new Uint8Array(0);
  const begun = head;
  async function* whole(): AsyncGenerator<Uint8Array, void, void> {
    try {
      if (begun.length > 0) yield begun;
      if (rest.length > 0) yield rest;
      while (!ended) {
        const { done, value } = await iterator.next();
        ended = done === true;
        if (!done) yield value;
      }
    } finally {
      if (!ended) await iterator.return?.();
    }
  }
  return { head: joined(begun, rest.subarray(0, Math.max(0, wanted - begun.length))), chunks: whole() };
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
