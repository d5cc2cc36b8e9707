/**
 * Draws constraint sets from known classes, for experiments and simulated users. Pairs are numbered, and distinct random numbers are drawn.
 * So pairs never repeat, no draw is rejected, and drawing nearly all pairs takes no longer per pair. Rows without a class are left out.
 */

import { badOption } from "../errors.js";
import type { KnownLabels, Links } from "../model/constraint-set.js";
import type { Labelling } from "../model/points.js";
import type { Random } from "../random/random.js";
import { distinctNumbers } from "../random/random.js";
import type { BuiltConstraints } from "./build.js";
import type { RankedPairs } from "./pair-ranks.js";
import { allPairs, pairsBetweenClasses, pairsWithinClasses, rowsByClass } from "./pair-ranks.js";
import { emptyConstraints } from "./sets.js";

/**
 * Which pairs to draw. "random": pairs of random rows. "proportional": must-links and cannot-links in the same proportion as among all
 * pairs of the data. A number: the share of must-links. An object: the number of pairs of each kind.
 */
export type Mix = "random" | "proportional" | number | { readonly mustLink: number; readonly cannotLink: number };

export interface GenerateOptions {
  /** Number of pairs to draw; ignored if `mix` gives the numbers. */
  readonly count?: number;
  readonly mix?: Mix;
  readonly random: Random;
  /** Share of the pairs that contradict the true classes. The number of these pairs is rounded to a whole number. */
  readonly noise?: number;
}

export function generateConstraints(truth: Labelling, options: GenerateOptions): BuiltConstraints {
  const { random, noise = 0 } = options;
  const draw = drawing(truth, options);
  const pairs = draw.from.flatMap(({ ranked, count, together, purpose }) =>
    Array.from(distinctNumbers(random.split(purpose), ranked.count, count), (rank): Pair => {
      const [a, b] = ranked.at(rank);
      return { a, b, together: together ?? truth.codes[a] === truth.codes[b] };
    }),
  );
  return { ...emptyConstraints(truth.codes.length), ...linksWithNoise(pairs, noise, random), notices: draw.notices };
}

/** Turns a share of the links into the opposite kind, for example must-links into cannot-links. Rounds to a whole number of links. */
function turnWrong(set: BuiltConstraints, noise: number, random: Random): BuiltConstraints {
  const pairsOf = ({ a, b }: Links, together: boolean): Pair[] => Array.from(a, (row, s) => ({ a: row, b: b[s]!, together }));
  const pairs = [...pairsOf(set.mustLinks, true), ...pairsOf(set.cannotLinks, false)];
  return { ...set, ...linksWithNoise(pairs, noise, random) };
}

function linksWithNoise(pairs: Pair[], noise: number, random: Random): Pick<BuiltConstraints, "mustLinks" | "cannotLinks"> {
  if (!(noise >= 0 && noise <= 1)) throw badOption("noise", noise, "between 0 and 1");
  const wrong = random.split("noise").sample(pairs.length, Math.round(noise * pairs.length));
  for (const p of wrong) pairs[p]!.together = !pairs[p]!.together;
  return {
    mustLinks: linksOf(pairs.filter(({ together }) => together)),
    cannotLinks: linksOf(pairs.filter(({ together }) => !together)),
  };
}

/** Draws `count` random rows, each with its true class as label. */
export function labelConstraints(truth: Labelling, count: number, random: Random): BuiltConstraints {
  checkCount("count", count);
  const known = knownRows(truth.codes);
  const picked = random.split("labels").sample(known.length, count);
  const row = picked.map((p) => known[p]!);
  const labels: KnownLabels = {
    row,
    code: row.map((i) => truth.codes[i]!),
    weight: new Float64Array(row.length).fill(1),
    names: truth.names,
  };
  return {
    ...emptyConstraints(truth.codes.length),
    labels,
    notices: shortfall(count, known.length, "row with a class", "rows with a class"),
  };
}

