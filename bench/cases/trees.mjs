/**
 * Clustering trees under constraints: ClusILC compared with the authors' program, and the growth of its time.
 *
 * The paper's bound (struyf2006, section 3.5) for N nodes, A columns, I rows, C labels and L constraints is
 * N·A·(I·log I + I·(C + A) + L): at most I·log I against the rows, and proportional to nodes and to constraints.
 */
import {
  closeAsSet,
  closeConstraints,
  clusilc,
  contingency,
  generateConstraints,
  pairCounts,
  randIndex,
} from "@coterie/core/internal";
import { readTable } from "@coterie/data";
import { clusSide } from "../clus.mjs";
import { benchCase } from "../context.mjs";
import { side } from "../measure.mjs";

/** The bar if Clus cannot be run: a tenth of the 6.6 s that Clus took on digits on a machine with two cores, in milliseconds. */
const TENTH_OF_CLUS = 660;
/** Tolerance for H. Both searches are greedy, and can differ after ties. */
const H_WITHIN = 0.01;
const REPEATS = 3;

/** @typedef {import("@coterie/core/internal").Instances & { readonly truth: import("@coterie/core/internal").Labelling }} Table */

export default benchCase("clustering trees under constraints", async function* (bench) {
  for (const { name, count, rows, bar } of [
    { name: "digits", count: 500, rows: 300, bar: 0.1 },
    { name: "pendig", count: 2000, rows: 500, bar: undefined },
  ]) {
    const read = await tables(name, bench.quick ? rows : Number.POSITIVE_INFINITY);
    if (read) yield await besideClus(bench, name, read, bench.quick ? 60 : count, bar);
  }
  const letter = await tables("letter", bench.quick ? 1000 : Number.POSITIVE_INFINITY);
  if (!letter) return;
  const { scaled } = letter;
  const known = drawn(bench, scaled, bench.quick ? 100 : 5000);
  yield { name: "letter", title: titleOf("letter", scaled, known), rounds: 3, ours: ours(scaled, known), note: noteOf(scaled) };
  yield* growth(bench, scaled);
});

/** @param {import("../context.mjs").Bench} bench @param {string} name @param {{ scaled: Table, raw: Table }} tables @param {number} count @param {number | undefined} bar */
async function besideClus(bench, name, { scaled, raw }, count, bar) {
  const known = drawn(bench, scaled, count);
  const peer = await clusSide(bench, { name, points: raw, known, k: scaled.truth.names.length });
  const row = { name, title: titleOf(name, scaled, known), rounds: 3, ours: ours(scaled, known) };
  if ("missing" in peer) {
    const alone = name === "digits" ? { bar: TENTH_OF_CLUS } : {};
    return { ...row, ...alone, note: (/** @type {any} */ own) => `${noteOf(scaled)(own)}; ${peer.missing}` };
  }
  return {
    ...row,
    ...(bar === undefined ? {} : { bar }),
    peer,
    check: (/** @type {any} */ own, /** @type {any} */ other) =>
      Math.abs(own.h - other.h) <= H_WITHIN ? undefined : `H ${own.h}, the peer's ${other.h}`,
    note: noteOf(scaled),
  };
}

/** @param {Table} points @param {import("@coterie/core/internal").BuiltConstraints} known @param {import("@coterie/core/internal").ClusilcOptions} [options] */
function ours(points, known, options = { k: points.truth.names.length }) {
  return side("coterie, with closure and rules", function* () {
    yield;
    const { tree, objective, labels } = clusilc(points, known, options);
    yield;
    return { h: objective, leaves: tree?.leaves, labels };
  });
}

/** @param {Table} points @returns {(own: any, other?: any) => string} */
function noteOf({ truth }) {
  const facts = (/** @type {any} */ { h, leaves, labels }) =>
    `${leaves} leaves, H ${h.toFixed(4)}, Rand ${randIndex(pairCounts(contingency(Int32Array.from(labels), truth.codes))).toFixed(3)}`;
  return (own, other) => (other ? `${facts(own)}; the peer ${facts(other)}` : facts(own));
}

