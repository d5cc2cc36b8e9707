import { expect, test } from "vitest";
import { routes } from "../protocol/routes.js";
import { cloudsCsv, finished, localWorkbench } from "../testing/local-workbench.js";
import { float32Text } from "./base64.js";
import { replyTo } from "./problems.js";
import type { Workbench } from "./workbench.js";

let made = 0;
const entryId = () => `entry-${String(made++).padStart(6, "0")}`;
const said = (constraint: object, by = "ann") =>
  ({ id: entryId(), by, from: { kind: "drawn" }, change: { type: "add", constraint } }) as never;
const link = (a: number, b: number, by?: string) => said({ type: "must-link", a, b }, by);
const apart = (a: number, b: number, by?: string) => said({ type: "cannot-link", a, b }, by);

async function withClouds(): Promise<Workbench & { id: string }> {
  const workbench = localWorkbench();
  const { id } = await workbench.call("createProject", { sample: "clouds" });
  return { ...workbench, id };
}

async function problemOf(promise: Promise<unknown>) {
  try {
    await promise;
  } catch (error) {
    const { status, message } = replyTo(error)!;
    return { status, message };
  }
  return null;
}

test("a table that is uploaded becomes a project; its columns, rows, values and maps fit their schemas", async () => {
  const { call } = localWorkbench();
  const bytes = new TextEncoder().encode(cloudsCsv());
  const sent = await call("upload", { name: "my clouds.csv", bytes });
  const project = await call("createProject", { upload: sent.upload, reading: { truth: "side", ignore: ["note"] } });
  expect(project).toMatchObject({ id: "my-clouds", name: "my clouds", rows: 40, leftOut: 0, columns: 4, k: null, runs: 0 });
  expect(routes.project.reply.parse(project)).toEqual(project);
  const columns = await call("columns", { project: project.id });
  expect(columns.map(({ name, role }) => `${name} ${role}`)).toEqual(["x feature", "y feature", "side truth", "note ignored"]);
  const [row] = await call("rows", { project: project.id, rows: "5" });
  expect([row!.id, row!.cells[2], row!.cells[3]]).toEqual([5, "right", null]);
  const found = await call("findRows", { project: project.id, text: "note 17" });
  expect(found.map(({ row: number }) => number)).toEqual([17]);
  const { values, levels } = await call("values", { project: project.id, column: "side" });
  expect(levels).toEqual(["left", "right"]);
  expect(values).toBe(float32Text(Array.from({ length: 40 }, (_, i) => i % 2)));
  const map = await call("map", { project: project.id });
  expect([map.n, map.axes[0].title]).toEqual([40, "PC 1: x, y"]);
  const two = await call("map", { project: project.id, space: "columns", x: "y", y: "x" });
  expect(two.title).toBe("y and x");
  const again = await call("createProject", { upload: sent.upload, name: "my clouds" });
  expect(again.id).toBe("my-clouds-2");
});

test("a reading that does not fit is refused with a sentence and changes nothing; one that fits is kept", async () => {
  const { call, id } = await withClouds();
  expect(await problemOf(call("changeProject", { project: id, reading: { id: "nowhere" } }))).toMatchObject({ status: 422 });
  expect(await problemOf(call("changeProject", { project: id, reading: { features: [] } }))).toMatchObject({ status: 422 });
  expect((await call("project", { project: id })).reading).toMatchObject({ truth: "side", scale: "auto" });
  const changed = await call("changeProject", { project: id, reading: { scale: "zscore", truth: null } });
  expect(changed.reading).toEqual({ ignore: ["note"], scale: "zscore", missing: "auto" });
});

