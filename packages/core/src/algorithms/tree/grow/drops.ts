/**
 * The decrease of the variance by each possible split of a leaf. It does not depend on constraints, so it is computed once per leaf.
 *
 * Let t be the sum of x - mean over the rows of one side. A split of n rows into n₁ and n₂ rows lowers the sum of squares by |t|²·n /
 * (n₁·n₂). This needs one sum per row, and no subtraction of large squares. A row of weight w counts as w rows. Only the minimum number of
 * rows in a leaf ignores weights.
 */
import { type Leaf, rowsOf } from "./growing-tree.js";
import type { Space } from "./space.js";

/** Up to this number of levels in a leaf, all divisions of the levels are tried. With more levels, only single levels are separated. */
const MOST_LEVELS_FOR_SUBSETS = 5;

/** The decrease of a leaf's scatter by each split; -1 for an impossible split. */
export interface Drops {
  /** For number columns. Entry c·size + p: the decrease if column c is split after its p largest values. */
  readonly at: Float64Array;
  /** For nominal columns: the sets of ranks to separate from the others, each with its decrease. Null for number columns. */
  readonly sets: readonly (LevelSets | null)[];
  readonly most: Float64Array;
  readonly mostOfAll: number;
}

export interface LevelSets {
  readonly sets: readonly (readonly number[])[];
  readonly drops: Float64Array;
}

/** Sums over the rows of one side of a split. `counts` and `squares` describe both sides, for nominal columns. */
interface Side {
  rows: number;
  weight: number;
  readonly sums: Float64Array;
  readonly counts: readonly { readonly here: Float64Array; readonly there: Float64Array }[];
  readonly squares: { here: number; there: number; readonly all: number }[];
}

export function dropsOf(space: Space, leaf: Leaf, minLeaf: number, column: number, into: MutableDrops): void {
  const { tests } = space;
  const side = emptySide(space, leaf);
  if (tests[column]!.nominal) setDrops(space, leaf, minLeaf, column, side, into);
  else orderedDrops(space, leaf, minLeaf, column, side, into);
}

export interface MutableDrops extends Drops {
  readonly sets: (LevelSets | null)[];
  mostOfAll: number;
}

export function startDrops(space: Space, leaf: Leaf): MutableDrops {
  const { tests } = space;
  return {
    at: new Float64Array(tests.length * leaf.size).fill(-1),
    sets: tests.map(() => null),
    most: new Float64Array(tests.length).fill(-1),
    mostOfAll: -1,
  };
}

function orderedDrops(space: Space, leaf: Leaf, minLeaf: number, column: number, side: Side, into: MutableDrops): void {
  const { size, order } = leaf;
  const { levels, weight } = space;
  const { rank } = space.tests[column]!;
  const start = column * size;
  let most = -1;
  let from = 0;
  for (let p = 1; p < size; p++) {
    if (rank[order[start + p]!] === rank[order[start + from]!]) continue;
    addRows(space, side.sums, order, start + from, start + p);
    if (levels.length > 0) for (let r = from; r < p; r++) addLevels(space, side, order[start + r]!);
    if (weight) for (let r = from; r < p; r++) side.weight += weight[order[start + r]!]!;
    else side.weight = p;
    from = p;
    if (p < minLeaf || size - p < minLeaf) continue;
    const drop = dropOf(side, leaf);
    into.at[start + p] = drop;
    if (drop > most) most = drop;
  }
  into.most[column] = most;
  into.mostOfAll = Math.max(into.mostOfAll, most);
}

function addRows({ weightedY: y, width }: Space, sums: Float64Array, order: Int32Array, from: number, to: number): void {
  let r = from;
  for (; r + 4 <= to; r += 4) {
    const a = order[r]! * width;
    const b = order[r + 1]! * width;
    const c = order[r + 2]! * width;
    const e = order[r + 3]! * width;
    for (let j = 0; j < width; j++) sums[j]! += y[a + j]! + y[b + j]! + (y[c + j]! + y[e + j]!);
  }
  for (; r < to; r++) {
    const a = order[r]! * width;
    for (let j = 0; j < width; j++) sums[j]! += y[a + j]!;
  }
}

function setDrops(space: Space, leaf: Leaf, minLeaf: number, column: number, side: Side, into: MutableDrops): void {
  const { size } = leaf;
  const runs = runsOf(space, leaf, column);
  const sets = levelSets([...runs.keys()].sort((a, b) => a - b));
  const drops = new Float64Array(sets.length).fill(-1);
  let most = -1;
  overSets(
    sets,
    runs,
    (row) => add(space, side, row),
    (row) => remove(space, side, row),
    (s) => {
      if (side.rows < minLeaf || size - side.rows < minLeaf) return;
      drops[s] = dropOf(side, leaf);
      most = Math.max(most, drops[s]!);
    },
  );
  into.sets[column] = { sets, drops };
  into.most[column] = most;
  into.mostOfAll = Math.max(into.mostOfAll, most);
}

