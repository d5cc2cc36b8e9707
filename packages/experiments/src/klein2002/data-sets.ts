/** The data sets of the paper: four synthetic sets, drawn again for each run, and three real tables. */
import { makeSynthetic, type Random, SYNTHETIC_SETS, type SyntheticSet } from "@coterie/core/internal";
import { IRIS, type Labelled, load } from "../frame/data.js";

export interface DataSet {
  readonly name: string;
  /** The names of the data sets that must be available on this machine; empty for synthetic sets. */
  readonly needs: readonly string[];
  readonly k: number;
  readonly counts: readonly number[];
  readonly quick: readonly number[];
  /** Approximate time of one clustering, in milliseconds, for the estimate of the remaining time. */
  readonly cost: number;
}

/** Number of rows of a synthetic set. The paper does not state it; its pictures show about 200 points. */
export const SYNTHETIC_ROWS = 200;

const USUAL = { counts: [0, 10, 25, 50, 75, 100, 150, 200, 300], quick: [0, 25, 100, 300] };

export const SYNTHETIC: readonly DataSet[] = SYNTHETIC_SETS.map((name) => ({
  name,
  needs: [],
  k: 2,
  counts: [0, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100],
  quick: [0, 20, 50, 100],
  cost: 4,
}));

export const TABLES: readonly DataSet[] = [
  {
    name: IRIS,
    needs: [IRIS],
    k: 3,
    ...USUAL,
    cost: 3,
  },
  {
    name: "crabs",
    needs: ["crabs"],
    k: 2,
    ...USUAL,
    cost: 4,
  },
  {
    name: "soybean-562",
    needs: ["soybean-562"],
    k: 15,
    counts: [0, 25, 50, 100, 150, 200, 300, 400, 500],
    quick: [0, 25, 100, 500],
    cost: 80,
  },
];

const ALL_SETS: readonly DataSet[] = [...SYNTHETIC, ...TABLES];

export function setNamed(name: string): DataSet {
  const found = ALL_SETS.find((set) => set.name === name);
  if (!found) throw new Error(`There is no set ${name} here.`);
  return found;
}

/** The rows of a run. A synthetic set is drawn again for each run. Other sets are loaded from their tables. */
export async function rowsOf({ name, needs }: DataSet, random: Random): Promise<Labelled> {
  if (needs.length > 0) return await load(name);
  const { points, truth } = makeSynthetic(name as SyntheticSet, SYNTHETIC_ROWS, random.split("rows"));
  return { ...points, truth };
}
