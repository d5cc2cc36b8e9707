/** Ctrl-C before the program is loaded, and while it takes over: exit 130 as at any other time, and no signal is lost. */
import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { folderWith } from "./testing/console.js";

const BIN = fileURLToPath(new URL("../bin/coterie.js", import.meta.url));

/** Runs before anything else in the process; says so when the first listener for Ctrl-C is there. */
const PRELOADED = `import { writeSync } from "node:fs";
const say = (event) => {
  if (event !== "SIGINT") return;
  process.off("newListener", say);
  queueMicrotask(() => writeSync(2, "listening\\n"));
};
process.on("newListener", say);`;

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly err: string;
}

/** Starts a program, sends the signal some time after it has said a word on standard error, and waits for its end. */
async function interrupt(
  args: readonly string[],
  cwd: string,
  word: string,
  after: number,
  signal: NodeJS.Signals,
): Promise<Ended> {
  const child: ChildProcess = spawn(process.execPath, args, { cwd, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let err = "";
  const ended = new Promise<Ended>((resolve) => child.on("close", (code, signal) => resolve({ code, signal, err })));
  await new Promise<void>((resolve) => {
    child.on("close", () => resolve());
    child.stderr!.on("data", (text) => {
      err += text;
      if (err.includes(word)) resolve();
    });
  });
  await pause(after);
  child.kill(signal);
  return await ended;
}

describe("Ctrl-C", () => {
  test.each(["SIGINT", "SIGTERM"] as const)("while the program is being loaded (%s): 130 at once", async (signal) => {
    const folder = folderWith({ "package.json": '{ "type": "module" }' });
    for (const name of ["bin", "dist/bundle"]) mkdirSync(join(folder, name), { recursive: true });
    copyFileSync(BIN, join(folder, "bin", "coterie.js"));
    writeFileSync(
      join(folder, "dist", "bundle", "main.js"),
      'process.stderr.write("loading\\n"); await new Promise((resolve) => setTimeout(resolve, 60_000)); export async function main() {}',
    );
    const { code, err } = await interrupt(["bin/coterie.js"], folder, "loading", 0, signal);
    expect(err).toContain("Interrupted: nothing was written.");
    expect(code).toBe(130);
  });

  test("at any moment after that: 130, one sentence, nothing written", async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `${(i * 7919) % 10007},${(i * 104729) % 10009}`);
    const folder = folderWith({ "big.csv": `a,b\n${rows.join("\n")}\n`, "preloaded.mjs": PRELOADED });
    const args = [
      "--import",
      "./preloaded.mjs",
      BIN,
      "cluster",
      "big.csv",
      "-k",
      "60",
      "--restarts",
      "4000",
      "--out",
      "labels.csv",
    ];
    const ends = await Promise.all([0, 20, 60, 100].map((after) => interrupt(args, folder, "listening", after, "SIGINT")));
    expect(ends.map(({ code }) => code)).toEqual([130, 130, 130, 130]);
    for (const { err } of ends) expect(err.match(/Interrupted/g)).toHaveLength(1);
    expect(readdirSync(folder).sort()).toEqual(["big.csv", "preloaded.mjs"]);
  });

  test("on the way into a long search and deep inside it: 130, one sentence", async () => {
    const pairs = Array.from({ length: 14_000 }, (_, i) => [(i * 7919) % 4001, (i * i * 31 + 17 * i + 5) % 4003]).filter(
      ([a, b]) => a !== b,
    );
    const folder = folderWith({
      "many.csv": `type,a,b\n${pairs.map(([a, b]) => `cannot-link,${a},${b}`).join("\n")}\n`,
      "preloaded.mjs": PRELOADED,
    });
    const args = [
      "--import",
      "./preloaded.mjs",
      BIN,
      "diagnose",
      "--constraints",
      "many.csv",
      "-k",
      "3",
      "--effort",
      "100000000",
    ];
    const ends = await Promise.all([0, 60, 120, 2000].map((after) => interrupt(args, folder, "listening", after, "SIGINT")));
    expect(ends.map(({ code }) => code)).toEqual([130, 130, 130, 130]);
    for (const { err } of ends) expect(err.match(/Interrupted/g)).toHaveLength(1);
  });
});