test("requests that do not fit are refused with their status", async () => {
  const { call, id } = await withClouds();
  expect(await problemOf(call("project", { project: "nobody" }))).toMatchObject({ status: 404 });
  expect(await problemOf(call("project", { project: "../etc" }))).toMatchObject({ status: 400 });
  expect(await problemOf(call("rows", { project: id, rows: "40" }))).toMatchObject({ status: 404 });
  expect(await problemOf(call("run", { project: id, run: 7 }))).toMatchObject({ status: 404 });
  expect(await problemOf(call("createProject", {}))).toMatchObject({ status: 400 });
  expect(await problemOf(call("createProject", { upload: "../../x" }))).toMatchObject({ status: 404 });
  expect(await problemOf(call("append", { project: id, entries: [link(1, 99)] }))).toMatchObject({ status: 422 });
  expect(await problemOf(call("append", { project: id, entries: [apart(3, 3)] }))).toMatchObject({ status: 422 });
  expect(await problemOf(call("startRun", { project: id, algorithm: "nothing", options: {} }))).toMatchObject({ status: 400 });
  expect(await problemOf(call("startRun", { project: id, algorithm: "kmeans", options: { k: 0 } }))).toMatchObject({
    status: 400,
  });
  expect(await problemOf(call("export", { project: id, kind: "labels" }))).toMatchObject({ status: 404 });
});

test("a run knows the constraints, keeps its letters, and names clusters by labels", async () => {
  const { call, id } = await withClouds();
  await call("append", { project: id, entries: [link(0, 2), apart(0, 1), said({ type: "label", a: 3, class: "east" })] });
  const first = await call("startRun", { project: id, algorithm: "pck-means", options: {} });
  expect(first).toMatchObject({ number: 1, state: "waiting", given: 3, spec: { options: { k: 2 } } });
  const { run, report } = await finished({ call } as Workbench, id, 1);
  expect(routes.run.reply.parse({ run, report, current: true })).toEqual({ run, report, current: true });
  expect(run).toMatchObject({ state: "done", used: 3, k: 2, broken: 0, letters: [0, 1], names: [null, "east"] });
  expect(run.scores?.adjustedRand).toBe(1);
  await call("nameClusters", { project: id, run: 1, names: ["west", "east"] });
  // Row 0 is left out now, so that the cloud on the right appears first.
  await call("startRun", { project: id, algorithm: "kmeans", options: { k: 3 }, seed: 5 });
  const second = await finished({ call } as Workbench, id, 2);
  expect(second.run.letters).toHaveLength(3);
  expect(new Set(second.run.letters)).toEqual(new Set([0, 1, 2]));
  const named = second.run.letters!.map((letter, cluster) => [letter, second.run.names?.[cluster] ?? null]);
  expect(Object.fromEntries(named)).toMatchObject({ 0: "west", 1: "east" });
  expect((await call("project", { project: id })).runs).toBe(2);
});

test("a long run shows progress and can be cancelled; nothing of it is kept", async () => {
  const { call, events, id } = await withClouds();
  const ending = new AbortController();
  const seen: string[] = [];
  const listening = (async () => {
    for await (const event of await events(id, ending.signal)) {
      seen.push(event.type === "run" ? event.run.state : event.type);
      if (seen.at(-1) === "cancelled") return;
    }
  })();
  await call("startRun", { project: id, algorithm: "kmeans", options: { k: 2, restarts: 100_000 } });
  while ((await call("run", { project: id, run: 1 })).run.state === "waiting")
    await new Promise((resume) => setTimeout(resume, 5));
  const cancelled = await call("cancelRun", { project: id, run: 1 });
  // The reply has its progress; nothing of it is kept.
  expect(cancelled).toMatchObject({ state: "cancelled", k: null, progress: { done: expect.any(Number) }, sizes: null });
  expect(await problemOf(call("cancelRun", { project: id, run: 1 }))).toMatchObject({ status: 409 });
  await listening;
  ending.abort();
  expect(seen).toEqual(expect.arrayContaining(["hello", "waiting", "running", "progress", "cancelled"]));
});

