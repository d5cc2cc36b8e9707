/**
 * Runs one constrained complete linkage of N rows with f32 distances, 200 must-linked rows in 100 pairs and 500 cannot-links that
 * are true of the clouds, and prints its time and the peak of this process's memory.
 */
import { ccl, constraints, randomFrom, violationCount } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { SEED } from "../context.mjs";
import { cloudRows } from "../data.mjs";

const D = 16;
const CLOUDS = 10;
const n = Number(process.argv[2]);
const random = randomFrom(SEED).split("memory of ccl");
const { x, cloud } = cloudRows(random, n, D, CLOUDS, 0.6);
const points = { n, d: D, x };
/** @param {number} count @param {boolean} together */
const pairs = (count, together) => {
  const found = /** @type {[number, number][]} */ ([]);
  while (found.length < count) {
    const [a, b] = [random.int(n), random.int(n)];
    if (a !== b && (cloud[a] === cloud[b]) === together) found.push([a, b]);
  }
  return found;
};
const known = constraints(points, { mustLink: pairs(100, true), cannotLink: pairs(500, false) });
const start = performance.now();
const result = ccl(points, known, { k: CLOUDS, storage: "f32", kernels: createSimdKernels() });
const milliseconds = performance.now() - start;
const peakBytes = 1024 * process.resourceUsage().maxRSS;
const { merges = [], violations, k } = result;
console.log(JSON.stringify({ merges: merges.length, broken: violationCount(violations), k, milliseconds, peakBytes }));
