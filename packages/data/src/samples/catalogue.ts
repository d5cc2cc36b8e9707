/**
 * What is known of every sample set: the facts in `samples/samples.json` at the package's root, read once.
 *
 * A set is packaged (its CSV lies beside the facts), derived from another set by a rule, or downloaded from the public
 * addresses that its facts list. The SHA-256 is that of the normalised CSV: features first, then `class`; a missing cell is empty.
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
  /** Missing cells. */
  readonly missing: number;
  /** SHA-256 of the normalised CSV, in hexadecimal. */
  readonly sha256: string;
  readonly origin: string;
  readonly notes: string;
  /** True where the CSV comes with the package. */
  readonly packaged: boolean;
  /** How the set follows from another one. */
  readonly derived?: Derivation;
  readonly download?: SampleDownload;
}

/** Public files, whose rows follow one another, and how their lines become the normalised CSV. */
export interface SampleDownload {
  /** `lead`: leading fields of each line that are dropped, such as ids and names. */
  readonly files: readonly { readonly url: string; readonly lead?: number }[];
  readonly layout: Layout;
}

/** The directory of the packaged sets. Found through the package's name, so that it is the same from `src`, the build and a bundle. */
export const packagedDirectory = join(dirname(createRequire(import.meta.url).resolve("@coterie/data/package.json")), "samples/");

let facts: readonly SampleFacts[] | undefined;

/** Facts of every set, in the catalogue's order. */
export function sampleCatalogue(): readonly SampleFacts[] {
  facts ??= JSON.parse(readFileSync(`${packagedDirectory}samples.json`, "utf8")) as readonly SampleFacts[];
  return facts;
}

/** Facts of one set, or undefined for a name that the catalogue does not have. */
export function sampleFacts(name: string): SampleFacts | undefined {
  return sampleCatalogue().find((entry) => entry.name === name);
}

/** Facts of one set; an unknown name is bad input that says which names are near, and all names. */
export function knownSample(name: string): SampleFacts {
  const found = sampleFacts(name);
  if (found) return found;
  const names = sampleCatalogue().map((entry) => entry.name);
  const near = nearestName(name, names);
  const question = near === undefined ? "" : ` Did you mean "${near}"?`;
  throw badInput(`There is no sample set "${name}".${question}`, { remedy: `The sample sets are: ${names.join(", ")}.` });
}
