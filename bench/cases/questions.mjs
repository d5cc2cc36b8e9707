/**
 * Questions: the waiting time for the next question, and the score after a number of answers.
 *
 * The waiting time is measured after an answer "same", which takes longest because it decides a row or a merge. It is compared with one
 * full clustering of the same rows. Dialogues are compared with COBRAS (cobras-ts), which chooses its own questions about the same rows.
 * Both get answers from the true classes, and neither knows the number of classes. Every round has another order of the rows, the same
 * for both, and another seed of COBRAS; our strategies use no random numbers. The k-means in COBRAS has ten starts, the default when
 * COBRAS was written; with one start, today's default, it scores lower on most sets.
 */
import {
  adjustedRandIndex,
  askFromLabels,
  contingency,
  linkages,
  pairCounts,
  startAsking,
  trueAnswer,
  violationCount,
  violationsOf,
} from "@coterie/core/internal";
import { readTable } from "@coterie/data";
import { createSimdKernels } from "@coterie/kernels";
import { benchCase } from "../context.mjs";
import { cloudRows } from "../data.mjs";
import { side } from "../measure.mjs";

const D = 16;
const K = 10;
const SPREAD = 1;
/** Number of questions of the measured dialogue; below: number of answers before the clock starts. */
const BUDGET = 500;
const BEFORE = 60;
const SEEDS = 10;

/** Sets with their number of answers. The sets with a bar are those on which COBRAS was measured first. */
const DIALOGUES = [
  { name: "iris", answers: 30 },
  { name: "iris", answers: 100, bar: 0 },
  { name: "wine", answers: 100 },
  { name: "glass", answers: 150 },
  { name: "ionosphere", answers: 150 },
  { name: "digits", answers: 100 },
  { name: "digits", answers: 500, bar: 0 },
];

/** @typedef {import("@coterie/core/internal").Session} Session */
/** @typedef {{ readonly points: import("@coterie/core/internal").Points, readonly truth: Int32Array }} Rows */

export default benchCase("questions: the wait for the next one, and where answers lead", async function* (bench) {
  const n = bench.quick ? 1000 : 5000;
  const { x, cloud } = cloudRows(bench.random("questions"), n, D, K, SPREAD);
  const rows = { points: { n, d: D, x }, truth: cloud };
  for (const strategy of ["spreading", "active-ccl", "explore-consolidate", "min-max", "npu"]) yield* waits(rows, strategy);
  for (const { name, answers, bar } of bench.quick ? DIALOGUES.slice(0, 2) : DIALOGUES) {
    yield await dialogue(bench, name, answers, bar);
  }
});

/** @param {Rows} rows @param {string} strategy @returns {Generator<import("../measure.mjs").Row, void, void>} */
function* waits({ points, truth }, strategy) {
  const kernels = createSimdKernels();
  /** @type {Session | undefined} */
  let session;
  const opened = () => {
    if (session) return session;
    session = startAsking({ points, strategy, k: K, budget: BUDGET, kernels });
    for (let asked = 0; asked < BEFORE; asked++) answerTruly(session, truth);
    return session;
  };
  /** An answer "same" between two yields. @param {Session} asking */
  const oneAnswer = function* (asking) {
    while (pendingAnswer(asking, truth) === "different") answerTruly(asking, truth);
    yield;
    answerTruly(asking, truth);
    asking.next();
    yield;
  };
  const sizes = `n=${points.n} d=${D} k=${K}`;
  yield {
    name: `next-${strategy}`,
    title: `${strategy}: from an answer to the next question, ${sizes}`,
    bar: 0.2,
    ours: side("coterie, one answer", function* () {
      yield* oneAnswer(opened());
      return null;
    }),
    peer: side("coterie complete linkage", function* () {
      yield;
      linkages.complete(points, undefined, { k: K, kernels });
      yield;
      return null;
    }),
  };
  yield {
    name: `undo-${strategy}`,
    title: `${strategy}: an undo beside the answer it takes back, ${sizes}`,
    bar: 2,
    ours: side("coterie, one undo", function* () {
      const asking = opened();
      answerTruly(asking, truth);
      asking.next();
      yield;
      asking.undo();
      asking.next();
      yield;
      return null;
    }),
    peer: side("coterie, one answer", function* () {
      const asking = opened();
      yield* oneAnswer(asking);
      asking.undo();
      return null;
    }),
  };
}

/** @param {Session} session @param {Int32Array} truth */
function pendingAnswer(session, truth) {
  const question = session.next();
  if (question === null) throw new Error("There is nothing left to ask.");
  return trueAnswer(question, truth);
}

/** @param {Session} session @param {Int32Array} truth */
function answerTruly(session, truth) {
  session.answer(pendingAnswer(session, truth));
}

/**
 * @param {import("../context.mjs").Bench} bench @param {string} name @param {number} budget @param {number | undefined} bar
 * @returns {Promise<import("../measure.mjs").Row>}
 */
async function dialogue(bench, name, budget, bar) {
  const table = await readTable(name, { truth: "class" });
  return {
    name: `${name}-${budget}`,
    title: `adjusted Rand after ${budget} answers on ${name}, n=${table.n}`,
    unit: "score",
    held: "shortfall",
    ...(bar === undefined ? {} : { bar }),
    rounds: SEEDS,
    warmUps: 0,
    ours: counted("coterie spreading", async (seed) => {
      const { points, truth } = shuffled(bench, table, seed);
      const { constraints, outcome } = askFromLabels({ points, truth, budget, strategy: "spreading" });
      const broken = violationCount(violationsOf(constraints, outcome.labels));
      return { value: score(outcome.labels, truth), answer: { broken } };
    }),
    peer: bench.hasPeers
      ? counted("cobras-ts", async (seed) => {
          const { points, truth } = shuffled(bench, table, seed);
          const stem = `questions-${name}-${seed}`;
          const files = { file: bench.write(`${stem}.f8`, points.x), truth: bench.write(`${stem}.i4`, truth) };
          const peer = bench.peer("", "cobras", { ...files, d: points.d, budget, seed });
          if (!peer) throw new Error("The process of the peers has ended.");
          const { answer } = await peer.once();
          return { value: score(answer.labels, truth), answer };
        })
      : null,
    check: (own) => (own.broken > 0 ? `ours breaks ${own.broken} of its answers` : undefined),
    note: (_, peer) => (peer ? `no answer broken; the peer broke ${peer.broken} in its last run` : ""),
  };
}

/** A side that counts its calls: each call has another seed. @param {string} name @param {(seed: number) => Promise<import("../measure.mjs").Outcome>} once */
function counted(name, once) {
  let seed = 0;
  return { name, once: () => once(seed++) };
}

/** @param {import("../context.mjs").Bench} bench @param {import("@coterie/core/internal").Instances} table @param {number} seed @returns {Rows} */
function shuffled(bench, { n, d, x, truth }, seed) {
  const codes = /** @type {import("@coterie/core/internal").Labelling} */ (truth).codes;
  const order = Int32Array.from({ length: n }, (_, row) => row);
  bench.random("order of rows").split("seed", seed).shuffle(order);
  const moved = new Float64Array(n * d);
  order.forEach((row, place) => {
    moved.set(x.subarray(row * d, (row + 1) * d), place * d);
  });
  return { points: { n, d, x: moved }, truth: order.map((row) => /** @type {number} */ (codes[row])) };
}

/** @param {Int32Array} labels @param {Int32Array} truth */
function score(labels, truth) {
  return adjustedRandIndex(pairCounts(contingency(labels, truth)));
}
