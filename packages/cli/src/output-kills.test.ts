/**
 * Several outputs are one promise. The program is killed, interrupted, or runs out of disk at each step of its writing in turn: what
 * it says is there is there, and the next run finds nothing unfinished.
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { folderWith } from "./testing/console.js";

const BIN = fileURLToPath(new URL("../bin/coterie.js", import.meta.url));
const LONG = process.env.COTERIE_LONG === "1";
const TABLE = "id,x\na,0\nb,1\nc,9\nd,10\n";
/** What each output begins with, and what one of an earlier run is. */
const OUTPUTS = { "l.csv": "id,cluster\n", "r.json": '{"algorithm"', "p.html": "<!doctype html>", "m.json": "{" } as const;
const NAMES = Object.keys(OUTPUTS) as (keyof typeof OUTPUTS)[];
const OLD = "of an earlier run";

/**
 * Runs before the program. Counts the steps that change the disk in this folder, says each on standard error, and at step AT does
 * what HOW says: is killed, gets Ctrl-C, gets two of them, or gets the error of a full disk.
 */
const PRELOADED = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const [at, how, plain] = [Number(process.env.AT), process.env.HOW, fs.writeSync];
let steps = 0;
function step(name, before) {
  steps++;
  plain(2, "step " + steps + " " + name + "\\n");
  if (steps !== at) return;
  if (how === "kill") process.kill(process.pid, "SIGKILL");
  if (how === "full" && before) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  if (how === "interrupt" || how === "twice") process.kill(process.pid, "SIGINT");
  if (how === "twice") setImmediate(() => process.kill(process.pid, "SIGINT"));
}
const isOurs = (path) => typeof path === "string" && path.startsWith(process.cwd());
for (const name of ["renameSync", "rmSync", "writeFileSync"]) {
  const work = fs[name];
  fs[name] = (...args) => {
    if (isOurs(args[0])) step(name, name !== "rmSync");
    return work(...args);
  };
}
const open = fs.promises.open;
fs.promises.open = async (...args) => {
  const ours = isOurs(args[0]) && args[1] === "r+";
  if (ours) step("open", true);
  const file = await open(...args);
  if (!ours) return file;
  for (const name of ["write", "sync", "close"]) {
    const work = file[name].bind(file);
    file[name] = async (...rest) => {
      step(name, name !== "close");
      return await work(...rest);
    };
  }
  return file;
};
syncBuiltinESMExports();
`;

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly err: string;
  readonly out: string;
  readonly steps: number;
}

type How = "kill" | "interrupt" | "twice" | "full" | "nothing";

async function run(folder: string, at: number, how: How): Promise<Ended> {
  const files = ["--out", "l.csv", "--report", "r.json", "--html", "p.html", "--model", "m.json"];
  const args = [
    "--import",
    "./preloaded.mjs",
    BIN,
    "cluster",
    "data.csv",
    "-k",
    "2",
    "--id",
    "id",
    "--workers",
    "1",
    "--quiet",
    ...files,
    "--json",
  ];
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, AT: String(at), HOW: how } });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end();
  let [out, err] = ["", ""];
  child.stdout.on("data", (text) => (out += text));
  child.stderr.on("data", (text) => (err += text));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on("close", (...ended) => resolve(ended)),
  );
  const lines = err.split("\n");
  return {
    // Where the program has stopped listening, since all is done, the signal itself is the end.
    code: signal === "SIGINT" ? 130 : code,
    signal,
    out,
    err: lines.filter((line) => !line.startsWith("step ")).join("\n"),
    steps: lines.filter((line) => line.startsWith("step ")).length,
  };
}

function fresh(): string {
  const old = Object.fromEntries(NAMES.map((name) => [name, OLD]));
  return folderWith({ "data.csv": TABLE, "preloaded.mjs": PRELOADED, ...old });
}

/** The outputs that are those of this run; the others are whole, and those of the earlier one. */
function newIn(folder: string): string[] {
  return NAMES.filter((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    if (text === OLD) return false;
    expect(text.toLowerCase().slice(0, OUTPUTS[name].length)).toBe(OUTPUTS[name]);
    expect(text).toMatch(name === "p.html" ? /<\/html>\s*$/ : /[}\d]\n?$/);
    return true;
  });
}

const partsIn = (folder: string) => readdirSync(folder).filter((name) => name.includes("part"));

/** How many steps a run takes to write everything. */
async function allSteps(): Promise<number> {
  const folder = fresh();
  const { code, steps, err } = await run(folder, 0, "nothing");
  expect([code, err, newIn(folder)]).toEqual([0, "", NAMES]);
  expect(existsSync(join(folder, "l.csv.source.json"))).toBe(true);
  return steps;
}

/** All steps, or some that are spread over them, the last renames included. */
function chosen(steps: number, few: number): number[] {
  const all = Array.from({ length: steps }, (_, i) => i + 1);
  if (LONG) return all;
  return all.filter((step) => (step * few) % steps < few);
}

test("interrupted, or out of disk, at any step: all files or none, and the messages are true", {
  timeout: 1_800_000,
}, async () => {
  const steps = await allSteps();
  for (const how of ["interrupt", "twice", "full"] as const) {
    for (const at of chosen(steps, how === "twice" ? 1 : 3)) {
      const folder = fresh();
      const { code, err, out } = await run(folder, at, how);
      const there = newIn(folder);
      const when = `${how} at step ${at} of ${steps}: ${err}`;
      expect(partsIn(folder), when).toEqual([]);
      if (code === 0) {
        expect([there, JSON.parse(out).k], when).toEqual([NAMES, 2]);
        continue;
      }
      expect(code, when).toBe(how === "full" ? 3 : 130);
      expect(err, when).not.toMatch(/bug in Coterie|^\s+at /m);
      // Two interruptions end the process without a word.
      if (how === "twice" && err === "") continue;
      if (there.length === 0) expect(err.toLowerCase(), when).toMatch(/nothing was written|cannot be written here/);
      else
        expect(err, when).toMatch(new RegExp(`(^|: )${there.join(", ")} (was|were) written before and (is|are) complete`, "m"));
      // Only the disk itself can come between two renames.
      if (there.length % NAMES.length !== 0) expect([how, err], when).toEqual(["full", expect.stringContaining("Not written: ")]);
    }
  }
});

test("killed at any step: whole files, old or new, and the next run clears up", { timeout: 1_800_000 }, async () => {
  const steps = await allSteps();
  let left = 0;
  for (const at of chosen(steps, 4)) {
    const folder = fresh();
    const before = readdirSync(folder);
    const { signal } = await run(folder, at, "kill");
    const when = `killed at step ${at} of ${steps}`;
    expect(signal, when).toBe("SIGKILL");
    newIn(folder);
    const parts = partsIn(folder);
    left += parts.length;
    // Whoever else keeps unfinished files there keeps them.
    writeFileSync(join(folder, "movie.mkv.part"), "mine");
    const { code, err } = await run(folder, 0, "nothing");
    expect([code, err, newIn(folder)], when).toEqual([0, "", NAMES]);
    const sides = ["l.csv.source.json", "r.json.source.json"];
    expect(readdirSync(folder).sort(), when).toEqual([...before, ...sides, "movie.mkv.part"].sort());
  }
  expect(left).toBeGreaterThan(0);
});