test("a run that was under way when the studio ended is reported as failed", async () => {
  const { createMemoryStore } = await import("../store/memory-store.js");
  const store = createMemoryStore();
  const first = localWorkbench(store);
  const { id } = await first.call("createProject", { sample: "clouds" });
  await first.call("startRun", { project: id, algorithm: "kmeans", options: { k: 2, restarts: 100_000 } });
  const second = localWorkbench(store);
  expect((await second.call("runs", { project: id }))[0]).toMatchObject({ state: "failed" });
  await first.close();
});

test("two people who disagree: both are kept, the diagnosis lists it, and the project says whose word counts", async () => {
  const { call, id } = await withClouds();
  const ann = await call("append", { project: id, entries: [link(0, 2, "ann")] });
  await call("append", { project: id, entries: [apart(0, 2, "bob")] });
  const counting = async () =>
    (await call("knowledge", { project: id })).constraints
      .filter(({ counts }) => counts)
      .map(({ constraint }) => constraint.type);
  expect(await counting()).toEqual(["cannot-link"]);
  const { advice } = await call("diagnosis", { project: id });
  expect(advice[0]).toEqual({
    sentence: "ann says 0 = 2 and bob says 0 ≠ 2: bob's word counts.",
    button: "Drop what does not count",
    action: { type: "drop", entries: [ann[0]!.id] },
  });
  await call("changeProject", { project: id, policy: "neither" });
  expect(await counting()).toEqual([]);
  expect((await call("entries", { project: id })).map(({ by }) => by)).toEqual(["ann", "bob"]);
});

test("a contradiction comes with its chain and a button that resolves it; the other checks go on", async () => {
  const { call, id } = await withClouds();
  const sent = await call("append", { project: id, entries: [link(1, 3), link(3, 5), apart(1, 5), apart(0, 1)] });
  const found = await call("diagnosis", { project: id, k: 2 });
  expect(routes.diagnosis.reply.parse(found)).toEqual(found);
  expect(found.advice[0]).toEqual({
    sentence: "These 3 answers cannot all hold: 1 = 3 = 5, and 1 ≠ 5.",
    button: "Drop 1 ≠ 5",
    action: { type: "drop", entries: [sent[2]!.id] },
  });
  expect(found.diagnosis).toMatchObject({
    contradictions: [{ cannotLink: [1, 5], path: [1, 3, 5] }],
    feasible: true,
    setAside: 1,
  });
  await call("append", {
    project: id,
    entries: [{ id: entryId(), by: "ann", from: { kind: "advice" }, change: { type: "drop", entry: sent[2]!.id } }],
  });
  expect((await call("diagnosis", { project: id, k: 2 })).diagnosis).toMatchObject({ contradictions: [], feasible: true });
  const full = await fullDiagnosis(call, id);
  expect(full.diagnosis.informativeness).not.toBe(null);
});

async function fullDiagnosis(call: Awaited<ReturnType<typeof withClouds>>["call"], project: string) {
  for (;;) {
    const found = await call("diagnosis", { project, k: 2 });
    if (!found.partial) return found;
    await new Promise((resume) => setTimeout(resume, 5));
  }
}

test("a must-link that joins rows far apart is to be checked, one of near rows is not", async () => {
  const { call, id } = await withClouds();
  const checked = async () => (await fullDiagnosis(call, id)).advice.filter(({ button }) => button === "Check it");
  await call("append", { project: id, entries: [link(0, 2)] });
  expect(await checked()).toEqual([]);
  await call("append", { project: id, entries: [link(4, 7), link(2, 6)] });
  const [far, ...more] = await checked();
  expect(far).toMatchObject({ action: { type: "show", rows: [4, 7] } });
  expect(far!.sentence).toMatch(/^4 = 7 joins rows [\d.]+ apart/);
  expect(more).toEqual([]);
});

