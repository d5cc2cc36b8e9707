/**
 * Images that lie beside the data and are named in a cell. An address holds a key that only this server can make, so that an image
 * needs no header; nothing outside the data's folder is ever read.
 */
import { createHmac } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, resolve, sep } from "node:path";
import type { RowReply } from "@coterie/workbench/protocol";
import { isSame } from "./gate.js";

const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
};
const MOST_BYTES = 50 * 2 ** 20;

export interface Image {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** The file that a cell names, if it is an image inside the folder. */
async function imagePath(folder: string, cell: string): Promise<{ readonly path: string; readonly type: string } | null> {
  const type = TYPES[/\.([a-z]{3,4})$/i.exec(cell)?.[1]?.toLowerCase() ?? ""];
  if (type === undefined || cell.length > 1_000 || cell.includes("\0") || isAbsolute(cell)) return null;
  try {
    const home = await realpath(folder);
    // Links are followed before it is judged where the file lies.
    const path = await realpath(resolve(home, cell));
    if (!path.startsWith(home.endsWith(sep) ? home : home + sep)) return null;
    const about = await stat(path);
    return about.isFile() && about.size <= MOST_BYTES ? { path, type } : null;
  } catch {
    return null;
  }
}

export async function readImage(folder: string, cell: string): Promise<Image | null> {
  const found = await imagePath(folder, cell);
  return found ? { bytes: Uint8Array.from(await readFile(found.path)), type: found.type } : null;
}

export function imageKey(token: string, project: string, row: number, column: number): string {
  return createHmac("sha256", token)
    .update(JSON.stringify([project, row, column]))
    .digest("base64url");
}

export function isImageKey(key: string, token: string, project: string, row: number, column: number): boolean {
  return isSame(key, imageKey(token, project, row, column));
}

/** Rows with the addresses of their images. */
export async function withImages(
  rows: readonly RowReply[],
  columns: readonly string[],
  folder: string,
  address: (row: number, column: number) => string,
): Promise<RowReply[]> {
  return await Promise.all(
    rows.map(async (row) => {
      const images: Record<string, string> = {};
      for (const [column, cell] of row.cells.entries())
        if (typeof cell === "string" && (await imagePath(folder, cell))) images[columns[column]!] = address(row.row, column);
      return Object.keys(images).length > 0 ? { ...row, images } : row;
    }),
  );
}
