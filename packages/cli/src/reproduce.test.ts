/** `coterie reproduce`: what it lists, what it refuses, and the built command with workers, interrupted and gone on with. */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { coterie, expectRefused, folderWith } from "./testing/console.js";

const BIN = fileURLToPath(new URL("../bin/coterie.js", import.meta.url));
const PAPERS = ["klein2002", "davidson2012", "liu2011", "bilenko2004", "struyf2006"];

interface Listed {
  readonly paper: string;
  readonly item: string;
  readonly kind: string;
  readonly needs: readonly string[];
  readonly quick: number;
}

test("--list --json: every item with its paper, kind, data sets and seconds", async () => {
  const { code, out, err } = await coterie("reproduce", "--list", "--json");
  expect([code, err]).toEqual([0, ""]);
  const items = JSON.parse(out) as Listed[];
  expect([...new Set(items.map(({ paper }) => paper))]).toEqual(expect.arrayContaining(PAPERS));
  expect(new Set(items.map(({ kind }) => kind))).toEqual(new Set(["figure", "table", "extra", "claim"]));
  for (const { item, needs, quick } of items) {
    expect(item).toMatch(/^[a-z0-9.-]+$/);
    expect(needs.every((set) => typeof set === "string")).toBe(true);
    expect(quick).toBeGreaterThan(0);
  }
  expect(items).toContainEqual(
    expect.objectContaining({ paper: "davidson2012", item: "table-1", kind: "table", needs: expect.arrayContaining(["wine"]) }),
  );
});

test("--list for people: papers, their figures, what they need, the claims in the papers' words", async () => {
  const { out } = await coterie("reproduce", "--list", "davidson2012");
  expect(out).toContain("davidson2012\n  table-1  Table 1: sets of 25 constraints that lower the Rand index");
  expect(out).toContain("needs glass, ionosphere, iris-fisher, wine; quick ");
  expect(out).toContain("- “Fraction of 1000 randomly created 25-constraint sets");
  expect(out).not.toContain("klein2002");
});

test.each([
  [["davidson2021"], 'The paper is "davidson2021"'],
  [["davidson2012", "figure-99"], 'The figure of davidson2012 is "figure-99"'],
  [["--quick", "--draw"], "--draw runs nothing"],
  [["--out", "-"], "--out names a folder"],
  [["--sed", "1"], "There is no option --sed. Did you mean --seed?"],
])("a mistake gets a sentence and exit 2: %j", async (words, sentence) => {
  await expectRefused(["reproduce", ...words], sentence);
});

test("a folder that cannot be written is bad input", async () => {
  const folder = folderWith({ file: "" });
  const { code, err } = await coterie("reproduce", "baselines", "--out", join(folder, "file"));
  expect(code).toBe(3);
  expect(err).toContain("Nothing can be written in this folder");
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The built command; `until`: interrupted once this holds. */
async function built(args: readonly string[], until: () => boolean = () => false): Promise<Ended> {
  const child = spawn(process.execPath, [BIN, "reproduce", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout.on("data", (text) => {
    out += text;
  });
  child.stderr.on("data", (text) => {
    err += text;
  });
  const looking = setInterval(() => {
    if (!until()) return;
    clearInterval(looking);
    child.kill("SIGINT");
  }, 20);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  clearInterval(looking);
  return { code, out, err };
}

test("with two workers: exit 0, verdicts on standard output, pages and raw numbers in the folder", async () => {
  const folder = folderWith();
  const { code, out } = await built(["baselines", "--workers", "2", "--out", folder]);
  expect(code).toBe(0);
  expect(out).toBe(`baselines     1 holds\n${join(folder, "claims.md")}\n`);
  expect(readFileSync(join(folder, "baselines", "agreement.csv"), "utf8").split("\n")).toHaveLength(9);
  expect(readFileSync(join(folder, "claims.md"), "utf8")).toContain("### agreement.scores: holds");
  const again = await built(["baselines", "--json", "--out", folder]);
  expect(JSON.parse(again.out)).toEqual([
    expect.objectContaining({ paper: "baselines", item: "agreement", claim: "agreement.scores", verdict: "holds" }),
  ]);
}, 120_000);

test("a second run into the same folder is refused while the first is there", async () => {
  const folder = folderWith();
  const lock = join(folder, ".reproduce.lock");
  writeFileSync(lock, JSON.stringify({ pid: process.pid, host: hostname(), began: null }));
  const { code, err } = await coterie("reproduce", "baselines", "--out", folder);
  expect(code).toBe(3);
  expect(err).toContain(`Process ${process.pid} on ${hostname()} is running experiments into this folder.`);
  expect(err).toContain(`delete ${lock}`);
  expect(readdirSync(folder)).toEqual([".reproduce.lock"]);
});

test("Ctrl-C in the middle: exit 130, what was measured is kept, the same command goes on", async () => {
  const folder = folderWith();
  const csv = join(folder, "klein2002", "synthetic.csv");
  const lines = (): number => (existsSync(csv) ? readFileSync(csv, "utf8").split("\n").length - 2 : 0);
  const args = ["klein2002", "figure-8", "--quick", "--workers", "2", "--out", folder];
  const stopped = await built(args, () => lines() > 3);
  expect(stopped.code).toBe(130);
  expect(existsSync(join(folder, ".reproduce.lock"))).toBe(false);
  expect(stopped.err).toMatch(/Interrupted: \d+ of 192 trials are kept in .*; the same command goes on from there\.\n$/);
  expect(existsSync(join(folder, "klein2002", "figure-8.md"))).toBe(false);
  const kept = lines();
  expect(kept).toBeGreaterThan(3);
  expect(kept).toBeLessThan(96);
  const resumed = await built(args);
  expect(resumed.code).toBe(0);
  expect(lines()).toBe(96);
}, 240_000);
