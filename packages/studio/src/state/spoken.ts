/** Rewrites sentences of the command line for the page. Removes flags from the text, and offers a button for the effect of a flag. */
import { cutMiddle } from "@coterie/figures/layout";
import type { Reading } from "@coterie/workbench/protocol";

type Type = NonNullable<Reading["types"]>[string];

export type Offer = { readonly words: string } & (
  | { readonly kind: "role"; readonly column: string; readonly role: "id" | "ignored" | "truth" | "feature" }
  | { readonly kind: "type"; readonly column: string; readonly type: Type }
  | { readonly kind: "missing"; readonly missing: "drop" | "impute" | "skip" }
  | { readonly kind: "scale"; readonly scale: "none" | "zscore" | "minmax" }
  | { readonly kind: "transform"; readonly column: string }
);

export interface Spoken {
  readonly words: string;
  readonly offers: readonly Offer[];
}

const VALUE = String.raw`\$?'(?:[^'\\]|\\.|'\\'')*'|[^\s'),;]+`;
const VALUED = "id|ignore|nominal|type|transform|truth|missing|scale";
const FLAG = `--(?:(?:${VALUED})[ =](?:${VALUE})|[a-z-]+)`;

export function spoken(sentence: string): Spoken {
  const offers: Offer[] = [];
  for (const [, flag, value] of sentence.matchAll(new RegExp(`--(${VALUED})[ =](${VALUE})`, "g"))) {
    const offer = flag === "id" && value === "none" ? featureOffer(sentence) : offerOf(flag!, wordOf(value!));
    if (offer && !offers.some(({ words }) => words === offer.words)) offers.push(offer);
  }
  const feature = AS_TRUTH.test(sentence) ? featureOffer(sentence) : null;
  return { words: withoutFlags(sentence), offers: feature ? [...offers, feature] : offers };
}

/** Matches the sentence "Column … looks like known classes". The command line has no flag to prevent this, so the offer is made here. */
const AS_TRUTH = /^Column .* looks like known classes: /;

function featureOffer(sentence: string): Offer | null {
  const [, quoted] = /^Column ("(?:[^"\\]|\\.)*")/.exec(sentence) ?? [];
  if (quoted === undefined) return null;
  const column = JSON.parse(quoted) as string;
  return { kind: "role", column, role: "feature", words: `Use ${cutMiddle(column, LONGEST)} as a feature` };
}

/** Removes flags from a sentence. Sentences name flags in only a few ways, and each has a pattern here. */
function withoutFlags(sentence: string): string {
  const said = sentence
    .replace(new RegExp(String.raw` \(${FLAG}[^()]*\)`, "g"), "")
    .replace(new RegExp(String.raw`; ${FLAG} overrides\)`, "g"), ")")
    .replace(new RegExp(String.raw` ${FLAG} reads it as text\.`, "g"), "")
    .replace(new RegExp(String.raw`; ${FLAG} reads them as 1 and 0\.`, "g"), "; as numbers they are 1 and 0.")
    .replace(new RegExp(String.raw`; ${FLAG} scores the clusters with it\.`, "g"), "; the clusters can be scored with it.")
    .replace(new RegExp(String.raw`; ${FLAG} (?:makes it a feature|scores the clusters with it instead)\.`, "g"), ".")
    .replace(new RegExp(String.raw`\bsay --id (?:${VALUE})`, "g"), "make it the id")
    .replace(/\bconsider --scale zscore/g, "consider z-scores")
    .replace(/\b(?:name it|name the column that holds such names) with --id\b/g, "make it the id");
  return said.trim();
}

/** Removes the shell quotes from a word. Null if the word has characters that cannot be shown. */
function wordOf(text: string): string | null {
  if (text.startsWith("$")) return null;
  if (!text.startsWith("'")) return text.replace(/\.$/, "");
  return text.slice(1, -1).replaceAll("'\\''", "'");
}

const TYPES: Readonly<Record<string, string>> = {
  text: "Compare NAME as text",
  nominal: "Read NAME as categories",
  number: "Read NAME as numbers",
  date: "Read NAME as dates",
};
const MISSING = { impute: "Fill missing cells", skip: "Compare by the cells both have", drop: "Leave out those rows" } as const;
const SCALES = { none: "Use the numbers as given", zscore: "Use z-scores", minmax: "Use min–max" } as const;
const LONGEST = 24;

function offerOf(flag: string, value: string | null): Offer | null {
  if (value === null || value === "") return null;
  if (flag === "missing") {
    const missing = value as keyof typeof MISSING;
    return missing in MISSING ? { kind: "missing", missing, words: MISSING[missing] } : null;
  }
  if (flag === "scale") {
    const scale = value as keyof typeof SCALES;
    return scale in SCALES ? { kind: "scale", scale, words: SCALES[scale] } : null;
  }
  if (flag === "transform") {
    const [, name] = /^(.*)=none$/.exec(value) ?? [];
    return name === undefined
      ? null
      : { kind: "transform", column: name, words: `Take no logarithm of ${cutMiddle(name, LONGEST)}` };
  }
  if (flag === "type") {
    const at = value.lastIndexOf("=");
    return typeOffer(value.slice(0, at), value.slice(at + 1));
  }
  const column = flag === "id" || flag === "truth" ? value : value.replaceAll("\\,", ",");
  if (flag === "nominal") return typeOffer(column, "nominal");
  const name = cutMiddle(column, LONGEST);
  if (flag === "truth") return { kind: "role", column, role: "truth", words: `Use ${name} as the known class` };
  return flag === "id"
    ? { kind: "role", column, role: "id", words: `Use ${name} as the id` }
    : { kind: "role", column, role: "ignored", words: `Leave out ${name}` };
}

function typeOffer(column: string, type: string): Offer | null {
  const words = TYPES[type];
  return words && column !== ""
    ? { kind: "type", column, type: type as Type, words: words.replace("NAME", () => cutMiddle(column, LONGEST)) }
    : null;
}
