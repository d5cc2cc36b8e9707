/**
 * Finds a sample set by name: in the user's directory (`COTERIE_DATA`), in the package, or in the cache. A derived set is made from its
 * parent, if the parent is on this machine. This module never downloads.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { badInput } from "@coterie/core/internal";
import { putInPlace, removeStaleParts, stage, type Write } from "../writing/parts.js";
import { knownSample, type SampleFacts, sampleCatalogue, sampleFacts } from "./catalogue.js";
import { deriveSample, describeDerivation } from "./derive.js";
import { type Places, placesOf } from "./places.js";

/** Where a set is. `derivable`: the set is not on this machine, but its parent set is. */
export type SamplePlace = "COTERIE_DATA" | "packaged" | "cache" | "derivable" | "not here";

export interface FoundSample {
  readonly name: string;
  readonly path: string;
  readonly place: "COTERIE_DATA" | "packaged" | "cache";
  /** Facts from the catalogue; null for a file in `COTERIE_DATA` that is not in the catalogue. */
  readonly facts: SampleFacts | null;
  readonly notices: readonly string[];
}

/** Returns the file of a set. Throws for an unknown name. If the set is not on this machine, the error says how to get it. */
export async function findSample(name: string, places: Partial<Places> = {}): Promise<FoundSample> {
  const where = placesOf(places);
  const found = await lookForSample(name, where);
  if (found) return found;
  const facts = knownSample(name);
  throw badInput(`The sample set "${name}" is not on this machine.`, { remedy: `${packagedLike(name)}${howToGet(facts)}` });
}

/**
 * Returns the file of a set, and derives it from its parent if necessary. Null if the set is not on this machine. Throws for unknown names.
 */
export async function lookForSample(name: string, places: Places): Promise<FoundSample | null> {
  const own = await inDataDirectory(name, places);
  if (own) return own;
  const facts = knownSample(name);
  const shipped = join(places.packagedDir, facts.file);
  if (facts.packaged && (await exists(shipped))) return { name, path: shipped, place: "packaged", facts, notices: [] };
  const path = join(places.cacheDir, facts.file);
  if ((await hashOf(path)) === facts.sha256) return { name, path, place: "cache", facts, notices: [] };
  if (!facts.derived) return null;
  const parent = await lookForSample(facts.derived.from, places);
  return parent && (await deriveInto(facts, parent, places));
}

async function inDataDirectory(name: string, { dataDir }: Places): Promise<FoundSample | null> {
  if (dataDir === null || !/^[\w.-]+$/.test(name)) return null;
  const path = join(dataDir, `${name}.csv`);
  const hash = await hashOf(path);
  if (hash === null) return null;
  const facts = sampleFacts(name) ?? null;
  const differs = facts !== null && hash !== facts.sha256;
  const notices = differs
    ? [`${path} differs from the sample set "${name}" of the catalogue (SHA-256 ${hash}); it is used anyway.`]
    : [];
  return { name, path, place: "COTERIE_DATA", facts, notices };
}

async function deriveInto(facts: SampleFacts, parent: FoundSample, { cacheDir }: Places): Promise<FoundSample> {
  const text = deriveSample(await readFile(parent.path, "utf8"), facts.derived!.keep);
  const path = join(cacheDir, facts.file);
  const notices = [...parent.notices];
  if (sha256(text) !== facts.sha256) {
    throw badInput(`The set "${facts.name}", ${describeDerivation(facts.derived!)}, cannot be made from this file.`, {
      file: parent.path,
      remedy: `The file differs from the catalogue's "${parent.name}": replace it by the original, or unset COTERIE_DATA.`,
    });
  }
  await keep(path, text);
  return { name: facts.name, path, place: "cache", facts, notices };
}