test("more groups than clusters: the core, the least k, and a button for it", async () => {
  const { call, id } = await withClouds();
  await call("append", { project: id, entries: [apart(0, 1), apart(1, 2), apart(0, 2)] });
  const { leastK, advice } = await call("diagnosis", { project: id, k: 2 });
  expect(leastK).toBe(3);
  expect(advice.map(({ button }) => button)).toEqual(expect.arrayContaining(["Show core", "Use 3 clusters"]));
});

test("methods are tried on held-out answers: everybody sees the progress, and anybody may stop it", async () => {
  const workbench = await withClouds();
  const { call, id } = workbench;
  expect(await call("advice", { project: id })).toBe(null);
  const entries = Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? link(i, i + 2) : apart(i, i + 3)));
  await call("append", { project: id, entries });
  const ending = new AbortController();
  const states: string[] = [];
  const listening = (async () => {
    for await (const event of await workbench.events(id, ending.signal))
      if (event.type === "advice") states.push(event.advice.state);
  })();
  const begun = await call("advise", { project: id });
  expect(begun).toMatchObject({ state: "running", upTo: 24, k: 2, advised: null });
  await call("stopAdvice", { project: id });
  expect(await call("advice", { project: id })).toMatchObject({ state: "cancelled", advised: null });
  await call("advise", { project: id, k: 2 });
  await expect.poll(() => call("advice", { project: id }), { timeout: 20_000 }).toMatchObject({ state: "done" });
  const found = await call("advice", { project: id });
  expect(routes.advice.reply.parse(found)).toEqual(found);
  expect(found!.advised).toMatchObject({ by: "held-out constraints" });
  expect(found!.advised!.tried.map(({ algorithm }) => algorithm)).toContain("kmeans");
  ending.abort();
  await listening;
  expect(states).toContain("cancelled");
  expect(states.at(-1)).toBe("done");
  await call("append", { project: id, entries: [said({ type: "sizes", min: 5 })] });
  await call("advise", { project: id });
  await expect.poll(() => call("advice", { project: id })).toMatchObject({ advised: { algorithm: "cop-kmeans", by: "rule" } });
});

test("undo and redo are entries; a file sent twice is taken once", async () => {
  const { call, id } = await withClouds();
  const [kept] = await call("append", { project: id, entries: [link(0, 2)] });
  const undo = (type: "undo" | "redo") =>
    call("append", {
      project: id,
      entries: [{ id: entryId(), by: "ann", from: { kind: "drawn" }, change: { type, entry: kept!.id } }],
    });
  await undo("undo");
  expect(await call("knowledge", { project: id, by: "ann" })).toMatchObject({ constraints: [], undo: null, redo: kept!.id });
  await undo("redo");
  expect((await call("knowledge", { project: id, by: "ann" })).constraints).toHaveLength(1);
  const bytes = new TextEncoder().encode("type,a,b\nmust-link,4,6\ncannot-link,4,5\nlabel,7,red\n");
  const input = { project: id, name: "known.csv", by: "ann", bytes };
  expect(await call("importConstraints", input)).toMatchObject({ added: 3 });
  expect(await call("importConstraints", input)).toMatchObject({ added: 0 });
  const bad = new TextEncoder().encode("type,a,b\nmust-link,4,600\n");
  expect(await problemOf(call("importConstraints", { ...input, bytes: bad }))).toMatchObject({ status: 422 });
  const tree = new TextEncoder().encode("((0,2),(1,3));");
  expect(await call("importConstraints", { ...input, name: "tree.nwk", kind: "taxonomy", bytes: tree })).toMatchObject({
    added: 2,
  });
});

