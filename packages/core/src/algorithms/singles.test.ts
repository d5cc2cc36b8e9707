import { expect, test } from "vitest";
import { catalogue, methodNamed } from "../catalogue.js";
import { constraints } from "../constraints/index.js";
import { type Points, pointsOfSingles } from "../model/points.js";
import { randomFrom } from "../random/index.js";
import { tuples } from "../testing/tuples.js";
import { takesK } from "./method.js";

const [N, D] = [48, 5];
const random = randomFrom(12).split("singles");
const singles = Float32Array.from({ length: N * D }, (_, p) => (Math.floor(p / D) % 3) * 4 + random.normal());
const wide: Points = { n: N, d: D, x: Float64Array.from(singles) };
const known = constraints(wide, { mustLink: tuples("0 3, 1 4"), cannotLink: tuples("0 1, 2 4"), relative: [[0, 3, 1]] });

/** Points that throw if their values are read in double precision. */
function sealed(): Points {
  return Object.defineProperty(pointsOfSingles({ n: N, d: D }, singles), "x", {
    get: () => {
      throw new Error("Doubles were made.");
    },
  });
}

test.each(catalogue.map(({ name }) => name))(
  "%s: rows in single precision give the same result as the same numbers in double precision",
  (name) => {
    const options = { ...(takesK(methodNamed(name)) ? { k: 3 } : {}), seed: 5 };
    expect(methodNamed(name)(pointsOfSingles({ n: N, d: D }, singles), known, options)).toEqual(
      methodNamed(name)(wide, known, options),
    );
  },
);

test("k-means does not convert rows in single precision to double precision", () => {
  for (const init of ["k-means++", "random"]) {
    const options = { k: 4, init, restarts: 2 };
    expect(methodNamed("kmeans")(sealed(), known, options)).toEqual(methodNamed("kmeans")(wide, known, options));
  }
});
