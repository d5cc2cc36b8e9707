/**
 * Balanced generation (Davidson 2012, section 6.1): spreads cannot-links evenly, so that no vertex of the constraint graph has many
 * edges. A row gets its i-th cannot-link only after all rows have i - 1 cannot-links. If this is impossible because all remaining
 * rows are in one class, the partner is a row of another class with the smallest degree. Must-links are drawn as usual, in the same
 * number as usual.
 *
 * A class with at least half of the remaining rows is served first; otherwise some of its rows would find no partner.
 */
import type { Links } from "../model/constraint-set.js";
import type { Labelling } from "../model/points.js";
import type { Random } from "../random/random.js";
import type { BuiltConstraints } from "./build.js";
import { type GenerateOptions, generateConstraints, turnWrong } from "./generate.js";

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
  /** The largest degree so far. */
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

/** A random row with the fewest cannot-links; if one class has at least half of these rows, a row of that class. */
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

/** A random row of another class with the fewest cannot-links that is not yet linked with `row`; null if none exists. */
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
