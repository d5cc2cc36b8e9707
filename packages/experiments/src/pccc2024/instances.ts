/**
 * The data sets of the benchmark that Coterie can make, and their constraint sets.
 *
 * Baumann, Hochbaum: An Algorithm for Clustering with Confidence-Based Must-Link and Cannot-Link Constraints. INFORMS Journal on Computing,
 * 2024. The procedure is described in the authors' data repository.
 */
import {
  type BuiltConstraints,
  constraints,
  type Instances,
  log,
  type Points,
  standardScaling,
  withScaling,
} from "@coterie/core/internal";
import { IRIS, type Labelled, load } from "../frame/data.js";

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

/*
 * The parts of NumPy's legacy generator (`numpy.random.RandomState`) and of scikit-learn's `make_blobs` that the benchmark needs: the
 * Mersenne Twister MT19937 with the draws of `randint`, `uniform`, `normal` and `shuffle`. The same seed gives the same numbers as in
 * Python.
 */

const WORDS = 624;
const SHIFT = 397;

export class LegacyRandom {
  readonly #words = new Uint32Array(WORDS);
  #next = WORDS;
  /** The polar method makes two normal numbers at a time. The second number is kept here for the next call. */
  #spare: number | null = null;

  constructor(seed: number) {
    this.#words[0] = seed;
    for (let i = 1; i < WORDS; i++) {
      const before = this.#words[i - 1]!;
      this.#words[i] = Math.imul(1812433253, before ^ (before >>> 30)) + i;
    }
  }

  /**
   * Draws a whole number from 0 to `most`, as NumPy does: takes as many random bits as `most` has, and repeats this until their number is
   * at most `most`.
   */
  upTo(most: number): number {
    if (most === 0) return 0;
    const mask = 0xffffffff >>> Math.clz32(most);
    for (;;) {
      const value = this.#word() & mask;
      if (value <= most) return value;
    }
  }

  unit(): number {
    const high = this.#word() >>> 5;
    return (high * 67108864 + (this.#word() >>> 6)) / 9007199254740992;
  }

  normal(): number {
    const spare = this.#spare;
    this.#spare = null;
    if (spare !== null) return spare;
    for (;;) {
      const x = 2 * this.unit() - 1;
      const y = 2 * this.unit() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * log(square)) / square);
      this.#spare = factor * x;
      return factor * y;
    }
  }

  shuffle(values: Int32Array): void {
    for (let i = values.length - 1; i > 0; i--) {
      const j = this.upTo(i);
      [values[i], values[j]] = [values[j]!, values[i]!];
    }
  }

  #word(): number {
    if (this.#next === WORDS) this.#twist();
    let word = this.#words[this.#next++]!;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  #twist(): void {
    const words = this.#words;
    for (let i = 0; i < WORDS; i++) {
      const joined = (words[i]! & 0x80000000) | (words[(i + 1) % WORDS]! & 0x7fffffff);
      words[i] = words[(i + SHIFT) % WORDS]! ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
    }
    this.#next = 0;
  }
}

export interface Blobs {
  readonly n: number;
  readonly k: number;
  readonly deviation: number;
  /** Both coordinates of a centre are drawn uniformly from -box to box. */
  readonly box: number;
}

/**
 * Makes the rows of `make_blobs` with two columns: rows around k centres, in random order. The class of a row is the number of its centre.
 */
export function makeBlobs(
  { n, k, deviation, box }: Blobs,
  seed: number,
): { readonly points: Points; readonly codes: Int32Array } {
  const random = new LegacyRandom(seed);
  const centres = Float64Array.from({ length: 2 * k }, () => -box + 2 * box * random.unit());
  const codes = Int32Array.from({ length: n }, (_, row) => centreOf(row, n, k));
  const x = Float64Array.from({ length: 2 * n }, (_, p) => centres[2 * codes[p >> 1]! + (p & 1)]! + deviation * random.normal());
  const order = Int32Array.from(codes.keys());
  random.shuffle(order);
  const shuffled = Float64Array.from({ length: 2 * n }, (_, p) => x[2 * order[p >> 1]! + (p & 1)]!);
  return { points: { n, d: 2, x: shuffled }, codes: order.map((row) => codes[row]!) };
}

/** The number of the centre that makes a row. The first n mod k centres make one row more than the other centres. */
function centreOf(row: number, n: number, k: number): number {
  const least = Math.floor(n / k);
  const larger = (n % k) * (least + 1);
  return row < larger ? Math.floor(row / (least + 1)) : (n % k) + Math.floor((row - larger) / least);
}
