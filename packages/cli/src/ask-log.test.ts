/** Logs of answers that were edited, damaged or made by somebody else: a sentence with file and line, never a stack. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { coterieWith, folderWith, type Printed, typed } from "./testing/console.js";

const RUNS = process.env.COTERIE_LONG === "1" ? 3_000 : 60;
const TABLE = `id,x,note,class\n${Array.from({ length: 12 }, (_, i) => `r${i},${10 * (i % 3) + (i * 7) / 12},n${i},${"abc"[i % 3]}`).join("\n")}\n`;

const folder = folderWith({ "t.csv": TABLE });
const data = join(folder, "t.csv");
const log = `${data}.answers.jsonl`;

async function ask(text: string, ...line: string[]): Promise<Printed> {
  return await coterieWith({ input: typed(text), columns: 400 }, "ask", data, ...line);
}

/** A log with three answers, one of them taken back, and a larger budget. */
async function wholeLog(...line: string[]): Promise<Record<string, unknown>[]> {
  writeFileSync(log, "");
  await ask("same\ndifferent\nundo\ndifferent\n", "-k", "3", "--id", "id", "--features", "x", "--budget", "8", ...line);
  await ask("unsure\n", "--resume", "--budget", "9");
  return readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text));
}

function write(records: readonly unknown[]): void {
  writeFileSync(log, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

test.each([
  [{ strategy: "guessing" }, 'The field "strategy" of the log must be one of'],
  [{ options: { neighbours: "many" } }, 'The field "options.neighbours" of the log does not fit'],
  [{ options: { linkage: 5 }, strategy: "odd-one-out" }, 'The field "options.linkage" of the log does not fit'],
  [{ strategy: "active-ccl", k: null }, 'The field "k" of the log is missing, and active-ccl needs it'],
  [{ k: 0 }, 'The field "k" of this record does not fit'],
  [{ k: 2.5 }, 'The field "k" of this record does not fit'],
  [{ seed: 1e300 }, 'The field "seed" of this record does not fit'],
  [{ budget: "8" }, 'The field "budget" of this record does not fit'],
  [{ reading: { scale: "logs" } }, 'The field "reading.scale" of the log must be one of auto, none, zscore'],
  [{ reading: { missing: "guess" } }, 'The field "reading.missing" of the log must be one of'],
  [{ reading: { features: "x" } }, 'The field "reading.features" of the log must be a list'],
  [{ reading: { id: ["id"] } }, 'The field "reading.id" of the log must be one text'],
  [{ reading: { out: "elsewhere.csv" } }, 'The field "reading.out" of the log is no way to read a table'],
  [{ reading: { features: [] } }, "--features is empty. Name a column"],
  [{ reading: { delimiter: "ab" } }, "delimiter"],
  [{ reading: { features: ["gone"] } }, "gone"],
  [{ reading: { id: "gone" } }, "gone"],
])("%j in the start record: exit 3 with file and line", async (change, words) => {
  const [start, ...rest] = await wholeLog();
  write([{ ...start, ...change }, ...rest]);
  const { code, err } = await ask("", "--resume");
  expect([code, err]).toEqual([3, expect.stringContaining(words)]);
  expect(err).toContain(`${log}, line 1: `);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
});

test("what the line says itself is the line's mistake, log or not", async () => {
  await wholeLog();
  const { code, err } = await ask("", "--resume", "--features", "gone");
  expect(code).not.toBe(1);
  expect(err).not.toContain(`${log}, line`);
  expect((await ask("", "--resume", "--strategy", "guessing")).code).toBe(2);
});

test("a gap and a repeated line are errors with their line number", async () => {
  const records = await wholeLog();
  const at = (index: number) => `${log}, line ${index}: `;
  write(records.filter((_, i) => i !== 1));
  const gap = await ask("", "--resume");
  expect([gap.code, gap.err]).toEqual([3, expect.stringContaining(`${at(2)}This is answer 2, and answer 1 is missing.`)]);
  write([...records, records.at(-1)]);
  const doubled = await ask("", "--resume");
  expect([doubled.code, doubled.err]).toEqual([
    3,
    expect.stringContaining(`${at(records.length + 1)}Answer 3 is already in the log`),
  ]);
});

/** Values that somebody's editor, or somebody's malice, may leave in a field. */
const anything = fc.oneof(
  fc.constantFrom(
    null,
    true,
    "",
    "x",
    -1,
    0,
    2,
    1e9,
    1e308,
    0.5,
    "__proto__",
    "constructor",
    [],
    {},
    [[]],
    [null],
    ["x", "x"],
    ["r0", "r1"],
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

test("any field of any record changed: the log goes on, or a sentence says why not", { timeout: 600_000 }, async () => {
  const records = await wholeLog();
  const fields = records.flatMap((record, i) => Object.keys(record).map((name) => [i, name] as const));
  const places = fc.constantFrom(
    ...fields,
    ...["id", "features", "scale", "missing", "delimiter", "decimal", "__proto__"].map((name) => [0, `reading.${name}`] as const),
  );
  await fc.assert(
    fc.asyncProperty(places, fc.option(anything), async ([i, name], value) => {
      const changed = structuredClone(records);
      const nested = name.startsWith("reading.");
      const target = (nested ? changed[0]!.reading : changed[i]) as Record<string, unknown>;
      const field = name.replace("reading.", "");
      if (value === null) delete target[field];
      else Object.defineProperty(target, field, { value, enumerable: true, configurable: true, writable: true });
      write(changed);
      const before = readFileSync(log, "utf8");
      const { code, err } = await ask("", "--resume");
      expect([0, 3], err).toContain(code);
      expect(err).not.toContain("bug in Coterie");
      if (code === 3) expect(readFileSync(log, "utf8")).toBe(before);
    }),
    { numRuns: RUNS },
  );
});
