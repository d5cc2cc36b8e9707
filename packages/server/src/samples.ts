/** The sample sets that come with Coterie or lie in the folder of data sets, as projects can begin with them. */
import { readFile } from "node:fs/promises";
import { findSample, listSamples, sampleFacts } from "@coterie/data";
import type { SampleSource } from "@coterie/workbench";

/** Words for the list on the first page; other sets say what they hold by their notes. */
const WORDS: Readonly<Record<string, readonly [about: string, goodFor: string]>> = {
  penguins: ["three species by bill, flipper and mass", "first look, mixed columns"],
  wine: ["three growers by 13 chemical measures", "learned metrics"],
  "crabs-species-sex": ["four groups hidden behind overall size", "why answers help"],
  soybean: ["19 diseases by 35 traits, cells missing", "nominal data"],
  digits: ["handwritten digits, 8 by 8 pixels", "many features"],
  "pendigits-full": ["pen strokes of ten digits", "many rows"],
  "iris-fisher": ["three species of iris by four measures", "a small start"],
  letter: ["capital letters by 16 statistics", "many rows and classes"],
  zoo: ["101 animals by traits and number of legs", "rules and trees"],
  votes: ["votes of 435 members of the U.S. House", "nominal data, cells missing"],
  glass: ["glass splinters by nine oxides and more", "classes of uneven size"],
  ionosphere: ["radar returns by 34 measures", "one class around another"],
  balance: ["a balance by weights and distances", "what columns alone cannot tell"],
  "digits-389": ["the digits 3, 8 and 9 by pen strokes", "classes that are hard to tell apart"],
  "letters-IJL": ["the letters I, J and L by 16 statistics", "classes that are hard to tell apart"],
};

/** Sets that are here: in the package, in the folder of data sets, or fetched before. Those with words of their own come first. */
export const nodeSamples: SampleSource = {
  async list() {
    const here = (await listSamples()).filter(({ path }) => path !== null);
    const order = Object.keys(WORDS);
    const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
    return [...here]
      .sort((a, b) => rank(a.name) - rank(b.name))
      .map(({ name, instances, features, notes, sha256 }) => ({
        name,
        about: WORDS[name]?.[0] ?? notes,
        rows: instances,
        columns: features + 1,
        goodFor: WORDS[name]?.[1] ?? "",
        sha256,
      }));
  },
  async open(name) {
    const facts = sampleFacts(name);
    if (!facts) return null;
    const { path } = await findSample(name);
    const scale = facts.featureTypes === "nominal" ? "none" : "zscore";
    return { file: `${name}.csv`, bytes: await readFile(path), reading: { truth: "class", scale }, k: facts.classes };
  },
};
