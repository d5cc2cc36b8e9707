/** Ctrl-C before the program is loaded, and while it takes over: exit 130 as at any other time, and no signal is lost. */
import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { folderWith } from "./testing/console.js";
import { BIN, PRELOADED } from "./testing/listening.js";

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

/** Interrupts a command at several times after it listens; each time it ends with 130 and one sentence. */
async function interruptedOnce(command: string, folder: string, times: readonly number[]): Promise<void> {
  const args = ["--import", "./preloaded.mjs", BIN, ...command.split(" ")];
  const ends = await Promise.all(times.map((after) => interrupt(args, folder, "listening", after, "SIGINT")));
  expect(ends.map(({ code }) => code)).toEqual(times.map(() => 130));
  for (const { err } of ends) expect(err.match(/Interrupted/g)).toHaveLength(1);
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
    await interruptedOnce("cluster big.csv -k 60 --restarts 4000 --out labels.csv", folder, [0, 20, 60, 100]);
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
    await interruptedOnce("diagnose --constraints many.csv -k 3 --effort 100000000", folder, [0, 60, 120, 2000]);
  });
});
