import { expect, test } from "vitest";
import { allExpressions, superLinear } from "./regular-expressions.mjs";

/** Expressions that are flagged or cannot be read, with the reason why they do no harm. */
const HARMLESS: Readonly<Record<string, string>> = {
  "packages/data/src/formats/jsonl.ts": "made of one key, read once from its quotation mark on",
  "packages/data/src/table/number-notation.ts": "texts above a fixed length are not looked at",
  "packages/engines/src/duckdb/source.ts": "a pattern of the person, on names of files of their own folder",
  "packages/figures/src/theme/svg-document.ts": "a look behind inside the expression lets digits begin once only",
  "packages/studio/src/state/spoken.ts": "sentences of Coterie about options",
};

test.each([
  [/\s+$/, true],
  [/^(.+?)\s*(?:!=|≠|<>)\s*(.+)$/, true],
  [/^(?:a+)+b/, true],
  [/^(?:a|a)*b/, true],
  [/^\d+\.?\d*$/, true],
  [/"(?:[^"\\]|\\.)*"/g, true],
  [/^\s*x?\s*$/, true],
  [/\s+/g, false],
  [/^\s+|a+/, false],
  [/^\d+(?:\.\d*)?$/, false],
  [/(?<!\s)\s+$/, false],
  [/(?<!0)0+$/, false],
  [/\b[a-z]+[A-Z]/g, false],
  [/^(\S+)\s+is\b/, false],
  [/^a{2,5}b{0,9}$/, false],
  [/[^a-z0-9]+/g, false],
])("%s: cost grows faster than the text: %s", ({ source, flags }, isSuperLinear) => {
  expect(superLinear(source, flags) !== null).toBe(isSuperLinear);
});

test("no regular expression in the packages takes more than linear time in the length of a text", () => {
  const found = allExpressions();
  expect(found.length).toBeGreaterThan(200);
  const flagged = found.filter(({ source, flags }) => source === null || superLinear(source, flags) !== null);
  const harmful = flagged.filter(({ place }) => HARMLESS[place.split(":")[0]!] === undefined);
  expect(harmful).toEqual([]);
  expect(new Set(flagged.map(({ place }) => place.split(":")[0]))).toEqual(new Set(Object.keys(HARMLESS)));
});
