/** Runs one complete linkage of N rows with f32 distances, and prints its time and the peak of this process's memory. */
import { linkages, randomFrom } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { SEED } from "../context.mjs";
import { normalRows } from "../data.mjs";

const D = 16;
const n = Number(process.argv[2]);
const points = { n, d: D, x: normalRows(randomFrom(SEED).split("memory"), n, D) };
const start = performance.now();
const { merges = [] } = linkages.complete(points, undefined, { k: 10, storage: "f32", kernels: createSimdKernels() });
const milliseconds = performance.now() - start;
const rising = merges.every(([, , height], m) => m === 0 || height >= /** @type {number} */ (merges[m - 1]?.[2]));
const peakBytes = 1024 * process.resourceUsage().maxRSS;
console.log(JSON.stringify({ merges: merges.length, rising, milliseconds, peakBytes }));
