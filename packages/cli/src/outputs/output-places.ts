/** Where the files of a line lead, links followed: none may be one that is read, and no two may be one. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { badInput } from "@coterie/core/errors";
import { keyOfFile, keyOfOpen, type Place, placeOf, sampleFiles } from "@coterie/data";
import { UsageError } from "../flags.js";

/** A file that is to be written. */
export interface Target {
  readonly path: string;
  /** Whether a side file goes with it. */
  readonly sided: boolean;
}

/** The files of a line; `-` is standard input or output. */
export interface Files {
  readonly writes: readonly Target[];
  readonly reads: readonly (string | undefined)[];
  /** Of those that are read, the ones that may be written over under the very same name. */
  readonly mends?: readonly string[];
}

export function sideOf(path: string): string {
  return `${path}.source.json`;
}

export type NamedPlace = Place & { readonly name: string };

/** The places of all files that are to be written, side files included. */
export function placesOf({ writes, reads, mends = [] }: Files): NamedPlace[] {
  const read = keysOf(reads);
  const printed = keyOfOpen(1);
  if (printed !== null && read.has(printed))
    throw new UsageError(`Standard output leads to ${read.get(printed)}, which is read here: write elsewhere.`);
  const taken = new Map<string, string>(printed === null ? [] : [[printed, "standard output"]]);
  const allowed = new Set(mends.flatMap((name) => [name, sideOf(name)]).map((name) => resolve(name)));
  return writes
    .filter(({ path }) => path !== "-")
    .flatMap(({ path, sided }) => {
      const place = fileAt(path);
      const places = sided && place.kind !== "stream" ? [place, fileAt(sideOf(path))] : [place];
      for (const each of places) {
        if (each.key === "") continue;
        if (!allowed.has(resolve(each.name))) refuseInput(each, read);
        refuseTwice(each, taken);
        taken.set(each.key, each.name);
      }
      return places;
    });
}

function fileAt(name: string): NamedPlace {
  const place = placeOf(name);
  if (place.kind === "folder") throw badInput("This is a folder.", { file: name, remedy: "Name a file." });
  return { ...place, name };
}

/** What is read, by device and inode; the side files beside it too, and what a name of a sample set stands for. */
function keysOf(reads: readonly (string | undefined)[]): Map<string, string> {
  const keys = new Map<string, string>();
  for (const name of reads) {
    if (name === undefined) continue;
    if (name === "-") {
      const key = keyOfOpen(0);
      if (key !== null) keys.set(key, "standard input");
      continue;
    }
    for (const path of existsSync(name) ? [name, sideOf(name)] : sampleFiles(name)) {
      const key = keyOfFile(path);
      if (key !== null) keys.set(key, path);
    }
  }
  return keys;
}

function refuseInput({ key, name }: NamedPlace, read: ReadonlyMap<string, string>): void {
  const input = read.get(key);
  if (input === undefined) return;
  const same = resolve(input) === resolve(name) ? "" : ` is the same file as ${input}, which`;
  throw new UsageError(`${name}${same} is read here, and would be written over: write elsewhere.`);
}

function refuseTwice({ key, name }: NamedPlace, taken: ReadonlyMap<string, string>): void {
  const other = taken.get(key);
  if (other === undefined) return;
  if (resolve(other) === resolve(name)) throw new UsageError(`${name} is named for two files: give each its own name.`);
  throw new UsageError(`${other} and ${name} lead to the same file: give each its own.`);
}
