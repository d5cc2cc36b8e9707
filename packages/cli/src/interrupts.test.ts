/**
 * Ctrl-C at a random moment of a random command: it ends with 130, on little more work, and what it leaves is whole or not there.
 * Work is counted in processor time, so that a busy machine changes nothing.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { folderWith } from "./testing/console.js";
import { BIN, PRELOADED } from "./testing/listening.js";
import { worked, workOf } from "./testing/work.js";

const LONG = process.env.COTERIE_LONG === "1";
const RUNS = LONG ? 200 : 6;
/** Rows of the tables; with large counts, also those of the wide one. */
const N = LONG ? 6_000 : 2_000;

let folder: string;

function tableOf(n: number, d: number): string {
  const rows = Array.from({ length: n }, (_, i) =>
    [`r${i}`, i % 5, ...Array.from({ length: d }, (_, j) => (i % 5) * 3 + (((i + 1) * (j + 7) * 7919) % 1009) / 200)].join(","),
  );
  return `${["id", "class", ...Array.from({ length: d }, (_, j) => `c${j}`)].join(",")}\n${rows.join("\n")}\n`;
}

beforeAll(() => {
  const pairs = Array.from({ length: N / 4 }, (_, i) => [(i * 7919) % N, (i * 104_729 + 13) % N]).filter(([a, b]) => a !== b);
  const link = ([a, b]: number[]) => `${a! % 5 === b! % 5 ? "must-link" : "cannot-link"},r${a},r${b}`;
  const within = (rows: number) => pairs.filter((pair) => Math.max(...pair) < rows).map(link);
  folder = folderWith({
    "t.csv": tableOf(N, 16),
    "wide.csv": tableOf(N / 2, 384),
    // More rows than a matrix is made for.
    ...(LONG ? { "large.csv": tableOf(20_000, 16) } : {}),
    "known.csv": `type,a,b\n${within(N).join("\n")}\n`,
    "few.csv": `type,a,b\n${within(N / 2)
      .slice(0, 40)
      .join("\n")}\n`,
    "labels.csv": `id,cluster\n${Array.from({ length: N }, (_, i) => `r${i},${(i * 7) % 9}`).join("\n")}\n`,
    "preloaded.mjs": PRELOADED,
  });
});

const DATA = ["--id", "id", "--truth", "class"];
const OUTPUTS = ["--out", "labels.csv", "--report", "report.json", "--html", "page.html"];
const run = (algorithm: string, ...more: string[]) => [
  ...["cluster", "../t.csv", "-k", "5", "-a", algorithm, ...DATA, "-c", "../known.csv", ...OUTPUTS, ...more],
];

/** Commands of every kind; each in a folder of its own, beside the tables. */
const LINES: readonly (readonly string[])[] = [
  run("kmeans", "--restarts", "200", "--model", "model.json"),
  run("cop-kmeans", "--restarts", "20"),
  run("pck-means", "--restarts", "20"),
  run("mpck-means"),
  run("rca-kmeans", "--restarts", "5"),
  run("complete-link", "--newick", "tree.nwk", "--nested", "tree.json"),
  run("ward"),
  run("clusilc"),
  ["cluster", "../wide.csv", "-k", "5", "-a", "rca-kmeans", ...DATA, "-c", "../few.csv", ...OUTPUTS],
  ["cluster", "../wide.csv", "-k", "5", "-a", "mpck-means", ...DATA, "-c", "../few.csv", ...OUTPUTS],
  ["cluster", "../wide.csv", "-k", "5", "-a", "average-link", ...DATA, ...OUTPUTS],
  ...(LONG ? ["single-link", "ward", "centroid-link", "median-link", "density"] : []).map((algorithm) => [
    ...["cluster", "../large.csv", "-k", "5", "-a", algorithm, ...DATA, ...OUTPUTS],
  ]),
  ["ask", "../t.csv", "-k", "5", ...DATA, "--budget", "500", "--simulate", "--answers", "log.jsonl", ...OUTPUTS],
  ["ask", "../wide.csv", "-k", "5", ...DATA, "--budget", "90", "--simulate", "--strategy", "min-max", ...OUTPUTS],
  ["diagnose", "../t.csv", "-k", "5", ...DATA, "-c", "../known.csv", "--html", "page.html"],
  ["diagnose", "-c", "../known.csv", "-k", "3"],
  ["explain", "../labels.csv", "--data", "../t.csv", ...DATA, "--html", "page.html"],
  ["evaluate", "../labels.csv", "--data", "../t.csv", ...DATA, "-c", "../known.csv"],
  ["constraints", "close", "../t.csv", "--id", "id", "-c", "../known.csv", "--out", "closed.csv"],
  ["constraints", "generate", "../t.csv", ...DATA, "--count", "100000", "--out", "made.csv"],
];

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly err: string;
  /** Whether the process was running when the signal was sent. */
  readonly received: boolean;
  /** Processor time from the signal on, in seconds; null if the system does not report it. */
  readonly work: number | null;
}

