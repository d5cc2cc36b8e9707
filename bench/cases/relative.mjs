/** Relative triplets: BUILD beside tralda, ReCon beside our unconstrained centroid linkage, and the memory of a large ReCon. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { linkages, randomTriplets, recon, tripletConsistency } from "@coterie/core/internal";
import { readTable } from "@coterie/data";
import { createSimdKernels } from "@coterie/kernels";
import { benchCase } from "../context.mjs";
import { side } from "../measure.mjs";

const child = fileURLToPath(new URL("../children/recon.mjs", import.meta.url));

export default benchCase("relative triplets", async function* (bench) {
  yield buildRow(bench, bench.quick ? 200 : 1000, bench.quick ? 4000 : 20_000);
  for (const [name, bar] of /** @type {const} */ ([
    ["letters-IJLT", 3],
    ["letters-3000", 10],
  ])) {
    yield await reconRow(bench, name, bar);
  }
  yield memoryRow(bench.quick ? 2000 : 20_000, bench.quick ? 1000 : 10_000);
});

/** @param {import("../context.mjs").Bench} bench @param {number} leaves @param {number} count @returns {import("../measure.mjs").Row} */
function buildRow(bench, leaves, count) {
  const triples = treeTriples(bench.random("build"), leaves, count);
  const column = (/** @type {number} */ part) => triples.filter((_, at) => at % 3 === part);
  const [a, b, c] = [column(0), column(1), column(2)];
  return {
    name: "build",
    title: `BUILD, ${leaves} leaves, ${count} triplets of a random binary tree`,
    bar: 0.2,
    ours: side("coterie", function* () {
      yield;
      const { tree } = tripletConsistency({ a, b, c });
      yield;
      return { leaves: tree?.row.filter((row) => row >= 0).length, broken: tree ? broken(tree, triples) : count };
    }),
    peer: bench.peer("tralda", "build", { file: bench.write("triples.i4", triples), leaves }),
    check: (own, other) => {
      if (own.broken > 0) return `our tree breaks ${own.broken} triplets`;
      if (other === undefined) return undefined;
      return own.leaves === other.leaves ? undefined : `${own.leaves} leaves, the peer has ${other.leaves}`;
    },
  };
}

/** Triplets of a random binary tree: a, b, c in turn. @param {import("@coterie/core/internal").Random} random @param {number} n @param {number} count */
function treeTriples(random, n, count) {
  const roots = Array.from({ length: n }, (_, leaf) => leaf);
  const parent = new Int32Array(2 * n - 1).fill(-1);
  for (let node = n; node < 2 * n - 1; node++) {
    for (const _ of [0, 1]) parent[/** @type {number} */ (roots.splice(random.int(roots.length), 1)[0])] = node;
    roots.push(node);
  }
  const meet = (/** @type {number} */ i, /** @type {number} */ j) => {
    while (i !== j) {
      if (i < j) i = /** @type {number} */ (parent[i]);
      else j = /** @type {number} */ (parent[j]);
    }
    return i;
  };
  const triples = new Int32Array(3 * count);
  for (let s = 0; s < count; s++) {
    const [i = 0, j = 0, l = 0] = random.sample(n, 3);
    const [ij, il] = [meet(i, j), meet(i, l)];
    triples.set(ij < il ? [i, j, l] : il < ij ? [i, l, j] : [j, l, i], 3 * s);
  }
  return triples;
}

/** Triplets that a tree does not induce. @param {import("@coterie/core/internal").Hierarchy} tree @param {Int32Array} triples */
function broken({ parent, row }, triples) {
  const depth = new Int32Array(parent.length).fill(-1);
  const depthOf = (/** @type {number} */ node) => {
    const path = [];
    for (let at = node; depth[at] === -1; at = /** @type {number} */ (parent[at])) {
      if (parent[at] === -1) depth[at] = 0;
      else path.push(at);
    }
    for (const at of path.reverse()) depth[at] = 1 + /** @type {number} */ (depth[/** @type {number} */ (parent[at])]);
    return /** @type {number} */ (depth[node]);
  };
  const leaf = new Map(Array.from(row, (r, node) => [r, node]));
  const meetDepth = (/** @type {number} */ i, /** @type {number} */ j) => {
    let [x, y] = [/** @type {number} */ (leaf.get(i)), /** @type {number} */ (leaf.get(j))];
    while (x !== y) {
      if (depthOf(x) >= depthOf(y)) x = /** @type {number} */ (parent[x]);
      else y = /** @type {number} */ (parent[y]);
    }
    return depthOf(x);
  };
  let count = 0;
  for (let s = 0; s < triples.length; s += 3) {
    const [a = 0, b = 0, c = 0] = triples.subarray(s, s + 3);
    if (!(meetDepth(a, b) > meetDepth(a, c))) count++;
  }
  return count;
}

/** @param {import("../context.mjs").Bench} bench @param {string} name @param {number} bar @returns {Promise<import("../measure.mjs").Row>} */
async function reconRow(bench, name, bar) {
  const points = await readTable(name, { truth: "class" });
  const truth = /** @type {import("@coterie/core/internal").Labelling} */ (points.truth);
  const k = truth.names.length;
  const count = bench.quick ? 500 : 3000;
  const set = randomTriplets(truth, { count, random: bench.random(name) });
  const kernels = createSimdKernels();
  return {
    name: `recon-${name}`,
    title: `ReCon, ${name}, ${points.n} rows, ${count} random triplets`,
    bar,
    rounds: 7,
    ours: side("coterie recon", function* () {
      yield;
      const { merges, violations, notices } = recon(points, set, { k, kernels });
      yield;
      return { merges: merges?.length, broken: violations.relative.length, notice: notices.at(-1) };
    }),
    peer: side("coterie centroid-link", function* () {
      yield;
      const { merges } = linkages.centroid(points, undefined, { k, kernels });
      yield;
      return { merges: merges?.length };
    }),
    check: (own, other) =>
      own.broken === 0 && own.merges === points.n - 1 && other?.merges === own.merges
        ? undefined
        : `${own.merges} merges, ${own.broken} triplets broken`,
    note: ({ notice }) => notice,
  };
}

/** @param {number} n @param {number} count @returns {import("../measure.mjs").Row} */
function memoryRow(n, count) {
  return {
    name: "recon-memory",
    title: `peak of the whole process, ReCon, n=${n} d=16, ${count} random triplets of 10 classes`,
    unit: "bytes",
    rounds: 1,
    warmUps: 0,
    ours: {
      name: "coterie recon",
      async once() {
        const { stdout } = await promisify(execFile)(process.execPath, [child, String(n), String(count)]);
        const answer = JSON.parse(stdout);
        return { value: answer.peakBytes, answer };
      },
    },
    check: ({ merges, broken: lost }) =>
      merges === n - 1 && lost === 0 ? undefined : `${merges} merges, ${lost} triplets broken`,
    note: ({ milliseconds, notice }) => `in ${(milliseconds / 1000).toFixed(1)} s, distances included; ${notice}`,
  };
}
