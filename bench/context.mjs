/** The context of a case: sizes, random numbers, files that both sides read, and the peers. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {import("./measure.mjs").Side} Side */

export const SEED = 20_240_607;

/**
 * @typedef {object} Bench
 * @property {boolean} quick small sizes, to see that everything runs
 * @property {(purpose: string) => import("@coterie/core/internal").Random} random the same stream for the same purpose, in every run
 * @property {(name: string, data: Float64Array | Int32Array | string[]) => string} write a file for both sides; its path
 * @property {boolean} hasPeers
 * @property {(name: string, command: string, args: Readonly<Record<string, unknown>>, threads?: number) => Side | null} peer
 *   a command of peers.py, or null where the peers are missing
 * @property {(name: string, command: string, args: Readonly<Record<string, unknown>>) => Side | null} processorPeer
 *   the same with one thread, by processor time
 * @property {string | null} python the peers' interpreter
 */

/**
 * A case: rows about one subject. Rows are made one after the other, so that the data of a row can be freed after it.
 * @typedef {{ readonly title: string, rows(bench: Bench): AsyncGenerator<import("./measure.mjs").Row, void, void> }} Case
 */

/**
 * @param {string} title
 * @param {Case["rows"]} rows
 * @returns {Case}
 */
export const benchCase = (title, rows) => ({ title, rows });

/**
 * @param {string} folder
 * @param {boolean} quick
 * @param {import("./peers.mjs").Peers | null} peers
 * @returns {Promise<Bench>}
 */
export async function createBench(folder, quick, peers) {
  const { randomFrom } = await import("@coterie/core/internal");
  return {
    quick,
    random: (purpose) => randomFrom(SEED).split(purpose),
    write(name, data) {
      const file = join(folder, name);
      if (!Array.isArray(data)) writeFileSync(file, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      else for (const [index, piece] of data.entries()) writeFileSync(file, piece, { flag: index === 0 ? "w" : "a" });
      return file;
    },
    hasPeers: peers !== null,
    peer: (name, command, args, threads) => peers?.side(name, command, args, threads) ?? null,
    processorPeer: (name, command, args) => peers?.side(name, command, args, 1, "processor") ?? null,
    python: peers?.python ?? null,
  };
}
