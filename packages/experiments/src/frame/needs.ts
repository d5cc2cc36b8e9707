/** Which data sets are on this machine, and how to get the others. */
import { showSample } from "@coterie/data";

export interface MissingSet {
  readonly name: string;
  /** How to get it, as a sentence. */
  readonly remedy: string;
}

/** The sets among these that are not here. Nothing is downloaded. */
export async function missingOf(names: Iterable<string>): Promise<MissingSet[]> {
  const sheets = await Promise.all([...new Set(names)].map(async (name) => await showSample(name)));
  return sheets.flatMap(({ name, remedy }) => (remedy === null ? [] : [{ name, remedy }]));
}
