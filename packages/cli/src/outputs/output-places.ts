/** Resolves the output files of a command line, following links. An output must not be an input, and no two outputs the same file. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { badInput } from "@coterie/core/errors";
import { keyOfFile, keyOfOpen, type Place, placeOf, sampleFiles } from "@coterie/data";
import { UsageError } from "../flags.js";

/** A file to write. */
export interface Target {
  readonly path: string;
  /** Whether the file gets a side file. */
  readonly sided: boolean;
}

/** The files of a command line; `-` is standard input or output. */
export interface Files {
  readonly writes: readonly Target[];
  readonly reads: readonly (string | undefined)[];
  /** Input files that an output with the same name can replace. */
  readonly replaceable?: readonly string[];
}

export function sideOf(path: string): string {
  return `${path}.source.json`;
}

export type NamedPlace = Place & { readonly name: string };

/** The places of all files to write, including side files. */
export function placesOf({ writes, reads, replaceable = [] }: Files): NamedPlace[] {
  const read = keysOf(reads);
  const printed = keyOfOpen(1);
  if (printed !== null && read.has(printed))
    throw new UsageError(`Standard output goes to ${read.get(printed)}, an input: write to another file.`);
  const taken = new Map<string, string>(printed === null ? [] : [[printed, "standard output"]]);
  const allowed = new Set(replaceable.flatMap((name) => [name, sideOf(name)]).map((name) => resolve(name)));
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

/** The input files by device and inode, with their side files and the files of sample sets. */
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
  throw new UsageError(`${name}${same} is an input and would be overwritten: write to another file.`);
}

function refuseTwice({ key, name }: NamedPlace, taken: ReadonlyMap<string, string>): void {
  const other = taken.get(key);
  if (other === undefined) return;
  if (resolve(other) === resolve(name)) throw new UsageError(`${name} is the name of two output files: use different names.`);
  throw new UsageError(`${other} and ${name} are the same file: use different files.`);
}
