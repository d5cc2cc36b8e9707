/** The six data sets of table 1. For digits and letters, the paper draws a tenth of the rows. Here all runs use the same seeded sample. */
import { gatherRows, type Random, randomFrom } from "@coterie/core/internal";
import { IRIS, type Labelled, load } from "../frame/data.js";

export interface DataSet {
  readonly name: string;
  readonly title: string;
  readonly share: number;
  /** Approximate time of one clustering, in milliseconds, for the estimate of the remaining time. */
  readonly cost: number;
}

export const SETS: readonly DataSet[] = [
  { name: IRIS, title: "Iris", share: 1, cost: 4 },
  { name: "wine", title: "Wine", share: 1, cost: 6 },
  { name: "protein", title: "Protein", share: 1, cost: 6 },
  { name: "ionosphere", title: "Ionosphere", share: 1, cost: 20 },
  { name: "digits-389", title: "Digits-389", share: 0.1, cost: 10 },
  { name: "letters-IJL", title: "Letters-IJL", share: 0.1, cost: 10 },
];

export function setTitled(title: string): DataSet {
  const found = SETS.find((set) => set.title === title);
  if (!found) throw new Error(`There is no set ${title} here.`);
  return found;
}

const made = new Map<string, Promise<Labelled>>();

export function rowsOf(set: DataSet): Promise<Labelled> {
  const known = made.get(set.name) ?? makeRows(set);
  made.set(set.name, known);
  return known;
}

async function makeRows({ name, share }: DataSet): Promise<Labelled> {
  const whole = await load(name);
  return share === 1 ? whole : sampleOf(whole, share, randomFrom(0).split(`rows of ${name}`));
}

export function sampleOf({ n, d, x, truth }: Labelled, share: number, random: Random): Labelled {
  const rows = random.sample(n, Math.round(share * n)).sort();
  const kept = gatherRows(x, d, rows);
  return { n: rows.length, d, x: kept, truth: { ...truth, codes: rows.map((row) => truth.codes[row]!) } };
}
