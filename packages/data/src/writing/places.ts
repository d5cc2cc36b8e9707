/** Where a name leads: the file that would be written, links followed, and whether two names lead to the same one. */
import { type BigIntStats, fstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import { badInput } from "@coterie/core/internal";

export interface Place {
  /** The file itself, free of links. The last link may lead to a file that is not there yet. */
  readonly path: string;
  /** Equal for two names of one file: device and inode, or those of the folder and the name in it. Empty for what is no file. */
  readonly key: string;
  /** What is there now. A stream is no file on a disk, or one that somebody else has opened: a pipe, /dev/null, /dev/stdout. */
  readonly kind: "file" | "folder" | "stream" | "nothing";
  /** The permissions of the file that is there. */
  readonly mode: number | undefined;
}

/** Names of open files: what stands behind them is somebody else's, even if it is a file. */
const OPEN_FILE = /^\/(dev\/(stdin|stdout|stderr|fd\/)|proc\/)/;
const MOST_LINKS = 40;

/** Throws bad input for a name that can lead nowhere. */
export function placeOf(name: string): Place {
  try {
    return follow(name);
  } catch (error) {
    throw error instanceof Error && "code" in error ? nowhere(name, String(error.code)) : error;
  }
}

function follow(name: string): Place {
  // No `resolve` here: it drops "link/..", where the system goes to the folder that holds what the link leads to.
  let path = isAbsolute(name) ? name : `${process.cwd()}${sep}${name}`;
  const info = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (path.endsWith(sep) || info?.isDirectory()) return { path, key: "", kind: "folder", mode: undefined };
  for (let links = 0; links <= MOST_LINKS; links++) {
    const folder = realFolder(dirname(path), name);
    path = join(folder, basename(path));
    if (info && (OPEN_FILE.test(path) || !info.isFile()))
      return { path, key: info.isFile() ? keyOf(info) : "", kind: "stream", mode: undefined };
    const next = linkAt(path);
    if (next === null) {
      if (info) return { path, key: keyOf(info), kind: "file", mode: Number(info.mode) & 0o777 };
      return {
        path,
        key: `${keyOf(statSync(folder, { bigint: true }))}/${folded(basename(path))}`,
        kind: "nothing",
        mode: undefined,
      };
    }
    path = isAbsolute(next) ? next : `${folder}${sep}${next}`;
  }
  throw nowhere(name, "ELOOP");
}

function keyOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** Names that differ in capitals or in how accents are written are one name on these systems. */
function folded(name: string): string {
  return process.platform === "darwin" || process.platform === "win32" ? name.normalize("NFC").toLowerCase() : name;
}

function realFolder(folder: string, name: string): string {
  try {
    return realpathSync.native(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw badInput(`The folder ${folder} does not exist.`, { file: name, remedy: "Make it first, or write elsewhere." });
  }
}

/** What a link says; null for what is no link. */
function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch (error) {
    // On Windows what is no link is "UNKNOWN".
    if (["EINVAL", "ENOENT", "UNKNOWN"].includes(String((error as NodeJS.ErrnoException).code))) return null;
    throw error;
  }
}

function nowhere(name: string, code: string): Error {
  const why = {
    ELOOP: "Links lead in a circle.",
    ENAMETOOLONG: "The name is too long for this disk.",
    ENOTDIR: "What is named as a folder here is none.",
  }[code];
  return badInput(why ?? `The file cannot be written here (${code}).`, { file: name, remedy: "Write elsewhere." });
}

/** The key of a file that is there, links followed; null where there is none. */
export function keyOfFile(path: string): string | null {
  return keyOrNull(() => statSync(path, { bigint: true }));
}

/** The key of a file that this process has open, by its number: 0 is standard input, 1 standard output. Null if it is no file on a disk. */
export function keyOfOpen(file: number): string | null {
  return keyOrNull(() => fstatSync(file, { bigint: true }));
}

function keyOrNull(look: () => BigIntStats): string | null {
  try {
    const info = look();
    return info.isFile() ? keyOf(info) : null;
  } catch {
    return null;
  }
}