test("numbers in a file that is imported are those of the table's file, also where rows were left out", async () => {
  const { call } = localWorkbench();
  const table = `x,y\n0,1\n,2\n${Array.from({ length: 8 }, (_, i) => `${i},${i * i}`).join("\n")}\n`;
  const sent = await call("upload", { name: "gaps.csv", bytes: new TextEncoder().encode(table) });
  const { id } = await call("createProject", { upload: sent.upload, reading: { missing: "drop" } });
  const known = (text: string, kind: "constraints" | "taxonomy" = "constraints") =>
    call("importConstraints", { project: id, name: "known", by: "ann", kind, bytes: new TextEncoder().encode(text) });
  await known("type,a,b\nmust-link,0,9\n");
  await known("((2,3),9);", "taxonomy");
  const { constraints } = await call("knowledge", { project: id, by: "ann" });
  expect(constraints.map(({ constraint }) => constraint)).toEqual([
    { type: "must-link", a: 0, b: 9 },
    { type: "relative", a: 2, b: 3, c: 9 },
  ]);
  const [last] = await call("rows", { project: id, rows: "8" });
  expect([last!.id, last!.cells[1]]).toEqual([9, 49]);
  expect((await problemOf(known("type,a,b\nmust-link,0,1\n")))?.message).toContain('Row "1" was dropped');
  expect((await problemOf(known("type,a,b\nmust-link,0,10\n")))?.message).toContain("numbered from 0 to 9");
});

test("what a run found: profiles, rules, doubtful rows, what is broken and why", async () => {
  const { call, id } = await withClouds();
  await call("append", { project: id, entries: [link(0, 1), apart(2, 4)] });
  await call("startRun", { project: id, algorithm: "ward", options: { k: 2 } });
  await finished({ call } as Workbench, id, 1);
  const found = await call("understanding", { project: id, run: 1 });
  expect(routes.understanding.reply.parse(found)).toEqual(found);
  expect(found.clusters.map(({ size }) => size)).toEqual([20, 20]);
  expect(found.columns[0]).toMatchObject({ name: "x", feature: true });
  expect(found.columns.find(({ name }) => name === "side")!.clusters.map(({ level, share }) => [level, share])).toEqual([
    ["left", 1],
    ["right", 1],
  ]);
  expect(found.rules).toMatchObject({ correct: 40, of: 40 });
  expect(found.broken.map(({ sentence }) => sentence)).toEqual(["0 = 1", "2 ≠ 4"]);
  expect(found.broken[1]!.why).toMatch(/^They join at height .*\. Keeping them apart needs \d+ clusters\.$/);
  const { cut } = found.broken[1]!;
  await call("cut", { project: id, run: 1, k: cut!.k });
  const finer = await finished({ call } as Workbench, id, 2);
  expect(finer.report!.violations).toMatchObject({ cannotLink: [] });
  await call("startRun", { project: id, algorithm: "mpck-means", options: { k: 2 } });
  await finished({ call } as Workbench, id, 3);
  const learned = await call("understanding", { project: id, run: 3 });
  expect(learned.weights!.map(({ column }) => column).sort()).toEqual(["x", "y"]);
  const compared = await call("compare", { project: id, before: 1, after: 2 });
  expect(routes.compare.reply.parse(compared)).toEqual(compared);
  expect(compared.moved.length).toBe(
    compared.flows.flat().reduce((s, c) => s + c, 0) -
      compared.matched.reduce((s, b, a) => s + (b < 0 ? 0 : compared.flows[b]![a]!), 0),
  );
  expect(compared.rows.map(({ title }) => title)).toEqual(
    expect.arrayContaining(["Must-links broken of 1", "Adjusted Rand", "Silhouette"]),
  );
});

test("at most one per column: the column is no feature from then on, and the run as a command says the same", async () => {
  const { call, id } = await withClouds();
  await call("changeProject", { project: id, reading: { nominal: ["y"] } });
  await call("append", { project: id, entries: [said({ type: "exclusive", column: "y" })] });
  const columns = await call("columns", { project: id });
  expect(columns.map(({ name, role }) => `${name} ${role}`)).toEqual(["x feature", "y exclusive", "side truth", "note ignored"]);
  await call("startRun", { project: id, algorithm: "pck-means", options: { k: 2 } });
  const { run } = await finished({ call } as Workbench, id, 1);
  expect(run).toMatchObject({ state: "done", given: 1, used: 1 });
  expect((await call("export", { project: id, kind: "command" })).text).toContain(
    "--ignore note --ignore y --nominal y --scale auto --missing auto --exclusive y",
  );
});

