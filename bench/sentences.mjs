/**
 * Do answers help on embeddings of sentences? Generates rows like them: unit vectors of 384 numbers. A row is the sum of a part that all rows
 * share, its topic, one of four sub-topics, part of one other topic, and noise. Topics differ in size. Answers are right.
 *
 *     node bench/sentences.mjs [--seeds 0..2] [--counts 100,300] [--confused]
 *
 * --confused: weaker topics, so that many rows are as near to another topic.
 */
import { parseArgs } from "node:util";
import { askFromLabels, cluster, pointsFromRows, randomFrom, scoresOf } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "0..2" },
    counts: { type: "string", default: "100,300" },
    confused: { type: "boolean", default: false },
  },
});
const [N, K, D, SUBTOPICS] = [2_400, 10, 384, 4];
const { least, mix, subtopic, noise, uneven } = values.confused
  ? { least: 0.2, mix: 0.9, subtopic: 0.6, noise: 1.4, uneven: 0.8 }
  : { least: 0.3, mix: 0.7, subtopic: 1, noise: 1.2, uneven: 1.2 };

/** @param {number} seed */
function sentences(seed) {
  const random = randomFrom(seed);
  const unit = () => scaled(Array.from({ length: D }, () => random.normal()));
  const sizes = Array.from({ length: K }, () => Math.exp(uneven * random.normal()));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const shared = unit();
  const topics = sizes.map(unit);
  const subtopics = topics.map(() => Array.from({ length: SUBTOPICS }, unit));
  const truth = new Int32Array(N);
  const rows = Array.from(truth, (_, i) => {
    let [at, left] = [0, all * random.unit()];
    while (at < K - 1 && left > (sizes[at] ?? 0)) left -= sizes[at++] ?? 0;
    truth[i] = at;
    const [topic, other, sub] = [topics[at], topics[(at + 1 + random.int(K - 1)) % K], subtopics[at]?.[random.int(SUBTOPICS)]];
    const strength = 0.5 * (least + (1 - least) * random.unit());
    const share = mix * random.unit();
    return scaled(
      shared.map(
        (value, j) =>
          0.6 * value +
          strength * ((topic?.[j] ?? 0) + share * (other?.[j] ?? 0) + subtopic * (sub?.[j] ?? 0)) +
          (noise * random.normal()) / Math.sqrt(D),
      ),
    );
  });
  return { points: pointsFromRows(rows), truth };
}

/** @param {number[]} row */
function scaled(row) {
  const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
  return row.map((value) => value / length);
}

const kernels = createSimdKernels();
const counts = values.counts.split(",").map(Number);
const [first = 0, last = first] = values.seeds.split("..").map(Number);
console.log(`| seed | k-means | Ward | ${counts.map((count) => `${count} answers`).join(" | ")} |`);
console.log(`|---|---|---|${counts.map(() => "---|").join("")}`);
for (let seed = first; seed <= last; seed++) {
  const { points, truth } = sentences(seed);
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
