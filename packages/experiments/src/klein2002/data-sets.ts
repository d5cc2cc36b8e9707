/** The data of the paper: four synthetic sets, drawn anew for each run, and three tables. */
import { CoterieError, type Instances, makeSynthetic, type Random, SYNTHETIC_SETS } from "@coterie/core";
import { readTable } from "@coterie/data";

export interface DataSet {
  readonly name: string;
  readonly k: number;
  /** Numbers of constraints along the axis, from 0. */
  readonly counts: readonly number[];
  /** The rows of one run: the same for every run if they come from a table. */
  readonly rows: (random: Random) => Instances;
  /** Whether the rows differ from run to run. */
  readonly drawn: boolean;
}

/** The paper does not say how many; its pictures show about so many. */
const SYNTHETIC_ROWS = 200;

export const syntheticSets: readonly DataSet[] = SYNTHETIC_SETS.map((name) => ({
  name,
  k: 2,
  counts: [0, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100],
  rows(random) {
    const { points, truth } = makeSynthetic(name, SYNTHETIC_ROWS, random);
    return { ...points, truth };
  },
  drawn: true,
}));

const TABLES: readonly { readonly name: string; readonly counts: readonly number[] }[] = [
  { name: "iris", counts: [0, 10, 25, 50, 75, 100, 150, 200, 300] },
  { name: "crabs", counts: [0, 10, 25, 50, 75, 100, 150, 200, 300] },
  { name: "soybean-562", counts: [0, 25, 50, 100, 150, 200, 300, 400, 500] },
];

/** The tables that are there; `missing` says why one is not. */
export async function realSets(): Promise<{ readonly sets: readonly DataSet[]; readonly missing: readonly string[] }> {
  const sets: DataSet[] = [];
  const missing: string[] = [];
  for (const { name, ...facts } of TABLES) {
    try {
      const table = await readTable(name, { truth: "class" });
      sets.push({ name, ...facts, k: table.truth!.names.length, rows: () => table, drawn: false });
    } catch (error) {
      if (!(error instanceof CoterieError)) throw error;
      missing.push(`${name}: ${error.message}`);
    }
  }
  return { sets, missing };
}
