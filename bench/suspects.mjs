/**
 * Does the advice find wrong constraints? A tenth of the pairs drawn from known classes is made wrong. Precision and recall of the suspects,
 * and those of as many pairs chosen by distance: the must-links of the most distant rows and the cannot-links of the nearest.
 *
 *     node bench/suspects.mjs [--count 60] [--seeds 0..4] FILE…
 */
import { parseArgs } from "node:util";
import { generateConstraints, randomFrom } from "@coterie/core/internal";
import { readTable } from "@coterie/data";
import { createSimdKernels } from "@coterie/kernels";
import { advise } from "@coterie/workbench";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: "string", default: "60" }, seeds: { type: "string", default: "0..4" } },
});
const [first = 0, last = first] = values.seeds.split("..").map(Number);
const host = { kernels: createSimdKernels(), pause: () => new Promise((resume) => setImmediate(resume)) };

console.log(`${values.count} pairs, a tenth of them wrong, seeds ${values.seeds}\n`);
console.log(
  "| set | suspects | wrong among them (precision) | wrong pairs found (recall) | precision by distance | recall by distance |",
);
console.log("|---|---|---|---|---|---|");
for (const file of positionals) {
  const points = /** @type {any} */ (await readTable(file, { truth: "class" }));
  const k = new Set(points.truth.codes).size;
  const sums = { suspects: 0, found: 0, wrong: 0, near: 0 };
  for (let seed = first; seed <= last; seed++) {
    const known = generateConstraints(points.truth, { count: Number(values.count), noise: 0.1, random: randomFrom(seed) });
    const pairs = [
      ...Array.from(known.mustLinks.a, (a, s) => ({ a, b: known.mustLinks.b[s] ?? 0, must: true })),
      ...Array.from(known.cannotLinks.a, (a, s) => ({ a, b: known.cannotLinks.b[s] ?? 0, must: false })),
    ].map((pair) => {
      const isWrong = (points.truth.codes[pair.a] === points.truth.codes[pair.b]) !== pair.must;
      let square = 0;
      for (let j = 0; j < points.d; j++) {
        const away = points.x[pair.a * points.d + j] - points.x[pair.b * points.d + j];
        if (!Number.isNaN(away)) square += away * away;
      }
      return { ...pair, isWrong, square };
    });
    const { suspects } = await advise(points, known, { k, seed }, host);
    const idOf = (/** @type {number} */ row) => points.ids?.[row] ?? row;
    const keys = new Set(suspects.map(({ constraint: { type, a, b } }) => `${type} ${a} ${b}`));
    const isSuspect = (/** @type {any} */ { a, b, must }) => keys.has(`${must ? "must" : "cannot"}-link ${idOf(a)} ${idOf(b)}`);
    sums.suspects += suspects.length;
    sums.wrong += pairs.filter(({ isWrong }) => isWrong).length;
    sums.found += pairs.filter((pair) => pair.isWrong && isSuspect(pair)).length;
    // Far must-links and near cannot-links, by their rank within their kind.
    const ranked = [true, false].flatMap((must) => {
      const kind = pairs.filter((pair) => pair.must === must).sort((x, y) => (must ? y.square - x.square : x.square - y.square));
      return kind.map((pair, at) => ({ ...pair, share: at / kind.length }));
    });
    ranked.sort((x, y) => x.share - y.share);
    sums.near += ranked.slice(0, suspects.length).filter(({ isWrong }) => isWrong).length;
  }
  const share = (/** @type {number} */ part, /** @type {number} */ all) => (all === 0 ? "–" : (part / all).toFixed(2));
  const name = file.replace(/.*\/|\.csv$/g, "");
  console.log(
    `| ${name} | ${sums.suspects} | ${share(sums.found, sums.suspects)} | ${share(sums.found, sums.wrong)} | ${share(sums.near, sums.suspects)} | ${share(sums.near, sums.wrong)} |`,
  );
}
