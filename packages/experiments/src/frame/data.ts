/** Data sets with their classes, read once per process, and the names of the sets for the pages. */
import type { Instances, Labelling } from "@coterie/core/internal";
import { readTable } from "@coterie/data";

export type Labelled = Instances & { readonly truth: Labelling };

const read = new Map<string, Promise<Labelled>>();

export function load(name: string, scale: "none" | "zscore" = "none"): Promise<Labelled> {
  const key = `${name} ${scale}`;
  const known = read.get(key) ?? readLabelled(name, scale);
  read.set(key, known);
  return known;
}

async function readLabelled(name: string, scale: "none" | "zscore"): Promise<Labelled> {
  const { truth, ...rest } = await readTable(name, { truth: "class", scale, missing: "error" });
  if (!truth) throw new Error(`${name} has no classes.`);
  return { ...rest, truth };
}

export const IRIS = "iris-fisher";

export const ABOUT_IRIS =
  "Iris is Fisher's table as he printed it (`iris-fisher`) on every page; the file of the UCI repository differs from it in three cells of two rows.";

export function titleOf(set: string): string {
  return set === IRIS ? "iris" : set;
}
