/** `coterie ask` killed at random moments: what it acknowledged is in the log, and the log is never broken. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { randomFrom } from "@coterie/core/internal";
import { parseLog } from "@coterie/data";
import { expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const BIN = fileURLToPath(new URL("../bin/coterie.js", import.meta.url));
const KILLS = process.env.COTERIE_LONG === "1" ? 200 : 4;
/** Words for questions about pairs; more "unsure" than needed, so that questions last. */
const WORDS = ["same", "different", "different", "unsure", "unsure", "undo"];

const random = randomFrom(2002).split("kills");

/** Lines of JSON that are complete. */
function linesOf(text: string): string[] {
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1);
}

function wholeRecords(log: string): string[] {
  return existsSync(log) ? linesOf(readFileSync(log, "utf8")) : [];
}

/** Starts the dialogue, lets it run for a random while, kills it; returns the records that it acknowledged. */
async function runAndKill(data: string): Promise<{ acknowledged: string[]; killed: boolean }> {
  const child = spawn(process.execPath, [
    BIN,
    "ask",
    data,
    "-k",
    "3",
    "--ignore",
    "class",
    "--budget",
    "100000",
    "--resume",
    "--script",
    "--quiet",
  ]);
  child.stdin.on("error", () => {});
  child.stdin.write(Array.from({ length: 3000 }, () => `${WORDS[random.int(WORDS.length)]}\n`).join(""));
  let out = "";
  const closed = once(child, "close");
  // One in eight dies while it starts; the others after some answers, and a little later than any one of them.
  const early = random.int(8) === 0;
  const patience = random.int(60);
  const late = random.int(5);
  let doomed = false;
  const kill = () => child.kill("SIGKILL");
  if (early) setTimeout(kill, random.int(700));
  child.stdout.on("data", (piece) => {
    out += piece;
    if (early || doomed || out.split('"record":"answer"').length <= patience) return;
    doomed = true;
    if (late === 0) kill();
    else setTimeout(kill, late);
  });
  const [, signal] = await closed;
  const acknowledged = linesOf(out).filter((line) => !line.includes('"record":"question"'));
  return { acknowledged, killed: signal === "SIGKILL" };
}

test(`${KILLS} kills lose no acknowledged answer and never break the log`, { timeout: 1_200_000 }, async () => {
  let kills = 0;
  let answers = 0;
  let torn = 0;
  while (kills < KILLS) {
    const folder = folderWith();
    const data = join(folder, "t.csv");
    const log = `${data}.answers.jsonl`;
    await coterie("data", "make", "cellwalls", "-n", "150", "--seed", String(kills), "--out", data);
    for (let finished = false; kills < KILLS && !finished; ) {
      const before = wholeRecords(log);
      const { acknowledged, killed } = await runAndKill(data);
      finished = !killed;
      if (killed) kills++;
      const after = wholeRecords(log);
      const added = after.slice(Math.max(1, before.length));
      expect(after.slice(0, before.length)).toEqual(before);
      expect(added.slice(0, acknowledged.length)).toEqual(acknowledged);
      expect(added.length - acknowledged.length).toBeLessThanOrEqual(1);
      if (existsSync(log)) {
        const parsed = parseLog(readFileSync(log), log);
        expect(parsed.stretches.length).toBeLessThanOrEqual(1);
        if (parsed.whole < readFileSync(log).length) torn++;
      }
      answers += acknowledged.length;
    }
    const resumed = await coterie(
      "ask",
      data,
      "--resume",
      "--json",
      ...(existsSync(log) ? [] : ["-k", "3", "--ignore", "class"]),
    );
    expect(resumed.code).toBe(0);
    const kept = parseLog(readFileSync(log), log).stretches.flatMap((stretch) => stretch.answers);
    expect(JSON.parse(resumed.out).questions.asked).toBe(kept.length);
    expect(existsSync(`${log}.lock`)).toBe(false);
  }
  expect(kills).toBe(KILLS);
  expect(answers).toBeGreaterThan(KILLS);
  process.stderr.write(`${kills} kills, ${answers} acknowledged answers, ${torn} torn lines\n`);
});