test("scores of a run with rows in no cluster: over all rows, and beside it over the clustered rows alone", async () => {
  const { call } = localWorkbench();
  const bytes = new TextEncoder().encode(`${cloudsCsv()}40,40,left,\n-40,40,right,\n40,-40,left,\n`);
  const { upload } = await call("upload", { name: "clouds.csv", bytes });
  const { id } = await call("createProject", { upload, reading: { truth: "side", ignore: ["note"], scale: "none" } });
  await call("startRun", { project: id, algorithm: "kmeans", options: { k: 2 } });
  await finished({ call } as Workbench, id, 1);
  await call("startRun", { project: id, algorithm: "density", options: { k: 2, minSamples: 3, minClusterSize: 5 } });
  const { run, report } = await finished({ call } as Workbench, id, 2);
  const [plain, dense] = await call("runs", { project: id });
  expect(plain).not.toHaveProperty("scoresOverClustered");
  expect(dense!.scoresOverClustered).toEqual(report!.scoresOverClustered);
  const { rows, adjustedRand } = run.scoresOverClustered!;
  expect(rows).toBe(43 - (report!.noise as number));
  const all = plain!.scores!.adjustedRand;
  const compared = await call("compare", { project: id, before: 1, after: 2 });
  expect(routes.compare.reply.parse(compared)).toEqual(compared);
  const rand = compared.rows.filter(({ title }) => title === "Adjusted Rand");
  expect(rand.map(({ group, before, after }) => [group, before, after])).toEqual([
    ["Against known classes, each row in no cluster counted as a cluster of its own", all, run.scores!.adjustedRand],
    [`Against known classes, over clustered rows alone: all rows before, ${rows} rows after`, all, adjustedRand],
  ]);
  const { rows: same } = await call("compare", { project: id, before: 1, after: 1 });
  expect(same.filter(({ title }) => title === "Adjusted Rand").map(({ group }) => group)).toEqual(["Against known classes"]);
});

test("the spread of scores over seeds appears beside them", async () => {
  const { call, events, id } = await withClouds();
  await call("startRun", { project: id, algorithm: "kmeans", options: { k: 3, restarts: 1 } });
  await finished({ call } as Workbench, id, 1);
  const ending = new AbortController();
  const receiving = (async () => {
    for await (const event of await events(id, ending.signal)) if (event.type === "run") return;
  })();
  await call("spread", { project: id, run: 1, seeds: 4 });
  await receiving;
  const { rows } = await call("compare", { project: id, before: 1, after: 1 });
  expect(rows.find(({ title }) => title === "Adjusted Rand")!.spreadAfter).toHaveLength(2);
});

test("the first sentence of the diagnosis at 200 constraints takes under 200 ms of the processor's time", async () => {
  const { call } = localWorkbench();
  const rows = Array.from({ length: 300 }, (_, i) => `${(i % 4) * 5 + (i % 7) / 7},${i % 11}`);
  const sent = await call("upload", { name: "many.csv", bytes: new TextEncoder().encode(`x,y\n${rows.join("\n")}\n`) });
  const { id } = await call("createProject", { upload: sent.upload });
  const pairs = Array.from({ length: 200 }, (_, i) => [(i * 13) % 300, (i * 29 + 7) % 300] as const).filter(([a, b]) => a !== b);
  const entries = pairs.map(([a, b]) => (a % 4 === b % 4 ? link(a, b) : apart(a, b)));
  await call("append", { project: id, entries: [...entries, link(0, 4), link(4, 8), apart(0, 8)] });
  // What the engine compiles on its first way through is not the diagnosis's.
  await call("diagnosis", { project: id, k: 3 });
  const before = process.cpuUsage();
  const { advice } = await call("diagnosis", { project: id, k: 4 });
  const { user, system } = process.cpuUsage(before);
  expect(advice[0]!.sentence).toContain("cannot all hold");
  expect((user + system) / 1000).toBeLessThan(200);
});

