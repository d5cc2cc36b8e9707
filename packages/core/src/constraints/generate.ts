/**
 * Draws constraint sets from known classes, for experiments and simulated users. Pairs never repeat. A pair is drawn by its rank,
 * without rejection, so drawing nearly all pairs costs no more per pair. Rows without a class are left out.
 */
import { badOption } from "../errors.js";
import type { KnownLabels, Links } from "../model/constraint-set.js";
import type { Labelling } from "../model/points.js";
import type { Random } from "../random/random.js";
import type { BuiltConstraints } from "./build.js";
import { emptyConstraints } from "./none.js";
import {
  allPairs,
  distinctNumbers,
  pairsBetweenClasses,
  pairsWithinClasses,
  type RankedPairs,
  rowsByClass,
} from "./pair-ranks.js";

/**
 * How many of the pairs are must-links. "random": as random pairs of rows happen to be; "proportional": exactly the proportion in
 * all pairs of the data; a number: the share of must-links; an object: the number of each kind.
 */
export type Mix = "random" | "proportional" | number | { readonly mustLink: number; readonly cannotLink: number };

export interface GenerateOptions {
  /** Number of pairs to draw; ignored if `mix` gives the numbers. */
  readonly count?: number;
  readonly mix?: Mix;
  readonly random: Random;
  /** Share of the pairs, rounded to a whole number of pairs, that contradict the true classes. */
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

/** Inverts a share of the links of a set (must-link to cannot-link and back), rounded to a whole number of links. */
export function turnWrong(set: BuiltConstraints, noise: number, random: Random): BuiltConstraints {
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
  /** Whether all pairs of this source are must-links; undefined if each pair must be looked up. */
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
