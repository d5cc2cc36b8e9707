/** Reads a table of doubles from a CSV file in the system's cache; pandas (since 3.1) and our readers use all threads. */
import { readColumns, readTable } from "@coterie/data";
import { numbersDiffer } from "../compare.mjs";
import { benchCase } from "../context.mjs";
import { normalRows } from "../data.mjs";
import { side } from "../measure.mjs";

const D = 16;
const PIECE_ROWS = 10_000;

export default benchCase("CSV from the system's cache", async function* (bench) {
  const n = bench.quick ? 20_000 : 1_000_000;
  const x = normalRows(bench.random("csv"), n, D);
  const full = { file: bench.write("full.csv", csvOf(x, String)), x };
  const size = `${n} x ${D}`;
  const toColumns = { ours: columnsSide, peer: "pandas read_csv", args: { rows_first: false } };
  const toRows = { ours: pointsSide, peer: "pandas read_csv, to_numpy", args: { rows_first: true } };
  yield { name: "digits-17", title: `shortest exact digits to columns, ${size}`, bar: 1, ...sidesOf(bench, full, toColumns) };
  yield { name: "points", title: `shortest exact digits to row-major points, ${size}`, ...sidesOf(bench, full, toRows) };
  const rounded = x.map((value) => Math.round(value * 1e4) / 1e4);
  const short = {
    file: bench.write(
      "short.csv",
      csvOf(rounded, (value) => value.toFixed(4)),
    ),
    x: rounded,
  };
  yield { name: "decimals-4", title: `4 decimals to columns, ${size}`, bar: 1, ...sidesOf(bench, short, toColumns) };
});

/** The file in pieces: a header, then pieces of some thousand lines. @param {Float64Array} x @param {(value: number) => string} text */
function csvOf(x, text) {
  const pieces = [`${Array.from({ length: D }, (_, j) => `x${j}`).join(",")}\n`];
  for (let from = 0; from < x.length; from += PIECE_ROWS * D) {
    let piece = "";
    for (let p = from; p < Math.min(x.length, from + PIECE_ROWS * D); p += D) {
      piece += `${Array.from(x.subarray(p, p + D), text).join(",")}\n`;
    }
    pieces.push(piece);
  }
  return pieces;
}

/** @typedef {{ readonly file: string, readonly x: Float64Array }} Written */

/**
 * @param {import("../context.mjs").Bench} bench @param {Written} written
 * @param {{ readonly ours: (written: Written) => import("../measure.mjs").Side, readonly peer: string, readonly args: object }} reading
 */
function sidesOf(bench, written, { ours, peer, args }) {
  return {
    rounds: 3,
    ours: ours(written),
    peer: bench.peer(peer, "read_csv", { file: written.file, ...args }),
    check: (/** @type {any} */ own, /** @type {any} */ other) => {
      if (own.wrong !== undefined) return own.wrong;
      if (own.rows !== other.rows) return `${own.rows} rows, the peer has ${other.rows}`;
      return numbersDiffer("sums of columns", own.sums, other.sums, 1e-9);
    },
  };
}

/** @param {Written} written */
function columnsSide({ file, x }) {
  return side("coterie readColumns", async function* () {
    yield;
    const { n, columns } = await readColumns(file, {});
    yield;
    return answerOf(n, x, (i, j) => (columns[j]?.kind === "numeric" ? columns[j].values[i] : undefined));
  });
}

/** @param {Written} written */
function pointsSide({ file, x }) {
  return side("coterie readTable", async function* () {
    yield;
    const points = await readTable(file);
    yield;
    return answerOf(points.n, x, (i, j) => points.x[i * D + j]);
  });
}

/** Sums for the comparison with the peer. Our numbers must be exactly the written numbers. @param {number} n @param {Float64Array} x @param {(i: number, j: number) => number | undefined} valueAt */
function answerOf(n, x, valueAt) {
  const sums = new Array(D).fill(0);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < D; j++) {
      const value = valueAt(i, j);
      if (value !== x[i * D + j])
        return { rows: n, sums, wrong: `row ${i}, column ${j} is ${value}, ${x[i * D + j]} was written` };
      sums[j] += value;
    }
  }
  return { rows: n, sums };
}
