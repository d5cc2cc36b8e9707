/** The MPCK family: the time of an iteration compared with k-means, and of a whole clustering compared with the Python package. */
import { constraints, emptyConstraints, generateConstraints, kmeans, mpckMeans, pckMeans } from "@coterie/core/internal";
import { readTable } from "@coterie/data";
import { createSimdKernels } from "@coterie/kernels";
import { benchCase } from "../context.mjs";
import { cloudRows } from "../data.mjs";

const D = 16;
const K = 32;
const SPREAD = 0.6;
const CONSTRAINTS = 10_000;
/** The time of an iteration is the difference of a longer and a shorter run from the same centres, divided by the extra iterations. */
const SHORT = 2;
const LONG = 8;
const COMPONENTS = 100;
/** Limit on the package's processor time on digits, in seconds. A clustering that is stopped counts with this time. */
const PATIENCE_SECONDS = 240;

export default benchCase("MPCK-means and its family", async function* (bench) {
  yield* iterationRows(bench);
  yield* componentRows(bench);
  yield await digitsRow(bench);
});

/** @param {import("../context.mjs").Bench} bench */
async function* iterationRows(bench) {
  const n = bench.quick ? 50_000 : 1_000_000;
  const random = bench.random("mpck");
  const { x, cloud } = cloudRows(random, n, D, K, SPREAD);
  const points = { n, d: D, x };
  const truth = { codes: cloud, names: Array.from({ length: K }, (_, c) => String(c)) };
  const known = generateConstraints(truth, { count: CONSTRAINTS, random: random.split("constraints") });
  const init = Array.from(random.split("first centres").sample(n, K), (row) => [...x.subarray(row * D, (row + 1) * D)]);
  const options = { k: K, init, kernels: createSimdKernels() };
  const plain = perIteration("our k-means without bounds", (maxIterations) =>
    kmeans(points, undefined, { ...options, maxIterations, bounds: false }),
  );
  const common = { ...options, search: 0 };
  const row = (
    /** @type {string} */ name,
    /** @type {number} */ bar,
    /** @type {(maxIterations: number) => import("@coterie/core/internal").Result} */ run,
  ) => ({
    name,
    title: `an iteration of ${name}, n=${n} d=${D} k=${K}, ${CONSTRAINTS} constraints, one thread, processor time`,
    bar,
    rounds: 3,
    ours: perIteration(name, run),
    peer: plain,
  });
  yield row("pck", 1.5, (maxIterations) => pckMeans(points, known, { ...common, maxIterations }));
  yield row("mpck", 3, (maxIterations) => mpckMeans(points, known, { ...common, maxIterations }));
  const { bar: _, ...multiple } = row("mpck-multiple", 0, (maxIterations) =>
    mpckMeans(points, known, { ...common, maxIterations, metrics: "multiple" }),
  );
  yield multiple;
}

/**
 * The processor time of one iteration in milliseconds, which other programs affect least.
 * @param {string} name @param {(maxIterations: number) => import("@coterie/core/internal").Result} run
 * @returns {import("../measure.mjs").Side}
 */