async function interrupted(line: readonly string[], cwd: string, after: number): Promise<Ended> {
  const args = ["--import", join(folder, "preloaded.mjs"), BIN, ...line];
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let err = "";
  const closed = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on("close", (code, signal) => resolve({ code, signal })),
  );
  await new Promise<void>((resolve) => {
    child.on("close", () => resolve());
    child.stderr!.on("data", (text) => {
      err += text;
      if (err.includes("listening")) resolve();
    });
  });
  // The moment is counted in work, too: on a busy machine it would always be the beginning.
  await worked(child, after);
  const before = workOf(child.pid!);
  const received = child.exitCode === null && child.signalCode === null && child.kill("SIGINT");
  let last = before;
  const watch = setInterval(() => {
    last = workOf(child.pid!) ?? last;
  }, 10);
  const end = await closed;
  clearInterval(watch);
  return { ...end, err, received, work: before === null || last === null ? null : last - before };
}

/** Files that a line may leave, each with what makes it whole. */
const WHOLE: Readonly<Record<string, (text: string) => boolean>> = {
  "labels.csv": (text) =>
    /^id,cluster[^\n]*\n(r\d+,-?\d+[^\n]*\n)+$/.test(text) && [N, N / 2, 20_000].includes(text.split("\n").length - 2),
  "report.json": isJson,
  "model.json": isJson,
  "tree.json": isJson,
  "page.html": (text) => text.trimEnd().endsWith("</html>"),
  "tree.nwk": (text) => text.trimEnd().endsWith(";"),
  "closed.csv": (text) => text.endsWith("\n"),
  "made.csv": (text) => text.split("\n").length === 100_002,
  "log.jsonl": (text) => text.endsWith("\n") && text.trimEnd().split("\n").every(isJson),
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function checkLeft(cwd: string): string[] {
  const left = readdirSync(cwd).sort();
  for (const name of left) {
    const of = name.replace(/\.source\.json$/, "");
    const whole = name === of ? WHOLE[name] : isJson;
    expect(whole, `${name} is left behind`).toBeDefined();
    expect(whole!(readFileSync(join(cwd, name), "utf8")), `${name} is whole`).toBe(true);
  }
  return left;
}

let count = 0;

async function check(line: readonly string[], after: number): Promise<void> {
  const cwd = join(folder, `run-${count++}`);
  mkdirSync(cwd);
  const { code, signal, err, received, work } = await interrupted(line, cwd, after);
  const what = `${line.join(" ")} after ${after} s: ${code ?? signal}\n${err}`;
  const left = checkLeft(cwd);
  // Done before the signal came, or too late to be stopped.
  if (code === 0 || (!received && code !== null && code !== 130)) return;
  expect([130, "SIGINT"], what).toContain(code ?? signal);
  if (/nothing was written/.test(err))
    expect(
      left.filter((name) => name !== "log.jsonl"),
      what,
    ).toEqual([]);
  // One second, and what the system's clock of hundredths leaves open.
  if (work !== null) expect(work, what).toBeLessThan(1.1);
  expect(existsSync(join(cwd, "log.jsonl.lock")), what).toBe(false);
}

test(`Ctrl-C at ${RUNS} random moments of random commands`, { timeout: 3_600_000 }, async () => {
  // Drawn evenly: the usual preference for small numbers would try the beginning over and over.
  const moment = fc.noBias(fc.integer({ min: 0, max: LONG ? 12_000 : 3_000 })).map((milliseconds) => milliseconds / 1_000);
  await fc.assert(fc.asyncProperty(fc.constantFrom(...LINES), moment, check), { numRuns: RUNS, endOnFailure: true });
});
