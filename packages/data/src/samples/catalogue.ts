/**
 * Facts about every sample set, read once from `samples/samples.json` at the root of the package.
 *
 * A set is packaged (the package contains its CSV), derived from another set by a rule, or downloaded from the addresses in its facts. The
 * normalised CSV of a set has features first, then `class`; a missing cell is empty. Its SHA-256 is checked.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { badInput, nearestName } from "@coterie/core/internal";
import type { Derivation } from "./derive.js";
import type { Layout } from "./normalise.js";

export interface SampleFacts {
  readonly name: string;
  readonly file: string;
  readonly instances: number;
  readonly features: number;
  readonly classes: number;
  readonly featureTypes: "numeric" | "nominal" | "mixed";
  readonly missing: number;
  readonly sha256: string;
  readonly origin: string;
  readonly notes: string;
  readonly packaged: boolean;
  readonly derived?: Derivation;
  readonly download?: SampleDownload;
}

export interface SampleDownload {
  /** url: the address of a file. lead: how many fields to drop at the beginning of each line, such as ids and names. */
  readonly files: readonly { readonly url: string; readonly lead?: number }[];
  readonly layout: Layout;
}

/** The directory of the packaged sets. It is found by the name of the package, which works in `src`, in the build and in a bundle. */
export const packagedDirectory = join(dirname(createRequire(import.meta.url).resolve("@coterie/data/package.json")), "samples/");

let facts: readonly SampleFacts[] | undefined;

export function sampleCatalogue(): readonly SampleFacts[] {
  facts ??= JSON.parse(readFileSync(`${packagedDirectory}samples.json`, "utf8")) as readonly SampleFacts[];
  return facts;
}

export function sampleFacts(name: string): SampleFacts | undefined {
  return sampleCatalogue().find((entry) => entry.name === name);
}

/** Returns the facts of a set by name. Throws for an unknown name; the error suggests a similar name and lists all names. */
export function knownSample(name: string): SampleFacts {
  const found = sampleFacts(name);
  if (found) return found;
  const names = sampleCatalogue().map((entry) => entry.name);
  const near = nearestName(name, names);
  const question = near === undefined ? "" : ` Did you mean "${near}"?`;
  throw badInput(`There is no sample set "${name}".${question}`, { remedy: `The sample sets are: ${names.join(", ")}.` });
}
