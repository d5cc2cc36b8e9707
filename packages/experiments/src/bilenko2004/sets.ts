/** The six data sets of table 1. The paper draws a tenth of the digits and letters; so does a seeded sample here, one for all runs. */
import { type Labelling, type Points, type Random, randomFrom } from "@coterie/core";
import { readTable } from "@coterie/data";

export interface Labelled extends Points {
  readonly truth: Labelling;
}

export interface DataSet {
  readonly name: string;
  /** In the paper's figures. */
  readonly title: string;
  readonly share: number;
}

export const SETS: readonly DataSet[] = [
  { name: "iris", title: "Iris", share: 1 },
  { name: "wine", title: "Wine", share: 1 },
  { name: "protein", title: "Protein", share: 1 },
  { name: "ionosphere", title: "Ionosphere", share: 1 },
  { name: "digits-389", title: "Digits-389", share: 0.1 },
  { name: "letters-IJL", title: "Letters-IJL", share: 0.1 },
];

export async function loadSet({ name, share }: DataSet, seed: number): Promise<Labelled> {
  const { n, d, x, truth } = await readTable(name, { truth: "class" });
  const whole = { n, d, x, truth: truth! };
  return share === 1 ? whole : sampleOf(whole, share, randomFrom(seed).split(`rows of ${name}`));
}

export function sampleOf({ n, d, x, truth }: Labelled, share: number, random: Random): Labelled {
  const rows = random.sample(n, Math.round(share * n)).sort();
  const kept = new Float64Array(rows.length * d);
  rows.forEach((row, i) => {
    kept.set(x.subarray(row * d, (row + 1) * d), i * d);
  });
  return { n: rows.length, d, x: kept, truth: { ...truth, codes: rows.map((row) => truth.codes[row]!) } };
}