interface Pair {
  readonly a: number;
  readonly b: number;
  together: boolean;
}

interface Source {
  readonly ranked: RankedPairs;
  readonly count: number;
  /** Whether the pairs of this source are must-links (true) or cannot-links (false); undefined if it has pairs of both kinds. */
  readonly together?: boolean;
  readonly purpose: string;
}

function drawing(truth: Labelling, { count, mix = "random" }: GenerateOptions): { from: Source[]; notices: string[] } {
  const classes = rowsByClass(truth.codes, classCount(truth.codes));
  const within = pairsWithinClasses(classes);
  const between = pairsBetweenClasses(classes);
  const possible = within.count + between.count;
  if (typeof mix === "object") return drawingOf(within, between, mix.mustLink, mix.cannotLink);
  if (count === undefined) throw badOption("count", count, "a whole number, unless mix gives the numbers");
  checkCount("count", count);
  const drawn = Math.min(count, possible);
  const notices = shortfall(count, possible, "pair", "pairs");
  if (mix === "random") {
    return { from: [{ ranked: allPairs(knownRows(truth.codes)), count: drawn, purpose: "pairs" }], notices };
  }
  if (mix === "proportional") {
    const must = possible === 0 ? 0 : Math.round((drawn * within.count) / possible);
    return { from: drawingOf(within, between, must, drawn - must).from, notices };
  }
  if (!(mix >= 0 && mix <= 1)) throw badOption("mix", mix, "a share between 0 and 1");
  const must = Math.round(count * mix);
  return drawingOf(within, between, must, count - must);
}

function drawingOf(
  within: RankedPairs,
  between: RankedPairs,
  must: number,
  cannot: number,
): { from: Source[]; notices: string[] } {
  checkCount("mustLink", must);
  checkCount("cannotLink", cannot);
  return {
    from: [
      { ranked: within, count: Math.min(must, within.count), together: true, purpose: "must-links" },
      { ranked: between, count: Math.min(cannot, between.count), together: false, purpose: "cannot-links" },
    ],
    notices: [
      ...shortfall(must, within.count, "pair within a class", "pairs within a class"),
      ...shortfall(cannot, between.count, "pair between classes", "pairs between classes"),
    ],
  };
}

function checkCount(option: string, count: number): void {
  if (!(Number.isSafeInteger(count) && count >= 0)) throw badOption(option, count, "a whole number from 0");
}

function shortfall(asked: number, possible: number, one: string, many: string): string[] {
  if (asked <= possible) return [];
  return [
    `${asked} constraints were asked for, but there ${possible === 1 ? `is only 1 ${one}` : `are only ${possible} ${many}`}.`,
  ];
}

function knownRows(codes: Int32Array): Int32Array {
  const known = new Int32Array(codes.length);
  let length = 0;
  for (let i = 0; i < codes.length; i++) if (codes[i]! >= 0) known[length++] = i;
  return known.subarray(0, length);
}

function classCount(codes: Int32Array): number {
  let most = -1;
  for (let i = 0; i < codes.length; i++) if (codes[i]! > most) most = codes[i]!;
  return most + 1;
}

function linksOf(pairs: readonly Pair[]): Links {
  return {
    a: Int32Array.from(pairs, ({ a }) => a),
    b: Int32Array.from(pairs, ({ b }) => b),
    weight: new Float64Array(pairs.length).fill(1),
  };
}

/*
 * Balanced generation (Davidson 2012, section 6.1): spreads cannot-links evenly, so that no vertex of the constraint graph has many edges.
 * A row gets its i-th cannot-link only after all rows have i - 1 cannot-links. If all remaining rows are in one class, this is impossible.
 * Then the partner is a row of another class with the smallest degree. Must-links are drawn in the same way and number as in the unbalanced
 * generation.
 *
 * If a class has at least half of the remaining rows, one of its rows gets the next cannot-link. Otherwise some of its rows would find no
 * partner.
 */