test("a column that is called an id names the rows where no two are equal; else it is a column like others", async () => {
  const { call } = localWorkbench();
  const open = async (head: string, nameOf: (i: number) => string, n = 20) => {
    const lines = Array.from({ length: n }, (_, i) => `${nameOf(i)},${i % 7},${(i * i) % 5}`);
    const bytes = new TextEncoder().encode([`${head},x,y`, ...lines].join("\n"));
    const { upload } = await call("upload", { name: "t.csv", bytes });
    return await call("createProject", { upload });
  };
  expect((await open("id", (i) => `r${i}`)).reading.id).toBe("id");
  expect((await open("customer_id", (i) => String(i + 100))).reading.id).toBe("customer_id");
  expect((await open("rowId", (i) => `r${i}`, 10_001)).reading.id).toBe("rowId");
  expect((await open("id", (i) => `r${i % 10}`)).reading.id).toBeUndefined();
  expect((await open("paid", (i) => `r${i}`)).reading.id).toBeUndefined();
});

test("roles that nobody gave are recognised, announced as long as they stand, and copied; a role that somebody takes away stays away", async () => {
  const { call } = localWorkbench();
  const lines = Array.from({ length: 20 }, (_, i) => `${i + 1},${i % 7},${(i * i) % 5},${["a", "b"][i % 2]}`);
  const bytes = new TextEncoder().encode(["ID,x,y,Species", ...lines].join("\n"));
  const open = async (reading = {}) => {
    const { upload } = await call("upload", { name: "t.csv", bytes });
    return await call("createProject", { upload, reading });
  };
  const project = await open();
  expect(project.reading).toMatchObject({ id: "ID", truth: "Species", recognise: ["id", "truth"] });
  const roles = [
    /^Column "ID" has the ids of the rows, .*is not a feature/,
    /^Column "Species" looks like known classes: clusterings are scored/,
  ];
  const said = ({ notices }: { readonly notices: readonly string[] }) =>
    roles.map((role) => notices.some((text) => role.test(text)));
  expect(said(project)).toEqual([true, true]);
  const { id } = project;
  const roleOf = async (of: string) => (await call("columns", { project: of })).map(({ role }) => role);
  expect(await roleOf(id)).toEqual(["id", "feature", "feature", "truth"]);
  expect(said(await call("changeProject", { project: id, reading: { scale: "zscore" } }))).toEqual([true, true]);
  const features = ["x", "y", "Species"];
  const changed = await call("changeProject", { project: id, reading: { features, ignore: [], truth: null, id: "ID" } });
  expect(said(changed)).toEqual([true, false]);
  expect(await roleOf(id)).toEqual(["id", "feature", "feature", "feature"]);
  const numbered = await open({ id: null, truth: null });
  expect([numbered.reading.id, numbered.reading.truth, said(numbered)]).toEqual([undefined, undefined, [false, false]]);
  expect(await roleOf(numbered.id)).toEqual(["feature", "feature", "feature", "feature"]);
  const { number } = await call("startRun", { project: numbered.id, algorithm: "average-link", options: { k: 2 } });
  await finished({ call } as Workbench, numbered.id, number);
  expect((await call("export", { project: numbered.id, kind: "command" })).text).toContain(" --id none ");
  expect((await call("export", { project: numbered.id, kind: "typescript" })).text).toContain("id: null");
});

