/** Random tables for tests of properties. */
import fc from "fast-check";
import type { Instances } from "../model/points.js";
import { randomFrom } from "../random/index.js";
import { pointsFromRows } from "../rows.js";

/** Tables of `least` to `most` rows in up to `d` columns: normal numbers, or whole ones below `levels`, so that distances tie. */
export function anyTable(least: number, most: number, d: number, levels: number): fc.Arbitrary<Instances> {
  return fc
    .record({ n: fc.integer({ min: least, max: most }), d: fc.integer({ min: 1, max: d }), seed: fc.nat(), ties: fc.boolean() })
    .map(({ n, d, seed, ties }) => {
      const random = randomFrom(seed);
      const value = () => (ties ? random.int(levels) : random.normal());
      return pointsFromRows(Array.from({ length: n }, () => Array.from({ length: d }, value)));
    });
}