/** The files to read for a set. They need not exist. Empty if no set has this name. */
export function sampleFiles(name: string, places: Partial<Places> = {}): string[] {
  const facts = sampleFacts(name);
  if (!facts) return [];
  const { dataDir, packagedDir, cacheDir } = placesOf(places);
  const own = dataDir === null ? [] : [join(dataDir, facts.file)];
  const found = [...own, ...(facts.packaged ? [join(packagedDir, facts.file)] : [])].find((path) => existsSync(path));
  if (found !== undefined) return [found];
  return [join(cacheDir, facts.file), ...(facts.derived ? sampleFiles(facts.derived.from, places) : [])];
}

/** Writes a file completely or not at all. First removes temporary files that killed runs left in the folder. */
export async function keep(path: string, text: string, write?: Write): Promise<void> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true }).catch(diskProblem(directory));
  removeStaleParts(directory);
  const part = await stage(path, [text], write ? { write } : {}).catch(diskProblem(path));
  const { error } = putInPlace([part]);
  if (error !== undefined) diskProblem(path)(error);
}

function packagedLike(name: string): string {
  const like = sampleCatalogue().find((set) => set.packaged && set.name.startsWith(`${name}-`));
  return like ? `The package has "${like.name}". ` : "";
}

function howToGet(facts: SampleFacts): string {
  if (facts.derived) {
    return `It is ${describeDerivation(facts.derived)}: run "coterie data get ${facts.name}", or put ${facts.derived.from}.csv into the directory that COTERIE_DATA names.`;
  }
  if (facts.download) {
    return `Run "coterie data get ${facts.name}", or put ${facts.file} into the directory that COTERIE_DATA names.`;
  }
  return `No public download is known: put ${facts.file} into the directory that COTERIE_DATA names.`;
}

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

async function hashOf(path: string): Promise<string | null> {
  try {
    return sha256(await readFile(path));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR") return null;
    throw badInput(`The file cannot be read (${code ?? String(error)}).`, { file: path });
  }
}

export interface SampleStatus extends SampleFacts {
  readonly place: SamplePlace;
  readonly path: string | null;
}

/** Lists all sets of the catalogue and where they are. It looks only at file names; contents are checked when a set is used. */
export async function listSamples(places: Partial<Places> = {}): Promise<readonly SampleStatus[]> {
  const where = placesOf(places);
  return Promise.all(sampleCatalogue().map(async (facts) => ({ ...facts, ...(await placeOf(facts, where)) })));
}

export interface SampleSheet extends SampleStatus {
  /** A sentence that says how to get the set; null if it is on this machine. */
  readonly remedy: string | null;
}

export async function showSample(name: string, places: Partial<Places> = {}): Promise<SampleSheet> {
  const facts = knownSample(name);
  const status = await placeOf(facts, placesOf(places));
  return { ...facts, ...status, remedy: status.place === "not here" ? howToGet(facts) : null };
}

async function placeOf(facts: SampleFacts, where: Places): Promise<{ place: SamplePlace; path: string | null }> {
  const own = where.dataDir === null ? null : join(where.dataDir, facts.file);
  if (own !== null && (await exists(own))) return { place: "COTERIE_DATA", path: own };
  const shipped = join(where.packagedDir, facts.file);
  if (facts.packaged && (await exists(shipped))) return { place: "packaged", path: shipped };
  const cached = join(where.cacheDir, facts.file);
  if (await exists(cached)) return { place: "cache", path: cached };
  if (!facts.derived) return { place: "not here", path: null };
  const parent = await placeOf(knownSample(facts.derived.from), where);
  return { place: parent.place === "not here" ? "not here" : "derivable", path: null };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

export function diskProblem(path: string): (error: unknown) => never {
  return (error) => {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOSPC" || code === "EDQUOT") {
      throw badInput("The disk is full; nothing was saved.", {
        file: path,
        remedy: "Free some space, or set XDG_CACHE_HOME (LOCALAPPDATA on Windows) to a directory on another disk.",
      });
    }
    throw badInput(`The file could not be written (${code ?? String(error)}); nothing was saved.`, {
      file: path,
      remedy: "Set XDG_CACHE_HOME (LOCALAPPDATA on Windows) to a directory with write permission.",
    });
  };
}
