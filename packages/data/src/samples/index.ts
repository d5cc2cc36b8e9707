/** Lists, finds and downloads sample sets. Node only. */
export { packagedDirectory, type SampleDownload, type SampleFacts, sampleCatalogue, sampleFacts } from "./catalogue.js";
export { type Derivation, type DerivationRule, deriveSample, describeDerivation, sampleRows } from "./derive.js";
export type { FoundSample, SamplePlace, SampleSheet, SampleStatus } from "./find.js";
export { findSample, listSamples, sampleFiles, showSample } from "./find.js";
export { type GetOptions, type GotSample, getSample } from "./get.js";
export type { Layout } from "./normalise.js";
export { type Places, placesOf } from "./places.js";