/** The growth of time with each size alone: the slope of a line through the logarithms. @param {import("../context.mjs").Bench} bench @param {Table} all */
function* growth(bench, all) {
  const scale = bench.quick ? 0.02 : 1;
  const sizes = (/** @type {number[]} */ ...full) => full.map((size) => Math.round(size * scale));
  const limit = (/** @type {number} */ leaves) =>
    /** @type {const} */ ({ k: all.truth.names.length, labelRule: "any", maxLeaves: leaves });
  const leaves = bench.quick ? 8 : 50;
  const rows = sizes(2500, 5000, 10_000, 20_000);
  const slopeOfBound = slope(
    rows,
    rows.map((n) => n * Math.log(n)),
  );
  yield slopeRow("rows", `rows ${rows.join(", ")}, ${leaves} leaves`, rows, slopeOfBound, (n) => {
    const some = firstRows(all, bench.random("rows").sample(all.n, n));
    return [some, drawn(bench, some, sizes(1000)[0] ?? 0), limit(leaves)];
  });
  const half = firstRows(all, bench.random("rows").sample(all.n, sizes(10_000)[0] ?? 0));
  const counts = bench.quick ? [4, 8, 16] : [25, 50, 100, 200];
  const known = drawn(bench, half, sizes(2500)[0] ?? 0);
  yield slopeRow("leaves", `leaves ${counts.join(", ")}, n=${half.n}`, counts, 1, (most) => [half, known, limit(most)]);
  const links = sizes(1250, 2500, 5000, 10_000, 20_000);
  yield slopeRow("constraints", `constraints ${links.join(", ")}, n=${half.n}, ${leaves} leaves`, links, 1, (count) => [
    half,
    drawn(bench, half, count),
    limit(leaves),
  ]);
}

/**
 * @param {string} name @param {string} title @param {readonly number[]} sizes @param {number} bar
 * @param {(size: number) => [Table, import("@coterie/core/internal").BuiltConstraints, import("@coterie/core/internal").ClusilcOptions]} make
 * @returns {import("../measure.mjs").Row}
 */
function slopeRow(name, title, sizes, bar, make) {
  const tasks = sizes.map(make);
  return {
    name: `growth-${name}`,
    title: `letter, slope of time against ${title}`,
    unit: "exponent",
    rounds: 3,
    bar,
    ours: {
      name: "coterie, processor time",
      async once() {
        const times = tasks.map(([points, known, options]) => leastProcessorTime(() => clusilc(points, known, options)));
        return { value: slope(sizes, times), answer: { times } };
      },
    },
    note: ({ times }) =>
      `${times.map((/** @type {number} */ time) => time.toFixed(0)).join(", ")} ms; the paper's bound has slope ${bar.toFixed(2)}`,
  };
}

/** The least processor time of several runs, in milliseconds. It does not depend on other programs. @param {() => void} work */
function leastProcessorTime(work) {
  let least = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Least squares on the logarithms. @param {readonly number[]} sizes @param {readonly number[]} values */
function slope(sizes, values) {
  const [xs, ys] = [sizes.map(Math.log), values.map(Math.log)];
  const mean = (/** @type {number[]} */ all) => all.reduce((sum, value) => sum + value, 0) / all.length;
  const [x, y] = [mean(xs), mean(ys)];
  const along = xs.reduce((sum, value, at) => sum + (value - x) * /** @type {number} */ (ys[at] - y), 0);
  return along / xs.reduce((sum, value) => sum + (value - x) ** 2, 0);
}

/** Pairs without repeated or entailed pairs, which Clus would count twice. @param {import("../context.mjs").Bench} bench @param {Table} points @param {number} count */
function drawn(bench, points, count) {
  const known = generateConstraints(points.truth, { count, random: bench.random(`constraints ${count}`) });
  return closeAsSet(closeConstraints(known));
}

/** The table scaled for the tree and unscaled; null if it is not on this machine. @param {string} name @param {number} most */
async function tables(name, most) {
  try {
    const read = await readTable(name, { truth: "class" });
    const rows = Int32Array.from({ length: Math.min(most, read.n) }, (_, i) => i);
    const raw = firstRows(/** @type {Table} */ (read), rows);
    return { raw, scaled: standardised(raw) };
  } catch (error) {
    process.stderr.write(`${name} is left out: ${error instanceof Error ? error.message : error}\n`);
    return null;
  }
}

/** Every column around 0 with deviation 1, as Clus measures variance. @param {Table} table @returns {Table} */
function standardised(table) {
  const { n, d } = table;
  const x = table.x.slice();
  for (let j = 0; j < d; j++) {
    const column = Array.from({ length: n }, (_, i) => /** @type {number} */ (x[i * d + j]));
    const mean = column.reduce((sum, value) => sum + value, 0) / n;
    const deviation = Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / n);
    for (const [i, value] of column.entries()) x[i * d + j] = deviation > 0 ? (value - mean) / deviation : 0;
  }
  return { ...table, x };
}

/** @param {Table} table @param {Int32Array} rows @returns {Table} */
function firstRows({ d, x, truth, names }, rows) {
  const some = new Float64Array(rows.length * d);
  for (const [i, row] of rows.entries()) some.set(x.subarray(row * d, (row + 1) * d), i * d);
  return {
    n: rows.length,
    d,
    x: some,
    ...(names ? { names } : {}),
    truth: { ...truth, codes: rows.map((row) => truth.codes[row] ?? -1) },
  };
}

/** @param {string} name @param {Table} points @param {import("@coterie/core/internal").BuiltConstraints} known */
function titleOf(name, { n, d, truth }, known) {
  const count = known.mustLinks.a.length + known.cannotLinks.a.length;
  return `clusilc on ${name}, n=${n} d=${d} k=${truth.names.length}, ${count} constraints`;
}
