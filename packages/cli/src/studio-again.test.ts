/**
 * What the studio says to copy gives the run again, whatever the table, its reading, the answers and the method are: projects are drawn
 * at random, run in a workbench, and run once more by the command and by the TypeScript that it says to copy.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startStudio } from "@coterie/server";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cluster, constraints } from "./index.js";
import { readTable } from "./library/data.js";
import { coterie, folderWith } from "./testing/console.js";

const LONG = process.env.COTERIE_LONG === "1";
const folder = folderWith();
let studio: Awaited<ReturnType<typeof startStudio>>;

beforeAll(async () => {
  studio = await startStudio({ folder: join(folder, "studio"), version: "0.0.0-test" });
  // Says what a shell makes of the copied line.
  writeFileSync(join(folder, "npx"), `#!/bin/sh\nshift\nprintf '%s\\0' "$@" > words\n`);
  chmodSync(join(folder, "npx"), 0o755);
});

afterAll(async () => {
  await studio.close();
  rmSync(folder, { recursive: true, force: true });
});

const IDS = {
  none: null,
  plain: (i: number) => `row ${i}`,
  zeros: (i: number) => String(100 - i).padStart(3, "0"),
  numbers: (i: number) => String((i * 7) % 40),
  odd: (i: number) => `${["=1+", "it's, ", 'say "', "line\n", "-", "é日本 ", "1e", "$(x)`", "@"][i % 9]}${i}`,
} as const;

const cells = fc.record({
  rows: fc.integer({ min: 18, max: 30 }),
  ids: fc.constantFrom(...(Object.keys(IDS) as (keyof typeof IDS)[])),
  gaps: fc.constantFrom(0, 0.04, 0.15),
  salt: fc.nat(9_999),
  comma: fc.boolean(),
});

/** Numbers that look random and are the same everywhere. */
const noise = (...at: number[]) => {
  let hash = 0x811c9dc5;
  for (const each of at) hash = Math.imul(hash ^ (each + 1), 0x01000193) ^ (hash >>> 13);
  return ((hash >>> 0) % 9_973) / 9_973;
};

function tableOf({
  rows,
  ids,
  gaps,
  salt,
  comma,
}: {
  rows: number;
  ids: keyof typeof IDS;
  gaps: number;
  salt: number;
  comma: boolean;
}) {
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const number = (value: number) => (comma ? quote(value.toFixed(3).replace(".", ",")) : value.toFixed(3));
  const gap = (i: number, j: number, text: string) => (noise(salt, i, j) < gaps ? "" : text);
  const lines = Array.from({ length: rows }, (_, i) => {
    const kind = Math.floor(noise(salt, i) * 3);
    return [
      ...(ids === "none" ? [] : [quote(IDS[ids]!(i))]),
      gap(i, 1, number(kind * 4 + noise(salt, i, 11))),
      gap(i, 2, number(noise(salt, i, 12) * 90 - kind)),
      gap(i, 3, ["red", "blue", "gr=een"][Math.floor(noise(salt, i, 13) * 3)]!),
      gap(i, 4, number(noise(salt, i, 14) * 1e4)),
      gap(i, 5, `${2 + Math.floor(noise(salt, i, 15) * 9)}`),
      "abc"[kind],
    ].join(comma ? ";" : ",");
  });
  const names = [...(ids === "none" ? [] : ["name"]), "x", '"y, it\'s"', "colour", "--size", "part", "kind"];
  return `${names.join(comma ? ";" : ",")}\n${lines.join("\n")}\n`;
}

const COLUMNS = ["x", "y, it's", "colour", "--size", "part"];

const reading = fc.record(
  {
    truth: fc.constant("kind"),
    missing: fc.constantFrom("drop", "impute", "skip"),
    scale: fc.constantFrom("none", "zscore", "minmax"),
    ignore: fc.subarray(COLUMNS.slice(1), { maxLength: 3 }),
    nominal: fc.constantFrom(["part"], ["colour", "kind"]),
    types: fc.constantFrom({ part: "nominal" }, { "--size": "number" }, { colour: "text" }),
    weights: fc.constantFrom({ x: 2.5 }, { "y, it's": 0.25, x: 3 }),
  },
  { requiredKeys: ["missing"] },
);

