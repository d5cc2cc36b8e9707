/** The folders that an agent can use, and nothing outside of them: links are followed before a path is compared. */
import { realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { badInput } from "@coterie/core/errors";

export interface Folders {
  /** The real path of an existing file. Throws if it is outside, no plain file, or too large. */
  read(path: string): string;
  /** The real path of a file to write. Its folder must exist. */
  write(path: string, overwrite: boolean): string;
}

/** `most`: largest size of a file to read, in bytes. */
export function createFolders(folders: readonly string[], most: number): Folders {
  const roots = folders.map(folderAt);
  const inside = (path: string) => roots.some((root) => path === root || isWithin(root, path));
  const refused = (file: string) =>
    badInput("This file is outside of the folders that were named when the server started.", {
      file,
      remedy: `Use a file in ${roots.join(" or ")}.`,
    });
  /** The place of a path: absolute, or in the first folder that has it. */
  const placeOf = (path: string): string => {
    if (path === "" || path.includes("\0")) throw badInput("This is not a path.", { file: JSON.stringify(path) });
    if (isAbsolute(path)) return path;
    const places = roots.map((root) => resolve(root, path));
    return places.find((place) => statSync(place, { throwIfNoEntry: false })) ?? places[0]!;
  };
  return {
    read(path) {
      const place = placeOf(path);
      const real = realOf(place);
      // A missing file outside of the folders gets the same sentence as an existing one, so that nothing can be learned about it.
      if (real === undefined) throw inside(resolve(place)) ? missing(path) : refused(path);
      if (!inside(real)) throw refused(path);
      const about = statSync(real);
      if (!about.isFile()) throw badInput("This is not a file.", { file: path, remedy: "Name a file in it." });
      if (about.size > most)
        throw badInput(`The file has ${megabytes(about.size)} MB; at most ${megabytes(most)} MB are read.`, {
          file: path,
          remedy: "Start the server with a larger --largest, or make a smaller table.",
        });
      return real;
    },
    write(path, overwrite) {
      const place = placeOf(path);
      const folder = realOf(dirname(place));
      if (folder === undefined || !inside(folder)) throw refused(path);
      const target = join(folder, basename(place));
      const real = realOf(target);
      if (real !== undefined && !inside(real)) throw refused(path);
      const about = statSync(target, { throwIfNoEntry: false });
      if (about?.isDirectory()) throw badInput("This is a folder.", { file: path, remedy: "Name a file in it." });
      if (about && !overwrite)
        throw badInput("There is such a file.", { file: path, remedy: "Choose another name, or set overwrite." });
      return target;
    },
  };
}

function folderAt(folder: string): string {
  const real = realOf(folder);
  if (real === undefined || !statSync(real).isDirectory()) throw badInput("There is no such folder.", { file: folder });
  return real;
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function isWithin(root: string, path: string): boolean {
  const between = relative(root, path);
  return between !== "" && between !== ".." && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}

function missing(file: string) {
  return badInput("There is no such file.", { file, remedy: "Check the name." });
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toLocaleString("en", { maximumFractionDigits: 1 });
}
