/**
 * Rows like embeddings of sentences: unit vectors of 384 numbers. A row is the sum of a part that all rows share, its topic, one of four
 * sub-topics, part of one other topic, and noise. Topics differ in size.
 */
import { randomFrom } from "@coterie/core/internal";

const [D, SUBTOPICS] = [384, 4];

/** @typedef {{ least: number, mix: number, subtopic: number, noise: number, uneven: number }} Strengths */

/** @type {Strengths} */
export const CLEAR = { least: 0.3, mix: 0.7, subtopic: 1, noise: 1.2, uneven: 1.2 };
/** Weaker topics, so that many rows are as near to another topic. @type {Strengths} */
export const CONFUSED = { least: 0.2, mix: 0.9, subtopic: 0.6, noise: 1.4, uneven: 0.8 };

/** @param {number} seed @param {{ n: number, topics: number } & Strengths} options */
export function drawSentences(seed, { n, topics: k, least, mix, subtopic, noise, uneven }) {
  const random = randomFrom(seed);
  const unit = () => scaled(Array.from({ length: D }, () => random.normal()));
  const sizes = Array.from({ length: k }, () => Math.exp(uneven * random.normal()));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const shared = unit();
  const topics = sizes.map(unit);
  const subtopics = topics.map(() => Array.from({ length: SUBTOPICS }, unit));
  const truth = new Int32Array(n);
  const rows = Array.from(truth, (_, i) => {
    let [at, left] = [0, all * random.unit()];
    while (at < k - 1 && left > (sizes[at] ?? 0)) left -= sizes[at++] ?? 0;
    truth[i] = at;
    const [topic, other, sub] = [topics[at], topics[(at + 1 + random.int(k - 1)) % k], subtopics[at]?.[random.int(SUBTOPICS)]];
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
  return { rows, truth };
}

/** @param {number[]} row */
function scaled(row) {
  const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
  return row.map((value) => value / length);
}
