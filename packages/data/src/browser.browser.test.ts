/** The formats that the page reads by itself, in Chromium: no file system, no Node. */
import { expect, test } from "vitest";
import { type Column, readBytes } from "./browser.js";

/** Three rows (id 0 to 2, x in quarters, name a or b), packed with Zstandard. */
const PARQUET =
  "UEFSMRUAFTwVQCwVBhUAFQYVBgAAKLUv/SAevQAAeAIAAAAGAQACAAAAAAAAAAIALARkwAgVABU8FUAsFQYVABUGFQYAACi1L/0g" +
  "Hr0AAIgCAAAABgEA0D8AAAAAAADgPwEABzACFQAVKhU8LBUGFQAVBhUGAAAotS/9IBWpAAACAAAABgEBAAAAYQEAAABiAQAAAGEV" +
  "AhlMNQAYDWR1Y2tkYl9zY2hlbWEVBgAVBCUCGAJpZCUkABUKJQIYAXgAFQwlAhgEbmFtZSUAABYGGRwZPCYAHBUEGRUAGRgCaWQV" +
  "DBYGFl4WYiYIPBgIAgAAAAAAAAAYCAAAAAAAAAAAFgAoCAIAAAAAAAAAGAgAAAAAAAAAABERAAAAJgAcFQoZFQAZGAF4FQwWBhZe" +
  "FmImajwYCAAAAAAAAOA/GAgAAAAAAAAAABYAKAgAAAAAAADgPxgIAAAAAAAAAAAREQAAACYAHBUMGRUAGRgEbmFtZRUMFgYWTBZe" +
  "JswBPBgBYhgBYRYAKAFiGAFhEREAAAAWiAIWBiYIFqICACgoRHVja0RCIHZlcnNpb24gdjEuNS42IChidWlsZCAwNjljYzlmOWI1" +
  "KRk8HAAAHAAAHAAAADoBAABQQVIx";

const cells = (column: Column) =>
  column.kind === "numeric" ? [...column.values] : Array.from(column.codes, (code) => column.levels[code]);
const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
const csv = new TextEncoder().encode("id,x,name\n0,0,a\n1,0.25,b\n2,0.5,a\n");

test("Parquet, Arrow, CSV and JSON lines give the same columns", async () => {
  const { tableFromArrays, tableToIPC } = await import("apache-arrow");
  const columns = { id: [0, 1, 2], x: [0, 0.25, 0.5], name: ["a", "b", "a"] };
  const files: [string, Uint8Array][] = [
    ["t.csv", csv],
    ["t.parquet", bytesOf(PARQUET)],
    ["t.arrow", tableToIPC(tableFromArrays(columns), "file")],
    [
      "t.jsonl",
      new TextEncoder().encode(
        columns.id.map((id, i) => JSON.stringify({ id, x: columns.x[i], name: columns.name[i] })).join("\n"),
      ),
    ],
  ];
  for (const [file, bytes] of files) {
    const table = await readBytes(bytes, { file });
    expect(Object.fromEntries(table.columns.map((column) => [column.name, cells(column)])), file).toEqual(columns);
  }
});

test("the hash of a file is that of the platform", async () => {
  const table = await readBytes(csv, { file: "t.csv" });
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", csv));
  expect(await table.contentHash()).toBe(Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(""));
});
