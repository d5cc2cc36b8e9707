/**
 * The data sets of the benchmark that Coterie can make, and their constraint sets.
 *
 * Baumann, Hochbaum: An Algorithm for Clustering with Confidence-Based Must-Link and Cannot-Link Constraints. INFORMS Journal on Computing,
 * 2024. The procedure is described in the authors' data repository.
 */
import { type BuiltConstraints, constraints, type Instances, standardScaling, withScaling } from "@coterie/core/internal";
import { IRIS, type Labelled, load } from "../frame/data.js";
import { LegacyRandom, makeBlobs } from "./numpy.js";

const SEED = 24;

export interface DataSet {
  readonly name: string;
  readonly collection: "COL1" | "COL2" | "COL3" | "COL4";
  /** The shares of constraints with published figures. For a share s, the number of constraints is the number of pairs among ⌈s n⌉ rows. */
  readonly shares: readonly number[];
  readonly n: number;
  readonly k: number;
  readonly needs: readonly string[];
  readonly rows: () => Promise<Labelled> | Labelled;
}

const SYNTHETIC_2: readonly DataSet[] = [10, 20, 50].flatMap((k) =>
  [1, 2, 3, 4, 5].map((deviation): DataSet => {
    const rows = () => labelledBlobs(300, k, deviation, 20);
    return { name: `col2-k${k}-s${deviation}`, collection: "COL2", shares: [0.25, 0.4, 0.5], n: 300, k, needs: [], rows };
  }),
);

const SYNTHETIC_3: readonly DataSet[] = [500, 1000, 2000, 5000].flatMap((n) =>
  [2, 5, 10, 20, 50, 100].map((k): DataSet => {
    const rows = () => labelledBlobs(n, k, 1, 10);
    return { name: `col3-n${n}-k${k}`, collection: "COL3", shares: [0.05, 0.1, 0.2], n, k, needs: [], rows };
  }),
);

const SHARES_1 = [0.05, 0.1, 0.15, 0.2];

export const SETS: readonly DataSet[] = [
  { name: "iris", collection: "COL1", shares: SHARES_1, n: 150, k: 3, needs: [IRIS], rows: irisOfKeel },
  { name: "wine", collection: "COL1", shares: SHARES_1, n: 178, k: 3, needs: ["wine"], rows: wineOfKeel },
  ...SYNTHETIC_2,
  ...SYNTHETIC_3,
  {
    name: "letter",
    collection: "COL4",
    shares: [0.005, 0.01, 0.05],
    n: 20_000,
    k: 26,
    needs: ["letter"],
    rows: async () => await load("letter"),
  },
];

export function setNamed(name: string): DataSet {
  const found = SETS.find((set) => set.name === name);
  if (!found) throw new Error(`There is no set ${name} here.`);
  return found;
}

/** The rows of a set with standardised columns. `scaleGiven` prevents methods from scaling the columns again. */
export async function rowsOf(set: DataSet): Promise<Labelled> {
  const { n, d, x, truth } = await set.rows();
  const plain: Instances = { n, d, x };
  return { n, d, x: withScaling(plain, standardScaling(plain)).x, truth, scaleGiven: true };
}

function labelledBlobs(n: number, k: number, deviation: number, box: number): Labelled {
  const { points, codes } = makeBlobs({ n, k, deviation, box }, SEED);
  return { ...points, truth: { codes, names: Array.from({ length: k }, (_, c) => String(c)) } };
}

/**
 * Indices of the rows at the end of KEEL's files of iris and wine. KEEL moves a tenth of the rows (a test part) to the end. All other rows
 * have the order of the UCI repository. The order of rows decides which pairs are drawn.
 */
const LAST_OF_IRIS = [2, 9, 14, 42, 43, 54, 58, 76, 78, 85, 116, 118, 119, 120, 126];
const LAST_OF_WINE = [38, 39, 40, 49, 54, 66, 72, 83, 103, 106, 107, 116, 127, 133, 148, 160, 167, 174];

/** The values of iris rows 34 and 37 in the UCI repository. Fisher's table has other values there. */
const UCI_IRIS = [4.9, 3.1, 1.5, 0.1];

async function irisOfKeel(): Promise<Labelled> {
  const fisher = await load(IRIS);
  const x = Float64Array.from(fisher.x);
  for (const row of [34, 37]) x.set(UCI_IRIS, 4 * row);
  return reordered({ ...fisher, x }, LAST_OF_IRIS);
}

async function wineOfKeel(): Promise<Labelled> {
  return reordered(await load("wine"), LAST_OF_WINE);
}

function reordered({ n, d, x, truth }: Labelled, last: readonly number[]): Labelled {
  const order = [...Array.from({ length: n }, (_, row) => row).filter((row) => !last.includes(row)), ...last];
  return {
    n,
    d,
    x: Float64Array.from(order.flatMap((row) => [...x.subarray(row * d, (row + 1) * d)])),
    truth: { names: truth.names, codes: Int32Array.from(order, (row) => truth.codes[row]!) },
  };
}

export function pairCount(n: number, share: number): number {
  const rows = Math.ceil(n * share);
  return (rows * (rows - 1)) / 2;
}

/**
 * The constraint set for a share, drawn as in the benchmark. Draws two lists of `pairCount` rows and pairs them, until there are enough
 * different pairs. Then takes the first pairs in sorted order, so the last rows of a set have few constraints or none.
 */
export function constraintsOf({ n, truth }: Labelled, share: number): BuiltConstraints {
  const count = pairCount(n, share);
  const random = new LegacyRandom(SEED);
  const drawn = new Set<number>();
  while (drawn.size < count) {
    const draw = (): Int32Array => Int32Array.from({ length: count }, () => random.upTo(n - 1));
    const [first, second] = [draw(), draw()];
    first.forEach((i, at) => {
      const j = second[at]!;
      if (i !== j) drawn.add(Math.min(i, j) * n + Math.max(i, j));
    });
  }
  const pairs = Float64Array.from(drawn).sort().subarray(0, count);
  const lists: Record<"mustLink" | "cannotLink", [number, number][]> = { mustLink: [], cannotLink: [] };
  for (const pair of pairs) {
    const [i, j] = [Math.floor(pair / n), pair % n];
    lists[truth.codes[i] === truth.codes[j] ? "mustLink" : "cannotLink"].push([i, j]);
  }
  return constraints({ n }, lists);
}