function perIteration(name, run) {
  const timed = (/** @type {number} */ iterations) => {
    const start = process.cpuUsage();
    const { iterations: done } = run(iterations);
    if (done !== iterations) throw new Error(`${name} stopped after ${done} iterations; ${iterations} were to be timed.`);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  return {
    name,
    async once() {
      const short = timed(SHORT);
      return { value: Math.max(0, timed(LONG) - short) / (LONG - SHORT), answer: null };
    },
  };
}

/** Must-links that join 10⁵ rows into 100 components, with 5·10⁷ entailed pairs. @param {import("../context.mjs").Bench} bench */
function* componentRows(bench) {
  const n = bench.quick ? 10_000 : 200_000;
  const bound = n / 2;
  const random = bench.random("components");
  const { x, cloud } = cloudRows(random, n, D, 10, 2);
  const points = { n, d: D, x };
  const last = new Map();
  const mustLink = /** @type {[number, number][]} */ ([]);
  for (let i = 0; i < bound; i++) {
    const component = /** @type {number} */ (cloud[i]) * (COMPONENTS / 10) + random.int(COMPONENTS / 10);
    if (last.has(component)) mustLink.push([last.get(component), i]);
    last.set(component, i);
  }
  const joined = constraints(points, { mustLink });
  const labelled = constraints(points, { labels: Array.from({ length: bound }, (_, i) => [i, `cloud ${cloud[i]}`]) });
  const kernels = createSimdKernels();
  const init = Array.from({ length: 10 }, (_, c) => {
    const row = cloud.indexOf(c, bound);
    return [...x.subarray(row * D, (row + 1) * D)];
  });
  const run = (/** @type {string} */ name, /** @type {typeof joined} */ known) =>
    perIterationOfAll(name, () => mpckMeans(points, known, { k: 10, init, kernels, search: 0, maxIterations: 6 }));
  const peer = run("no constraints", { ...emptyConstraints(n), notices: [] });
  const title = `an iteration of mpck-means, processor time with its share of the start, n=${n} d=${D} k=10: ${bound} rows`;
  yield {
    name: "components",
    title: `${title} must-linked into ${COMPONENTS} components, and none`,
    ours: run(`${mustLink.length} must-links`, joined),
    peer,
    bar: 2,
  };
  yield { name: "labels", title: `${title} with labels of 10 classes, and none`, ours: run(`${bound} labels`, labelled), peer };
}

/** @param {string} name @param {() => import("@coterie/core/internal").Result} run @returns {import("../measure.mjs").Side} */
function perIterationOfAll(name, run) {
  return {
    name,
    async once() {
      const start = process.cpuUsage();
      const { iterations } = run();
      const { user, system } = process.cpuUsage(start);
      return { value: (user + system) / 1000 / /** @type {number} */ (iterations), answer: null };
    },
  };
}

/** @param {import("../context.mjs").Bench} bench @returns {Promise<import("../measure.mjs").Row>} */
async function digitsRow(bench) {
  const points = await readTable("digits", { truth: "class" });
  const { n, d, truth } = points;
  if (!truth) throw new Error("A set without classes.");
  const count = bench.quick ? 50 : 500;
  const known = generateConstraints(truth, { count, random: bench.random("digits") });
  const pairs = (/** @type {{ readonly a: Int32Array, readonly b: Int32Array }} */ { a, b }) =>
    Array.from(a, (row, s) => [row, b[s]]);
  const kernels = createSimdKernels();
  const seconds = bench.quick ? 5 : PATIENCE_SECONDS;
  const peer = bench.peer("active-semi-supervised-clustering MPCKMeans", "mpck_to_convergence", {
    file: bench.write("digits.f8", points.x),
    d,
    k: 10,
    together: pairs(known.mustLinks),
    apart: pairs(known.cannotLinks),
    seconds,
  });
  return {
    name: "digits",
    title: `digits, n=${n} d=${d} k=10, ${count} constraints, one start to convergence, processor time; the package gets ${seconds} s at most`,
    rounds: 1,
    warmUps: 0,
    bar: 1 / 200,
    ours: {
      name: "coterie mpck-means",
      async once() {
        const run = () => mpckMeans(points, known, { k: 10, kernels, restarts: 1 });
        run();
        const start = process.cpuUsage();
        const answer = run();
        const { user, system } = process.cpuUsage(start);
        return { value: (user + system) / 1000, answer };
      },
    },
    peer: peer && {
      name: peer.name,
      async once() {
        const { answer } = await peer.once();
        return { value: answer.milliseconds, answer };
      },
    },
    note: (own, other) =>
      `ours: ${own.iterations} iterations, ${own.stopped}; the package: ${other?.ended ?? "not run"}, so its time is ` +
      (other?.ended === "converged" ? "whole" : "a lower bound"),
  };
}