const weight = fc.constantFrom(undefined, 0.25, 3, "inf" as const);
const step = fc.record({
  kind: fc.constantFrom(
    "must",
    "must",
    "cannot",
    "cannot",
    "relative",
    "label",
    "unsure",
    "drop",
    "undo",
    "weigh",
    "exclusive",
    "sizes",
  ),
  a: fc.nat(99),
  b: fc.nat(99),
  c: fc.nat(99),
  by: fc.constantFrom("ann", "bob"),
  weight,
  class: fc.constantFrom("a", "b, c", "=1", "NA", "it's"),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const run = fc.record({
  method: fc.constantFrom(
    ["kmeans", {}],
    ["cop-kmeans", { restarts: 2 }],
    ["pck-means", {}],
    ["mpck-means", { metrics: "single" }],
    ["mk-means", {}],
    ["ccl", {}],
    ["ccl", { lookahead: false, linkage: "average" }],
    ["ward", {}],
    ["complete-link", {}],
    ["recon", {}],
    ["clusilc", {}],
    ["rca-kmeans", {}],
    ["supervised-means", {}],
    ["density", {}],
  ),
  k: fc.oneof(fc.integer({ min: 2, max: 4 }), fc.constant("2..3" as const)),
  seed: fc.constantFrom(0, 1, 7),
  price: fc.constantFrom(undefined, undefined, 2.5),
  policy: fc.constantFrom("latest", "heavier", "neither"),
});

/** Other ways to read the table after a change: a column of exclusive groups can become a feature again. */
const change = fc.constantFrom(
  null,
  null,
  { ignore: [] },
  { features: ["x", "part"] },
  { scale: "zscore" },
  { missing: "impute" },
);

const project = fc.record({ cells, reading, steps: fc.array(step, { maxLength: 14 }), run, change, imported: fc.boolean() });

let made = 0;

test("a copied command and a copied script repeat every run", { timeout: 900_000 }, async () => {
  let done = 0;
  await fc.assert(
    fc.asyncProperty(project, async (drawn) => {
      if (await again(drawn as never)) done++;
    }),
    { numRuns: LONG ? 600 : 25, endOnFailure: !process.env.SHRINK },
  );
  expect(done).toBeGreaterThan(LONG ? 200 : 8);
});

interface Drawn {
  readonly cells: Parameters<typeof tableOf>[0];
  readonly reading: object & { readonly types?: Readonly<Record<string, string>> };
  readonly steps: readonly Step[];
  readonly run: {
    readonly method: readonly [string, object];
    readonly k: number | "2..3";
    readonly seed: number;
    readonly price?: number;
    readonly policy: "latest" | "heavier" | "neither";
  };
  readonly change: object | null;
  readonly imported: boolean;
}

/** Whether the project had a run to compare. */
async function again(drawn: Drawn): Promise<boolean> {
  const { call } = studio.workbench;
  const file = `table ${++made}.csv`;
  const text = tableOf(drawn.cells);
  const sent = await call("upload", { name: file, bytes: new TextEncoder().encode(text) });
  const id = drawn.cells.ids === "none" ? {} : { id: "name" };
  const project = await call("createProject", { upload: sent.upload, reading: { ...drawn.reading, ...id } as never }).catch(
    refused,
  );
  if (project === null) return false;
  await call("changeProject", { project: project.id, policy: drawn.run.policy });
  await say(project.id, drawn);
  if (drawn.change) await call("changeProject", { project: project.id, reading: drawn.change }).catch(refused);
  const { method, k, seed, price } = drawn.run;
  const [algorithm, options] = method;
  const asked = k === "2..3" ? { options: { ...options }, choose: { from: 2, to: 3 } } : { options: { ...options, k } };
  const started = await call("startRun", { project: project.id, algorithm, seed, ...asked, ...(price ? { price } : {}) }).catch(
    refused,
  );
  if (started === null) return false;
  const number = started.number;
  const ended = await endOf(project.id, number);
  if (ended.state !== "done") return false;
  const exported = async (kind: "command" | "typescript" | "report-json") =>
    (await call("export", { project: project.id, kind, run: number })).text;
  const report = JSON.parse(await exported("report-json"));
  // The run is what it was, however the table is read since.
  await call("changeProject", { project: project.id, reading: { scale: "minmax", ignore: ["x"] } }).catch(refused);
  writeFileSync(join(folder, file), text);
  const command = await exported("command");
  if (command.includes(" --constraints ")) {
    const said = await call("export", { project: project.id, kind: "constraints", run: number });
    writeFileSync(join(folder, said.file), said.text);
  }
  await compareCommand(command, file, report);
  await compareScript(await exported("typescript"), report);
  return true;
}

function refused(error: Error & { readonly status?: number }): null {
  if (!(Number(error.status) < 500) && !("problem" in error)) throw error;
  return null;
}

/** The steps, each by its person; what is refused is not said. */
async function say(project: string, { steps, imported }: Drawn): Promise<void> {
  const { call } = studio.workbench;
  const { ids } = await call("ids", { project });
  const { rows: n } = await call("project", { project });
  const idAt = (at: number) => ids?.[at % n] ?? at % n;
  const added: string[] = [];
  for (const [at, each] of steps.entries()) {
    const id = `entry-${made}-${at}`;
    const change = changeOf(each, idAt, added);
    if (change === null) continue;
    const ok = await call("append", { project, entries: [{ id, by: each.by, from: { kind: "drawn" }, change } as never] }).catch(
      refused,
    );
    if (ok && change.type === "add") added.push(id);
  }
  if (!imported) return;
  const { text } = await call("export", { project, kind: "constraints" });
  await call("importConstraints", {
    project,
    name: "known.csv",
    by: "carl",
    kind: "constraints",
    bytes: new TextEncoder().encode(text),
  }).catch(refused);
}

function changeOf(each: Step, idAt: (at: number) => string | number, added: readonly string[]) {
  const [a, b, c] = [idAt(each.a), idAt(each.b), idAt(each.c)];
  const heavy = each.weight === undefined ? {} : { weight: each.weight };
  const add = (constraint: object) => ({ type: "add" as const, constraint });
  const entry = added[each.a % Math.max(1, added.length)];
  switch (each.kind) {
    case "must":
      return add({ type: "must-link", a, b, ...heavy });
    case "cannot":
      return add({ type: "cannot-link", a, b, ...heavy });
    case "relative":
      return add({ type: "relative", a, b, c, ...heavy });
    case "label":
      return add({ type: "label", a, class: each.class, ...heavy });
    case "unsure":
      return add({ type: "unsure", rows: [a, b] });
    case "exclusive":
      return each.a < 30 ? add({ type: "exclusive", column: each.a < 15 ? "part" : "colour" }) : null;
    case "sizes":
      return add({ type: "sizes", min: each.a % 4, ...(each.b < 30 ? { max: 20 } : {}) });
    default:
      if (entry === undefined) return null;
      return each.kind === "weigh" ? { type: "weigh" as const, entry, weight: each.weight ?? 2 } : { type: each.kind, entry };
  }
}

async function endOf(project: string, number: number) {
  for (;;) {
    const { run: found } = await studio.workbench.call("run", { project, run: number });
    if (found.state !== "waiting" && found.state !== "running") return found;
    await new Promise((resume) => setTimeout(resume, 5));
  }
}

async function compareCommand(command: string, file: string, report: Record<string, unknown>): Promise<void> {
  execFileSync("sh", ["-c", command], { cwd: folder, env: { ...process.env, PATH: `${folder}:${process.env.PATH}` } });
  const words = readFileSync(join(folder, "words"), "utf8").split("\0").slice(0, -1);
  const here = words.map((word, i) =>
    word === file || words[i - 1] === "--constraints" || words[i - 1] === "--out" ? join(folder, word) : word,
  );
  const { code, out, err } = await coterie(...here, "--json");
  expect(code, `${command}\n${err}`).toBe(0);
  const found = JSON.parse(out);
  for (const part of ["labels", "sizes", "noise", "k", "violations", "options", "chosen", "scores", "scoresOverClustered"])
    expect(found[part], `${part} of ${command}`).toEqual(report[part]);
}

async function compareScript(script: string, report: Record<string, unknown>): Promise<void> {
  const body = script
    .split("\n")
    .filter((line) => !line.startsWith("import ") && !line.startsWith("console.log"))
    .join("\n");
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
  const read = (name: string, options: object) => readTable(join(folder, name), options as never);
  const result = await new AsyncFunction("cluster", "constraints", "readTable", `${body}\nreturn result;`)(
    cluster,
    constraints,
    read,
  );
  const labels = (report.labels as (number | null)[]).filter((label) => label !== null);
  expect([...result.labels], script).toEqual(labels);
  expect(result.sizes, script).toEqual(report.sizes);
}
