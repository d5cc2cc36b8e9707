/**
 * Derives sets from other sets by a rule: some classes, the complete rows, the first rows, or a seeded sample.
 *
 * Kept rows stay in the order of the parent set. A seeded sample of m rows keeps the m rows with the lowest ranks. The rank of row r
 * (from 0) is the first 16 hexadecimal digits of the SHA-256 of the text `seed:r`, so every language can draw the same sample.
 */
import { createHash } from "node:crypto";

export type DerivationRule =
  | { readonly classes: readonly string[] }
  | { readonly complete: true }
  | { readonly first: number }
  | { readonly sample: number; readonly seed: number };

export interface Derivation {
  readonly from: string;
  readonly keep: DerivationRule;
}

export function deriveSample(parent: string, keep: DerivationRule): string {
  const [header = "", ...rows] = parent.trimEnd().split("\n");
  const kept = keptRows(rows, keep);
  return [header, ...kept].map((line) => `${line}\n`).join("");
}

function keptRows(rows: readonly string[], keep: DerivationRule): readonly string[] {
  if ("classes" in keep) return rows.filter((row) => keep.classes.includes(row.slice(row.lastIndexOf(",") + 1)));
  if ("complete" in keep) return rows.filter((row) => !row.split(",").includes(""));
  if ("first" in keep) return rows.slice(0, keep.first);
  const chosen = sampleRows(rows.length, keep.sample, keep.seed);
  return chosen.map((row) => rows[row]!);
}

/** The row numbers (from 0, ascending) of a seeded random sample of m out of n rows. */
export function sampleRows(n: number, m: number, seed: number): readonly number[] {
  const ranks = Array.from({ length: n }, (_, row) => createHash("sha256").update(`${seed}:${row}`).digest("hex").slice(0, 16));
  const byRank = Array.from({ length: n }, (_, row) => row).sort((p, q) =>
    ranks[p]! < ranks[q]! ? -1 : ranks[p]! > ranks[q]! ? 1 : p - q,
  );
  return byRank.slice(0, m).sort((p, q) => p - q);
}

export function describeDerivation({ from, keep }: Derivation): string {
  if ("classes" in keep) return `the rows of ${from} in the classes ${keep.classes.join(", ")}`;
  if ("complete" in keep) return `the rows of ${from} without a missing cell`;
  if ("first" in keep) return `the first ${keep.first} rows of ${from}`;
  return `a sample of ${keep.sample} rows of ${from}, drawn with seed ${keep.seed}`;
}
