/**
 * Constrained complete linkage from points to labels, compared with the paper's restricted Floyd-Warshall in NumPy with fastcluster,
 * and with our complete linkage without constraints. The constraints are true for the clouds that the rows were drawn from.
 */
import { ccl, constraints, linkages } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { numbersDiffer } from "../compare.mjs";
import { benchCase } from "../context.mjs";
import { cloudRows } from "../data.mjs";
import { side } from "../measure.mjs";

const D = 16;
const CLOUDS = 10;
const SPREAD = 0.6;

/** @typedef {{ readonly n: number, readonly x: Float64Array, readonly cloud: Int32Array, readonly file: string }} Input */

export default benchCase("constrained complete linkage from points to labels", async function* (bench) {
  const input = inputOf(bench, bench.quick ? 600 : 5000);
  const linked = bench.quick ? 40 : 200;
  const cannot = bench.quick ? 60 : 500;
  const pairs = knownLinks(bench, input, linked / 2, linked, cannot);
  yield besideNumPy(bench, "numpy", input, knownLinks(bench, input, linked / 10, linked, cannot), false);
  yield besideNumPy(bench, "numpy-pairs", input, pairs, false);
  yield besideNumPy(bench, "numpy-lookahead", input, pairs, true);
  for (const [name, components, bar] of /** @type {const} */ ([
    ["components-20", 20, 1.5],
    ["components-100", 100, 3],
  ])) {
    const must = Math.max(2 * components, linked);
    const known = knownLinks(bench, input, components, must, cannot);
    yield { ...besidePlain(name, input, known, false), bar };
    yield { ...besidePlain(`${name}-lookahead`, input, known, true), bar };
    yield { ...withAndWithout(`${name}-ahead`, input, known), bar: 2 };
  }
});

/** @param {import("../context.mjs").Bench} bench @param {number} n @returns {Input} */
function inputOf(bench, n) {
  const { x, cloud } = cloudRows(bench.random("ccl"), n, D, CLOUDS, SPREAD);
  return { n, x, cloud, file: bench.write(`ccl-${n}.f8`, x) };
}

/** @typedef {{ readonly components: readonly (readonly number[])[], readonly apart: readonly (readonly [number, number])[] }} KnownLinks */

/**
 * `count` components with `linked` rows in all, each component within one cloud; and pairs of rows from different clouds.
 * @param {import("../context.mjs").Bench} bench @param {Input} input @param {number} count @param {number} linked @param {number} pairs
 * @returns {KnownLinks}
 */
function knownLinks(bench, { n, cloud }, count, linked, pairs) {
  const random = bench.random(`ccl constraints ${count}`);
  const order = Int32Array.from({ length: n }, (_, row) => row);
  random.shuffle(order);
  const byCloud = Array.from({ length: CLOUDS }, (_, c) => order.filter((row) => cloud[row] === c));
  const components = Array.from({ length: count }, (_, c) => {
    const rows = /** @type {Int32Array} */ (byCloud[c % CLOUDS]);
    const size = linked / count;
    const from = Math.floor(c / CLOUDS) * size;
    return [...rows.subarray(from, from + size)].sort((a, b) => a - b);
  });
  const apart = /** @type {[number, number][]} */ ([]);
  while (apart.length < pairs) {
    const [a, b] = [random.int(n), random.int(n)];
    if (cloud[a] !== cloud[b]) apart.push([a, b]);
  }
  return { components, apart };
}

/** @param {Input} input @param {KnownLinks} known */
function constraintSet({ n, x }, { components, apart }) {
  const mustLink = components.flatMap((rows) => rows.slice(1).map((row, i) => [/** @type {number} */ (rows[i]), row]));
  return constraints({ n, d: D, x }, { mustLink: /** @type {[number, number][]} */ (mustLink), cannotLink: apart });
}

/**
 * With the completed set the merges differ from the peer's, so only the number of broken constraints is checked.
 * @param {import("../context.mjs").Bench} bench @param {string} name @param {Input} input @param {KnownLinks} known @param {boolean} lookahead
 * @returns {import("../measure.mjs").Row}
 */
function besideNumPy(bench, name, input, known, lookahead) {
  const members = known.components.flat();
  const starts = [0];
  for (const rows of known.components) starts.push(/** @type {number} */ (starts.at(-1)) + rows.length);
  const args = {
    file: input.file,
    d: D,
    k: CLOUDS,
    members: bench.write(`${name}-members.i4`, Int32Array.from(members)),
    starts: bench.write(`${name}-starts.i4`, Int32Array.from(starts)),
    apart: bench.write(`${name}-apart.i4`, Int32Array.from(known.apart.flat())),
  };
  return {
    name,
    title: `${members.length} must-linked rows in ${known.components.length} components, ${known.apart.length} cannot-links, n=${input.n} d=${D}`,
    rounds: 2,
    warmUps: 0,
    bar: 0.3,
    ours: ours(lookahead ? "coterie ccl, set completed" : "coterie ccl", input, known, lookahead),
    peer: bench.peer("numpy Floyd-Warshall, fastcluster", "constrained_link", args),
    check: (own, other) => {
      if (lookahead) return own.broken === 0 ? undefined : `${own.broken} cannot-links are broken`;
      const free = own.heights.filter(Number.isFinite);
      return numbersDiffer("heights before the first barred merge", free, other.heights.subarray(0, free.length), 1e-10);
    },
    note: noteOf,
  };
}

/** @param {string} name @param {Input} input @param {KnownLinks} known @param {boolean} lookahead @returns {import("../measure.mjs").Row} */
function besidePlain(name, input, known, lookahead) {
  const { n, x } = input;
  const kernels = createSimdKernels();
  return {
    name,
    title: `${known.components.length} components, ${known.apart.length} cannot-links, ${lookahead ? "set completed" : "the paper's"}, beside no constraints, n=${n}`,
    rounds: 21,
    ours: ours("coterie ccl", input, known, lookahead),
    peer: side("coterie complete linkage", function* () {
      yield;
      const { merges = [] } = linkages.complete({ n, d: D, x }, undefined, { k: CLOUDS, kernels });
      yield;
      return { merges: merges.length };
    }),
    note: noteOf,
  };
}

/** Compares the completed set with the paper's method. @param {string} name @param {Input} input @param {KnownLinks} known @returns {import("../measure.mjs").Row} */
function withAndWithout(name, input, known) {
  return {
    name,
    title: `${known.components.length} components, ${known.apart.length} cannot-links, set completed beside the paper's, n=${input.n}`,
    rounds: 5,
    ours: ours("coterie ccl, set completed", input, known, true),
    peer: ours("coterie ccl", input, known, false),
    note: noteOf,
  };
}

/** @param {string} name @param {Input} input @param {KnownLinks} known @param {boolean} lookahead */
function ours(name, input, known, lookahead) {
  const { n, x } = input;
  const set = constraintSet(input, known);
  const kernels = createSimdKernels();
  return side(name, function* () {
    yield;
    const result = ccl({ n, d: D, x }, set, { k: CLOUDS, lookahead, kernels });
    yield;
    const { merges = [], violations, notices } = result;
    return { heights: Float64Array.from(merges, (merge) => merge[2]), broken: violations.cannotLink.length, notices };
  });
}

/** @param {{ readonly broken: number, readonly notices: readonly string[] }} own */
function noteOf({ broken, notices }) {
  return `${broken} cannot-links broken${notices.some((notice) => notice.includes("completed")) ? ", kept with the completed set" : ""}`;
}
