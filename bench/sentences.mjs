/**
 * Do answers help on embeddings of sentences? Generates rows like them (see sentence-rows.mjs). Answers are right.
 *
 *     node bench/sentences.mjs [--seeds 0..2] [--counts 100,300] [--confused]
 *
 * --confused: weaker topics, so that many rows are as near to another topic.
 */
import { parseArgs } from "node:util";
import { askFromLabels, cluster, pointsFromRows, scoresOf } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { CLEAR, CONFUSED, drawSentences } from "./sentence-rows.mjs";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "0..2" },
    counts: { type: "string", default: "100,300" },
    confused: { type: "boolean", default: false },
  },
});
const K = 10;

const kernels = createSimdKernels();
const counts = values.counts.split(",").map(Number);
const [first = 0, last = first] = values.seeds.split("..").map(Number);
console.log(`| seed | k-means | Ward | ${counts.map((count) => `${count} answers`).join(" | ")} |`);
console.log(`|---|---|---|${counts.map(() => "---|").join("")}`);
for (let seed = first; seed <= last; seed++) {
  const { rows, truth } = drawSentences(seed, { n: 2_400, topics: K, ...(values.confused ? CONFUSED : CLEAR) });
  const points = pointsFromRows(rows);
  const options = { k: K, seed, kernels };
  const plain = ["kmeans", "ward"].map((algorithm) =>
    scoresOf(cluster(points, undefined, /** @type {any} */ ({ ...options, algorithm })).labels, truth).adjustedRand.toFixed(3),
  );
  const answered = counts.map((budget) => {
    const { constraints } = askFromLabels({ points, k: K, budget, truth, kernels });
    const { labels, chosen } = cluster(points, constraints, /** @type {any} */ ({ ...options, algorithm: "auto" }));
    return `${scoresOf(labels, truth).adjustedRand.toFixed(3)} ${chosen?.algorithm}`;
  });
  console.log(`| ${[seed, ...plain, ...answered].join(" | ")} |`);
}
