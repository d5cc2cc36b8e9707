/** Runs ReCon on many rows, and prints its time and the peak of this process's memory. */
import { randomFrom, randomTriplets, recon } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { SEED } from "../context.mjs";
import { normalRows } from "../data.mjs";

const D = 16;
const CLASSES = 10;
const [n = 0, count = 0] = process.argv.slice(2).map(Number);
const random = randomFrom(SEED).split("recon");
// A normal cloud for each class; neighbouring clouds overlap.
const codes = Int32Array.from({ length: n }, () => random.int(CLASSES));
const centres = normalRows(random.split("centres"), CLASSES, D);
const x = normalRows(random.split("rows"), n, D);
for (let p = 0; p < x.length; p++) {
  const centre = D * /** @type {number} */ (codes[Math.floor(p / D)]) + (p % D);
  x[p] = /** @type {number} */ (x[p]) + /** @type {number} */ (centres[centre]);
}
const names = Array.from({ length: CLASSES }, (_, c) => String(c));
const points = { n, d: D, x };
const set = randomTriplets({ codes, names }, { count, random });
const started = performance.now();
const { merges, violations, notices } = recon(points, set, { k: CLASSES, kernels: createSimdKernels() });
const milliseconds = performance.now() - started;
process.stdout.write(
  JSON.stringify({
    merges: merges?.length,
    broken: violations.relative.length,
    notice: notices.at(-1),
    milliseconds,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  }),
);