export function runsOf(space: Space, { size, order }: Leaf, column: number): ReadonlyMap<number, Int32Array> {
  const { rank } = space.tests[column]!;
  const rows = order.subarray(column * size, (column + 1) * size);
  const runs = new Map<number, Int32Array>();
  let from = 0;
  for (let p = 1; p <= size; p++) {
    if (p < size && rank[rows[p]!] === rank[rows[from]!]) continue;
    runs.set(rank[rows[from]!]!, rows.subarray(from, p));
    from = p;
  }
  return runs;
}

/** Visits sets of levels in order. Before each visit, `enter` and `leave` are called for the rows that change their side. */
export function overSets(
  sets: readonly (readonly number[])[],
  runs: ReadonlyMap<number, Int32Array>,
  enter: (row: number) => void,
  leave: (row: number) => void,
  visit: (s: number) => void,
): void {
  let before: readonly number[] = [];
  sets.forEach((set, s) => {
    for (const level of before) if (!set.includes(level)) for (const row of runs.get(level)!) leave(row);
    for (const level of set) if (!before.includes(level)) for (const row of runs.get(level)!) enter(row);
    before = set;
    visit(s);
  });
}

/** Each division of the levels into two sides, given by its smaller side. The smallest sides come first. */
function levelSets(levels: readonly number[]): readonly (readonly number[])[] {
  const count = levels.length;
  if (count < 2) return [];
  if (count > MOST_LEVELS_FOR_SUBSETS) return levels.map((level) => [level]);
  const sets: number[][] = [];
  for (let mask = 1; mask < 1 << count; mask++) {
    const set = levels.filter((_, bit) => (mask >> bit) & 1);
    // If both sides have the same size, the side with the first level is listed.
    if (2 * set.length < count || (2 * set.length === count && set[0] === levels[0])) sets.push(set);
  }
  return sets.sort((a, b) => a.length - b.length);
}

function emptySide({ width, weight, levels }: Space, leaf: Leaf): Side {
  const counts = levels.map(({ codes, count }) => {
    const there = new Float64Array(count);
    for (const row of rowsOf(leaf)) there[codes[row]!]! += weight ? weight[row]! : 1;
    return { here: new Float64Array(count), there };
  });
  const squares = counts.map(({ there }) => {
    const all = there.reduce((sum, c) => sum + c * c, 0);
    return { here: 0, there: all, all };
  });
  return { rows: 0, weight: 0, sums: new Float64Array(width), counts, squares };
}

function add(space: Space, side: Side, row: number): void {
  const { weightedY, width, weight } = space;
  side.rows++;
  side.weight += weight ? weight[row]! : 1;
  for (let j = 0, p = row * width; j < width; j++, p++) side.sums[j]! += weightedY[p]!;
  addLevels(space, side, row);
}

/**
 * Moves the levels of a row of weight w to the side `here`. If the weight of a level changes from c to c + w, its square changes by (c +
 * w)² - c² = (2c + w)·w.
 */
function addLevels({ levels, weight }: Space, { counts, squares }: Side, row: number): void {
  const w = weight ? weight[row]! : 1;
  for (let c = 0; c < levels.length; c++) {
    const code = levels[c]!.codes[row]!;
    const { here, there } = counts[c]!;
    squares[c]!.here += (2 * here[code]! + w) * w;
    squares[c]!.there -= (2 * there[code]! - w) * w;
    here[code]! += w;
    there[code]! -= w;
  }
}

function remove({ weightedY, width, weight, levels }: Space, side: Side, row: number): void {
  const { sums, counts, squares } = side;
  const w = weight ? weight[row]! : 1;
  side.rows--;
  side.weight -= w;
  for (let j = 0, p = row * width; j < width; j++, p++) sums[j]! -= weightedY[p]!;
  for (let c = 0; c < levels.length; c++) {
    const code = levels[c]!.codes[row]!;
    const { here, there } = counts[c]!;
    squares[c]!.here -= (2 * here[code]! - w) * w;
    squares[c]!.there += (2 * there[code]! + w) * w;
    here[code]! -= w;
    there[code]! += w;
  }
}

function dropOf({ weight, sums, squares }: Side, { means, weight: all }: Leaf): number {
  let squared = 0;
  for (let j = 0; j < sums.length; j++) {
    const t = sums[j]! - weight * means[j]!;
    squared += t * t;
  }
  const rest = all - weight;
  let drop = (squared * all) / (weight * rest);
  for (const { here, there, all: before } of squares) drop += here / weight + there / rest - before / all;
  return Math.max(0, drop);
}
