/**
 * Measures the two sides of a row in turns, in the same run, so that other load on the machine slows both.
 *
 * A side makes attempts. Our attempt is a generator that prepares, yields, does the measured work, yields again, and returns an answer.
 * Answers are compared every round: the time of a side counts only if it computes the same.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { busyShare, QUIET } from "./busy.mjs";

/**
 * @typedef {Generator<void, unknown, void> | AsyncGenerator<void, unknown, void>} Attempt prepare, `yield`, the timed work, `yield`, answer
 * @typedef {{ readonly value: number, readonly answer: any }} Outcome the amount (in the row's unit), and what was computed
 * @typedef {{ readonly name: string, once(): Promise<Outcome> }} Side
 */

/**
 * @typedef {"ms" | "bytes" | "score" | "exponent"} Unit larger scores are better; one value per round
 * @typedef {"ratio" | "value" | "difference" | "shortfall"} Held
 */

/**
 * One comparison, or one measurement of ours alone.
 * @typedef {object} Row
 * @property {string} name unique within its case
 * @property {string} title what is computed, with its sizes
 * @property {Side} ours
 * @property {Side | null} [peer] null where the peers are missing; left out where there is none
 * @property {Unit} [unit] of the sides' values; "ms" if left out
 * @property {Held} [held] what the bar limits: ours over the peer's by minima (the default with a peer), ours by its median (the
 *   default without), ours minus the peer's by medians, or, for scores, the peer's mean minus ours
 * @property {number} [bar] the most that is allowed; left out for information
 * @property {number} [rounds] 5 if left out
 * @property {number} [warmUps] 1 if left out
 * @property {boolean} [needsQuiet] for rows with threads that wait for each other: other programs make their times meaningless, so the
 *   bar is judged only on a quiet machine
 * @property {(ours: any, peer: any) => string | undefined} [check] a sentence if the answers differ; `peer` is undefined without a peer
 * @property {(ours: any, peer: any) => string} [note] facts worth showing, from the last answers
 */

/** @typedef {{ readonly name: string, readonly minimum: number, readonly median: number, readonly mean: number, readonly error: number, readonly all: readonly number[] }} Amounts `error`: the standard error of the mean */

/**
 * @typedef {object} Measurement
 * @property {string} row
 * @property {string} title
 * @property {Unit} unit
 * @property {Amounts} ours
 * @property {Amounts | null} peer
 * @property {number | null} ratio of minima
 * @property {readonly number[]} ratios per round
 * @property {Held} held
 * @property {number | null} figure what is held against the bar
 * @property {number | null} figureError the standard error of a shortfall
 * @property {number | null} bar
 * @property {boolean | null} met null if there is no bar, or if it cannot be judged
 * @property {"equal" | "not compared" | string} answers
 * @property {string} note
 * @property {number} busy share of the machine that other programs used, the larger value of before and after
 */

/**
 * @param {Row} row
 * @param {{ readonly rounds?: number | undefined, readonly withBar?: boolean }} [options] `rounds` overrides the row's
 * @returns {Promise<Measurement>}
 */
export async function measure(row, { rounds = row.rounds ?? 5, withBar = true } = {}) {
  const peer = row.peer ?? null;
  const ours = /** @type {number[]} */ ([]);
  const theirs = /** @type {number[]} */ ([]);
  let answers = row.check && row.peer !== null ? "equal" : "not compared";
  let note = "";
  const before = await busyShare();
  for (let round = -(row.warmUps ?? 1); round < rounds && (answers === "equal" || answers === "not compared"); round++) {
    const { own, other } = await inTurn(row.ours, peer, round % 2 === 0);
    if (round >= 0) {
      ours.push(own.value);
      if (other) theirs.push(other.value);
    }
    if (row.peer !== null) answers = row.check?.(own.answer, other?.answer) ?? answers;
    note = row.note?.(own.answer, other?.answer) ?? "";
  }
  const busy = Math.max(before, await busyShare());
  const judgement = judged(row, ours, theirs, withBar, busy);
  return { row: row.name, title: row.title, unit: row.unit ?? "ms", ...judgement, answers, note, busy };
}

/** @param {Side} ours @param {Side | null} peer @param {boolean} oursFirst */
async function inTurn(ours, peer, oursFirst) {
  if (!peer) return { own: await ours.once(), other: null };
  if (oursFirst) return { own: await ours.once(), other: await peer.once() };
  const other = await peer.once();
  return { own: await ours.once(), other };
}

/** @param {Row} row @param {number[]} ours @param {number[]} theirs @param {boolean} withBar @param {number} busy */
function judged(row, ours, theirs, withBar, busy) {
  const held = row.held ?? (row.peer === undefined ? "value" : "ratio");
  const own = amounts(row.ours.name, ours);
  const peer = row.peer ? amounts(row.peer.name, theirs) : null;
  const ratio = peer ? own.minimum / peer.minimum : null;
  const gap = amounts(
    "gap",
    theirs.map((value, round) => value - /** @type {number} */ (ours[round])),
  );
  const figures = { value: own.median, ratio, difference: peer && own.median - peer.median, shortfall: peer && gap.mean };
  const figure = figures[held];
  const bar = withBar ? (row.bar ?? null) : null;
  const isFair = !(row.needsQuiet && busy > QUIET);
  const met = bar === null || figure === null || Number.isNaN(figure) || !isFair ? null : figure <= bar;
  return {
    ours: own,
    peer,
    ratio,
    ratios: theirs.map((value, round) => /** @type {number} */ (ours[round]) / value),
    held,
    figure,
    figureError: held === "shortfall" && peer ? gap.error : null,
    bar,
    met,
  };
}

/** @param {string} name @param {number[]} all @returns {Amounts} */
function amounts(name, all) {
  const sorted = [...all].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  const median = sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  const squares = all.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const error = Math.sqrt(squares / (all.length - 1) / all.length);
  return { name, minimum: sorted[0] ?? Number.NaN, median, mean, error, all };
}

/**
 * Our side: each round runs a new attempt, with a garbage collection before the clock starts.
 * @param {string} name
 * @param {() => Attempt} attempt
 * @returns {Side}
 */
export function side(name, attempt) {
  return timedSide(name, attempt, () => performance.now());
}

/** Like `side`, with the processor time of all threads, which depends less on other programs. @param {string} name @param {() => Attempt} attempt @returns {Side} */
export function processorSide(name, attempt) {
  return timedSide(name, attempt, () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  });
}

/** @param {string} name @param {() => Attempt} attempt @param {() => number} clock in milliseconds @returns {Side} */
function timedSide(name, attempt, clock) {
  return {
    name,
    async once() {
      const steps = attempt();
      await steps.next();
      collectGarbage();
      const start = clock();
      const turn = steps.next();
      // Awaiting a value that is not a promise would add a turn of the event loop to the measured time.
      if (turn instanceof Promise) await turn;
      const value = clock() - start;
      const { value: answer } = await steps.next();
      return { value, answer };
    },
  };
}

setFlagsFromString("--expose-gc");
const collectGarbage = /** @type {() => void} */ (runInNewContext("gc"));