test("answers that follow from others are listed in the words of answers; the form recommends a method", async () => {
  const { call, id } = await withClouds();
  await call("append", { project: id, entries: [link(0, 2), link(2, 4), apart(0, 1), apart(4, 1)] });
  const { advice } = await fullDiagnosis(call, id);
  expect(advice.find(({ button }) => button === "Show")).toMatchObject({ action: { type: "show" } });
  expect(advice.map(({ sentence }) => sentence).join(" ")).toMatch(/\d ≠ 1 follows from the other answers\./);
  expect(advice.some(({ sentence }) => /--|cop-kmeans|pck-means|cannot-link/.test(sentence))).toBe(false);
});

const tableOf = (rows: number) =>
  new TextEncoder().encode(`x,y\n${Array.from({ length: rows }, (_, i) => `${i},${(i * 7) % 5}`).join("\n")}\n`);

test("projects that are made at the same moment get ids of their own, each with its table", async () => {
  const { call } = localWorkbench();
  const sizes = [5, 6, 7, 8];
  const made = await Promise.all(
    sizes.map(async (rows) => {
      const { upload } = await call("upload", { name: "table.csv", bytes: tableOf(rows) });
      return await call("createProject", { upload });
    }),
  );
  expect(new Set(made.map(({ id }) => id)).size).toBe(4);
  const there = await Promise.all(made.map(({ id }) => call("project", { project: id })));
  expect(there.map(({ rows }) => rows)).toEqual(sizes);
});

test("two uploads of one content keep their names, and a project keeps its table when the other is deleted meanwhile", async () => {
  const { call } = localWorkbench();
  const [a, b] = [
    await call("upload", { name: "a.csv", bytes: tableOf(9) }),
    await call("upload", { name: "b.csv", bytes: tableOf(9) }),
  ];
  const first = await call("createProject", { upload: a.upload });
  const [second] = await Promise.all([call("createProject", { upload: b.upload }), call("deleteProject", { project: first.id })]);
  expect([first.data.file, second.data.file]).toEqual(["a.csv", "b.csv"]);
  expect(await call("rows", { project: second.id, rows: "8" })).toHaveLength(1);
});

test("changes of a project at the same moment are all kept", async () => {
  const { call } = localWorkbench();
  const { id } = await call("createProject", { sample: "clouds" });
  await Promise.all([
    call("changeProject", { project: id, name: "mine" }),
    call("changeProject", { project: id, k: 5 }),
    call("changeProject", { project: id, policy: "heavier" }),
    call("changeProject", { project: id, reading: { scale: "zscore" } }),
  ]);
  const after = await call("project", { project: id });
  expect([after.name, after.k, after.policy, after.reading.scale]).toEqual(["mine", 5, "heavier", "zscore"]);
});

test("more clusters than rows are refused; where the table lost rows since, questions and diagnosis go on with what there is", async () => {
  const { call, id } = await withClouds();
  expect(await problemOf(call("changeProject", { project: id, k: 1e9 }))).toMatchObject({
    status: 422,
    message: expect.stringContaining("40"),
  });
  expect((await call("project", { project: id })).k).toBe(2);
  expect(await problemOf(call("advise", { project: id, k: 41 }))).toMatchObject({ status: 422 });
  const cannotLinks = Array.from({ length: 30 }, (_, i) => apart(i, (i * 7 + 1) % 40 === i ? (i + 1) % 40 : (i * 7 + 1) % 40));
  await call("append", { project: id, entries: cannotLinks });
  const { diagnosis } = await call("diagnosis", { project: id, k: 1e9 });
  expect(diagnosis).toMatchObject({ feasible: true, notices: expect.arrayContaining([expect.stringContaining("fewer rows")]) });
  await call("changeProject", { project: id, k: 40 });
  await call("changeProject", {
    project: id,
    reading: { ignore: [], types: { note: "nominal" }, missing: "drop" },
  });
  expect((await call("project", { project: id })).rows).toBeLessThan(40);
  const { question } = await call("ask", { project: id, by: "ann" });
  const answered = { project: id, question: question!.question, answer: "same", by: "ann", id: entryId() } as const;
  expect((await call("answer", answered)).entry.id).toBe(answered.id);
});
