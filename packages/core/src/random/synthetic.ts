/**
 * The four synthetic sets of Klein, Kamvar, Manning 2002 (figure 7): two classes in the plane that are plain to see and that
 * methods fond of round clusters miss. The paper prints pictures and no formulas; these are the shapes they show.
 *
 *     circles      a disc, and a ring around it
 *     cellwalls    two cells side by side; the two nuclei are one class, the two walls the other
 *     xor          four squares; those opposite each other are one class
 *     stormclouds  two long, low clouds, one above the other
 *
 * Classes have n/2 rows each (the first one more if n is odd), in random order, spread evenly over their shapes.
 */
import { badOption } from "../errors.js";
import { cos, sin } from "../linalg/elementary.js";
import type { Labelling, Points } from "../model/points.js";
import type { Random } from "./random.js";

export const SYNTHETIC_SETS = ["circles", "cellwalls", "xor", "stormclouds"] as const;
export type SyntheticSet = (typeof SYNTHETIC_SETS)[number];

type Place = readonly [x: number, y: number];

interface Shape {
  readonly classes: readonly [string, string];
  /** A random place in the shape of class 0 or 1. */
  readonly place: (code: number, random: Random) => Place;
}

const TURN = 6.283185307179586;

/** Radii: the disc, and the inner and outer edge of the ring. */
const CIRCLES = { disc: 1, inner: 2.1, outer: 2.7 };
/** Cells of radius `outer` whose walls nearly touch at x = 0. */
const CELL = { nucleus: 0.6, inner: 1.6, outer: 2, centre: 2.1 };
/** Squares of this width around (±1, ±1). */
const SQUARE = 1.4;
/** Five puffs a cloud, 1.6 apart: each a disc, the middle ones higher. The upper cloud hangs half a puff to the right. */
const PUFFS = { apart: 1.6, rise: [0, 0.25, 0.35, 0.25, 0], radius: 0.95, base: 1.35, shift: 0.8 };

const SHAPES: Readonly<Record<SyntheticSet, Shape>> = {
  circles: {
    classes: ["disc", "ring"],
    place: (code, random) => (code === 0 ? ring(0, CIRCLES.disc, random) : ring(CIRCLES.inner, CIRCLES.outer, random)),
  },
  cellwalls: {
    classes: ["nucleus", "wall"],
    place(code, random) {
      const side = random.int(2) === 0 ? -CELL.centre : CELL.centre;
      const [x, y] = code === 0 ? ring(0, CELL.nucleus, random) : ring(CELL.inner, CELL.outer, random);
      return [x + side, y];
    },
  },
  xor: {
    classes: ["same", "opposite"],
    place(code, random) {
      const right = random.int(2) === 0 ? -1 : 1;
      const up = code === 0 ? right : -right;
      return [right + SQUARE * (random.unit() - 0.5), up + SQUARE * (random.unit() - 0.5)];
    },
  },
  stormclouds: {
    classes: ["lower", "upper"],
    place(code, random) {
      const puff = random.int(PUFFS.rise.length);
      const [x, y] = ring(0, PUFFS.radius, random);
      const side = code === 0 ? -1 : 1;
      return [
        (puff - 2) * PUFFS.apart + x + (side * PUFFS.shift) / 2,
        // Flattened puffs over a flat base: the lower cloud is the upper one turned over, its bulges away from the gap.
        side * (PUFFS.base + PUFFS.rise[puff]! + 0.7 * y),
      ];
    },
  },
};

/** n rows of two columns, x and y, and the class of each. */
export function makeSynthetic(
  name: SyntheticSet,
  n: number,
  random: Random,
): { readonly points: Points; readonly truth: Labelling } {
  const shape = SHAPES[name];
  if (!shape) throw badOption("name", name, SYNTHETIC_SETS.join(", "));
  if (!Number.isInteger(n) || n < 2) throw badOption("n", n, "a whole number, 2 or more");
  const codes = Int32Array.from({ length: n }, (_, i) => (2 * i < n ? 0 : 1));
  random.split("order").shuffle(codes);
  const places = random.split("places");
  const x = new Float64Array(2 * n);
  for (let i = 0; i < n; i++) x.set(shape.place(codes[i]!, places), 2 * i);
  return { points: { n, d: 2, x, names: ["x", "y"] }, truth: { codes, names: shape.classes } };
}

/** A place between two circles around the origin, all areas alike; a disc if the inner one has radius 0. */
function ring(inner: number, outer: number, random: Random): Place {
  const radius = Math.sqrt(inner * inner + (outer * outer - inner * inner) * random.unit());
  const angle = TURN * random.unit();
  return [radius * cos(angle), radius * sin(angle)];
}