export function generateBalanced(truth: Labelling, options: GenerateOptions): BuiltConstraints {
  const { random, noise = 0 } = options;
  const usual = generateConstraints(truth, { ...options, noise: 0 });
  const cannotLinks = balancedCannotLinks(truth.codes, usual.cannotLinks.a.length, random.split("balanced"));
  return turnWrong({ ...usual, cannotLinks }, noise, random);
}

interface Pools {
  readonly codes: Int32Array;
  /** `rows[c][d]`: the rows of class c with d cannot-links. */
  readonly rows: number[][][];
  readonly partners: Map<number, Set<number>>;
  readonly random: Random;
  most: number;
}

function balancedCannotLinks(codes: Int32Array, count: number, random: Random): Links {
  const pools: Pools = { codes, rows: [], partners: new Map(), random, most: 0 };
  codes.forEach((code, row) => {
    if (code < 0) return;
    while (pools.rows.length <= code) pools.rows.push([[]]);
    pools.rows[code]![0]!.push(row);
  });
  const a: number[] = [];
  const b: number[] = [];
  while (a.length < count) {
    const first = takeFirst(pools);
    if (first === null) break;
    const other = takePartner(pools, first.row);
    // A row that is already linked with all possible partners is dropped.
    if (other === null) continue;
    putBack(pools, first.row, first.degree + 1);
    putBack(pools, other.row, other.degree + 1);
    link(pools, first.row, other.row);
    a.push(Math.min(first.row, other.row));
    b.push(Math.max(first.row, other.row));
  }
  return { a: Int32Array.from(a), b: Int32Array.from(b), weight: new Float64Array(a.length).fill(1) };
}

interface Taken {
  readonly row: number;
  readonly degree: number;
}

/** A random row with the fewest cannot-links. If one class has at least half of these rows, the row comes from this class. */
function takeFirst(pools: Pools): Taken | null {
  const { rows, random } = pools;
  for (let degree = 0; degree <= pools.most; degree++) {
    const sizes = rows.map((byDegree) => byDegree[degree]?.length ?? 0);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    if (total === 0) continue;
    const large = sizes.findIndex((size) => 2 * size >= total);
    let rank = large >= 0 ? 0 : random.int(total);
    let code = Math.max(large, 0);
    while (large < 0 && rank >= sizes[code]!) rank -= sizes[code++]!;
    const pool = rows[code]![degree]!;
    return { row: takeAt(pool, random.int(pool.length)), degree };
  }
  return null;
}

/** A random partner for `row`: of another class, with the fewest cannot-links, not linked with `row` yet; null if none. */
function takePartner({ rows, codes, partners, random, most }: Pools, row: number): Taken | null {
  const known = partners.get(row);
  for (let degree = 0; degree <= most; degree++) {
    const others = rows.flatMap((byDegree, code) => {
      const pool = code === codes[row] ? undefined : byDegree[degree];
      return pool && pool.length > 0 ? [pool] : [];
    });
    const total = others.reduce((sum, pool) => sum + pool.length, 0);
    for (let tries = 0, at = total > 0 ? random.int(total) : 0; tries < total; tries++, at = (at + 1) % total) {
      let rank = at;
      let p = 0;
      while (rank >= others[p]!.length) rank -= others[p++]!.length;
      if (!known?.has(others[p]![rank]!)) return { row: takeAt(others[p]!, rank), degree };
    }
  }
  return null;
}

function takeAt(pool: number[], at: number): number {
  const row = pool[at]!;
  pool[at] = pool.at(-1)!;
  pool.pop();
  return row;
}

function putBack(pools: Pools, row: number, degree: number): void {
  const byDegree = pools.rows[pools.codes[row]!]!;
  while (byDegree.length <= degree) byDegree.push([]);
  byDegree[degree]!.push(row);
  pools.most = Math.max(pools.most, degree);
}

function link({ partners }: Pools, a: number, b: number): void {
  for (const [row, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const known = partners.get(row);
    if (known) known.add(other);
    else partners.set(row, new Set([other]));
  }
}
