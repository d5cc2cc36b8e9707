/** On wide rows, learning a metric, mapping rows and searching the farthest pair yield often enough that Ctrl-C takes effect. */
import { expect, test } from "vitest";
import { constraints } from "../../constraints/index.js";
import { plainKernels } from "../../kernels/index.js";
import type { Points } from "../../model/points.js";
import { randomFrom } from "../../random/index.js";
import type { Steps } from "../../steps/index.js";
import { mpckMeans } from "../partition/mpck/methods.js";
import { mapPoints, mapPointsSteps, rowsPerStep } from "./linear-maps.js";
import { rca, rcaSteps } from "./rca.js";

function wide(n: number, d: number): Points {
  const random = randomFrom(5);
  return { n, d, x: Float64Array.from({ length: n * d }, () => random.unit()) };
}

function pausesOf<R>(steps: Steps<R>): { readonly pauses: number; readonly result: R } {
  for (let pauses = 0; ; pauses++) {
    const step = steps.next();
    if (step.done) return { pauses, result: step.value };
  }
}

test("RCA over n rows of d numbers pauses every eight million products, in both passes", () => {
  const points = wide(300, 384);
  const links = constraints(points, { mustLink: Array.from({ length: 149 }, (_, i) => [2 * i, 2 * i + 2] as const) });
  const { pauses, result } = pausesOf(rcaSteps(points, links));
  expect(rowsPerStep(384)).toBe(54);
  expect(pauses).toBe(Math.floor(150 / 54) + Math.floor(300 / 54));
  expect(result.maps).toEqual(rca(points, links).maps);
});

test("refuses a full metric of too many columns at once, and names the number of components that keep every difference between rows", () => {
  const points = wide(40, 1500);
  const links = constraints(points, { mustLink: [[0, 1]] });
  expect(() => rca(points, links)).toThrow("A full metric of 1,500 columns has 2,250,000 numbers");
  expect(() => rca(points, links)).toThrow("--reduce 39 makes 39 principal components of them, which keep every difference");
  expect(() => mpckMeans(points, links, { k: 2, matrix: "full" })).toThrow("at most 512 columns");
});

test("mapping rows pauses as often, and gives the same rows", () => {
  const points = wide(200, 384);
  const map = wide(384, 384).x;
  const maps = { kind: "full", maps: [map], logDets: new Float64Array(1) } as const;
  const { pauses, result } = pausesOf(mapPointsSteps(points, maps));
  expect(pauses).toBe(Math.floor(200 / 54));
  expect(result.x).toEqual(mapPoints(points, maps).x);
});

test("the farthest pair of long rows pauses within thousands of pairs, not hundreds of thousands", () => {
  // For rows on a sphere, distances from the mean exclude no pair.
  const { n, d, x } = wide(300, 384);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += (x[i * d + j]! - 0.5) ** 2;
    for (let j = 0; j < d; j++) x[i * d + j] = (x[i * d + j]! - 0.5) / Math.sqrt(sum);
  }
  const rows = plainKernels.arena().f64(n * d);
  rows.view().set(x);
  const search = plainKernels.farthest(rows, n, d);
  search.begin(0, null, null);
  expect(search.advance()).toBe(false);
});
