/** The peers: one Python process that answers one command at a time, over lines of JSON. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** @typedef {import("./measure.mjs").Side} Side */

/** Most threads of a peer; a command can ask for fewer. */
const MOST_THREADS = 2;
const SAID = 20;

export class Peers {
  #process;
  #lines;
  #said = /** @type {string[]} */ ([]);

  /** @param {string} python @param {string} folder for answers that are too long for a line */
  constructor(python, folder) {
    this.python = python;
    const threads = String(MOST_THREADS);
    this.#process = spawn(python, [fileURLToPath(new URL("peers.py", import.meta.url)), folder], {
      env: { ...process.env, OMP_NUM_THREADS: threads, OPENBLAS_NUM_THREADS: threads, MKL_NUM_THREADS: threads },
      stdio: ["pipe", "pipe", "pipe"],
    });
    // After a write to a dead process the missing answer gives the error.
    this.#process.stdin.on("error", () => {});
    createInterface({ input: this.#process.stderr }).on("line", (line) => {
      this.#said.push(line);
      if (this.#said.length > SAID) this.#said.shift();
    });
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  /**
   * A peer as a side of a row; its times are taken inside its own process.
   * @param {string} name for people
   * @param {string} command a function of peers.py
   * @param {Readonly<Record<string, unknown>>} args
   * @param {number} [threads]
   * @param {"wall" | "processor"} [clock]
   * @returns {Side}
   */
  side(name, command, args, threads = 1, clock = "wall") {
    return { name, once: () => this.#ask({ command, threads, clock, args }) };
  }

  /** Lets the process free the data that it keeps between rounds. */
  async forget() {
    await this.#ask({ command: "forget", threads: 1, args: {} });
  }

  close() {
    this.#process.stdin.end();
  }

  /** @param {unknown} command */
  async #ask(command) {
    this.#process.stdin.write(`${JSON.stringify(command)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`The peers' process ended: ${this.#said.join("\n")}`);
    const reply = JSON.parse(value);
    if (reply.error !== undefined) throw new Error(`The peer failed: ${reply.error}`);
    return { value: reply.milliseconds, answer: withArrays(reply.answer) };
  }
}

/** Arrays come as raw files. @param {any} answer @returns {any} */
function withArrays(answer) {
  if (answer === null || typeof answer !== "object") return answer;
  if (typeof answer.file === "string") return arrayFrom(answer.file, answer.type);
  return Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, withArrays(value)]));
}

/** @param {string} file @param {"f8" | "i4"} type */
function arrayFrom(file, type) {
  const bytes = readFileSync(file);
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  return type === "f8" ? new Float64Array(copy) : new Int32Array(copy);
}
