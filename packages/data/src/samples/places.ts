/** The folders where sample sets can be on this machine. Environment variables can change them. */
import { homedir } from "node:os";
import { join } from "node:path";
import { packagedDirectory } from "./catalogue.js";

export interface Places {
  /** The user's directory of sets (`COTERIE_DATA`), which is searched first. */
  readonly dataDir: string | null;
  readonly packagedDir: string;
  readonly cacheDir: string;
}

export function placesOf(
  given: Partial<Places> = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: string = process.platform,
): Places {
  return {
    dataDir: given.dataDir !== undefined ? given.dataDir : env.COTERIE_DATA || null,
    packagedDir: given.packagedDir ?? packagedDirectory,
    cacheDir: given.cacheDir ?? defaultCache(env, platform),
  };
}

function defaultCache(env: Readonly<Record<string, string | undefined>>, platform: string): string {
  if (platform === "win32") return join(env.LOCALAPPDATA || join(homedir(), "AppData", "Local"), "coterie", "cache");
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "coterie");
}
