/** Rand index and pairwise F of a clustering, from the labels. */
import { contingency, pairCounts, pairwiseF, randIndex } from "@coterie/core/internal";
import { numbersDiffer } from "../compare.mjs";
import { benchCase } from "../context.mjs";
import { side } from "../measure.mjs";

export default benchCase("Rand index and pairwise F", async function* (bench) {
  const n = bench.quick ? 100_000 : 1_000_000;
  for (const k of [10, 1000]) {
    const random = bench.random(`labels of ${k} clusters`);
    const truth = Int32Array.from({ length: n }, () => random.int(k));
    const clustering = truth.map((label) => (random.unit() < 0.7 ? label : random.int(k)));
    const files = { truth: bench.write(`truth-${k}.i4`, truth), clustering: bench.write(`clustering-${k}.i4`, clustering) };
    const row = {
      title: `n=${n} k=${k}`,
      ours: ours(clustering, truth),
      check: (/** @type {any} */ own, /** @type {any} */ other) =>
        numbersDiffer("Rand and F", [own.rand, own.f], [other.rand, other.f], 1e-12),
    };
    yield {
      ...row,
      name: `k${k}`,
      peer: bench.peer("scikit-learn rand_score, pair_confusion_matrix", "pair_scores", { ...files, rand: true }),
      bar: 0.5,
    };
    yield {
      ...row,
      name: `k${k}-once`,
      title: `${row.title}; the peer's both from one pair_confusion_matrix`,
      peer: bench.peer("scikit-learn pair_confusion_matrix", "pair_scores", { ...files, rand: false }),
    };
  }
});

/** @param {Int32Array} clustering @param {Int32Array} truth */
function ours(clustering, truth) {
  return side("coterie", function* () {
    yield;
    const counts = pairCounts(contingency(clustering, truth));
    const rand = randIndex(counts);
    const { f } = pairwiseF(counts);
    yield;
    return { rand, f };
  });
}
