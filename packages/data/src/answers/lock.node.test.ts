/** Several programs at one lock: never two of them hold it. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { hasEnded, makerIn, stamped } from "../writing/makers.js";
import { lockLog } from "./lock.js";

const ROUNDS = process.env.COTERIE_LONG === "1" ? 400 : 12;
const BUILD = new URL("../../dist/index.js", import.meta.url).href;
const GONE = 2 ** 22 - 1;

/**
 * A program that takes and releases locks on command. Between any two looks at the disk it may be held up for a while, as by
 * a busy machine.
 */
const CONTENDER = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { createInterface } from "node:readline";
const never = new Int32Array(new SharedArrayBuffer(4));
for (const name of ["rmSync", "openSync", "readFileSync", "linkSync", "readdirSync", "writeSync"]) {
  const plain = fs[name];
  fs[name] = (...args) => {
    if (String(args[0]).includes("coterie-lock")) Atomics.wait(never, 0, 0, Math.random() * 8);
    return plain(...args);
  };
}
syncBuiltinESMExports();
const { openAnswers } = await import(${JSON.stringify(BUILD)});
let log;
console.log("ready");
createInterface({ input: process.stdin }).on("line", (line) => {
  const [word, path, at] = JSON.parse(line);
  if (word === "take") {
    while (Date.now() < at);
    try {
      log = openAnswers(path, { resume: true });
      console.log("held");
    } catch (error) {
      console.log(error.problem ? "refused" : String(error.stack));
    }
  } else {
    log?.close();
    log = undefined;
    console.log("free");
  }
});
`;

interface Contender {
  say(...words: unknown[]): void;
  hear(): Promise<string>;
}

function startContender(script: string): Contender {
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    say: (...words) => void child.stdin.write(`${JSON.stringify(words)}\n`),
    hear: async () => (await lines.next()).value,
  };
}

test(`six programs at a stale lock, ${ROUNDS} times: one gets it`, { timeout: 600_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "coterie-lock-"));
  const script = join(folder, "contender.mjs");
  writeFileSync(script, CONTENDER);
  const contenders = Array.from({ length: 6 }, () => startContender(script));
  for (const contender of contenders) expect(await contender.hear()).toBe("ready");
  const all = async (...words: unknown[]) => {
    for (const contender of contenders) contender.say(...words);
    return await Promise.all(contenders.map((contender) => contender.hear()));
  };
  for (let round = 0; round < ROUNDS; round++) {
    const path = join(folder, `${round}.jsonl`);
    writeFileSync(`${path}.lock`, JSON.stringify({ pid: GONE, host: hostname(), began: null }));
    const said = await all("take", path, Date.now() + 20);
    expect(said.sort()).toEqual(["held", ...Array.from({ length: 5 }, () => "refused")]);
    await all("give back");
    expect(readdirSync(folder)).toEqual(["contender.mjs"]);
  }
});

function staleLock(): string {
  const path = join(mkdtempSync(join(tmpdir(), "coterie-lock-")), "t.jsonl");
  writeFileSync(`${path}.lock`, JSON.stringify({ pid: GONE, host: hostname(), began: null }));
  return path;
}

test("while another program is about to remove a stale lock, this one does not", () => {
  const path = staleLock();
  const lock = readFileSync(`${path}.lock`, "utf8");
  writeFileSync(stamped(`${path}.lock`, "claim"), "");
  expect(() => lockLog(path)).toThrow("Another program is asking with this log of answers.");
  expect(readFileSync(`${path}.lock`, "utf8")).toBe(lock);
});

test("the claim of a process that was killed is no obstacle, and is removed", () => {
  const path = staleLock();
  const claim = stamped(`${path}.lock`, "claim").replace(`-${process.pid}-`, `-${GONE}-`);
  writeFileSync(claim, "");
  const unlock = lockLog(path);
  expect(existsSync(claim)).toBe(false);
  unlock();
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test("a lock that was never written to is stale after a while", () => {
  const path = staleLock();
  writeFileSync(`${path}.lock`, "");
  expect(() => lockLog(path)).toThrow("Another program");
  utimesSync(`${path}.lock`, 1, 1);
  lockLog(path)();
});

test("a name shows which process made the file, but only names made by this program", () => {
  const name = stamped("labels.csv", "part");
  expect(makerIn(name)).toEqual(expect.objectContaining({ pid: process.pid, host: hostname() }));
  expect(hasEnded(makerIn(name)!)).toBe(false);
  expect(hasEnded(makerIn(name.replace(`-${process.pid}-`, `-${GONE}-`))!)).toBe(true);
  const elsewhere = makerIn(name.replace(/coterie-[0-9a-f]{8}/, "coterie-00000000"))!;
  expect([elsewhere.host, hasEnded({ ...elsewhere, pid: GONE })]).toEqual(["", false]);
  for (const other of ["labels.csv.part", "movie.mkv.part", "labels.csv.812.part", `${name}.csv`])
    expect(makerIn(other)).toBe(null);
});
