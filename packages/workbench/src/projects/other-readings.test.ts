/** A table that is read in another way after runs and answers: what is shown, kept and taken away is about the rows that were meant. */
import { expect, test } from "vitest";
import type { ReadingChange } from "../protocol/projects.js";
import { finished, localWorkbench } from "../testing/local-workbench.js";

/** Row 1 has no y, row 6 no z: whichever of the two columns is used, seven rows are left, and not the same ones. */
const GAPS = `who,x,y,z,shop
10,1,1,1,a
11,1.1,,1,b
12,1.2,1,1,a
13,9,9,9,b
3,9.1,9,9,a
2,9.2,9,9,b
1,9.3,9,,a
0,1.3,1,1,b
`;

async function gaps(reading: ReadingChange = {}) {
  const workbench = localWorkbench();
  const { call } = workbench;
  const { upload } = await call("upload", { name: "gaps.csv", bytes: new TextEncoder().encode(GAPS) });
  const { id } = await call("createProject", {
    upload,
    reading: { ignore: ["z", "shop"], id: "who", scale: "none", missing: "drop", ...reading },
  });
  const read = (change: ReadingChange) => call("changeProject", { project: id, reading: change });
  let at = 0;
  const say = (constraint: object, by = "ann", from: object = { kind: "drawn" }) =>
    call("append", {
      project: id,
      entries: [{ id: `said-${by}-${++at}`, by, from, change: { type: "add", constraint } } as never],
    });
  const run = async (algorithm: string, options: object = { k: 2 }) => {
    const { number } = await call("startRun", { project: id, algorithm, options: { ...options } });
    return await finished(workbench, id, number);
  };
  const text = async (kind: "labels" | "constraints" | "answers" | "command", of?: number) =>
    (await call("export", { project: id, kind, ...(of ? { run: of } : {}) })).text;
  const standing = async () => (await call("knowledge", { project: id, by: "ann" })).constraints;
  return { ...workbench, id, read, say, run, text, standing };
}

test("as many rows are not the same rows: a run is not laid over others, and its labels keep their names", async () => {
  const { call, id, read, run, text } = await gaps();
  expect((await run("kmeans")).current).toBe(true);
  const labels = await text("labels", 1);
  expect(labels.split("\n").map((line) => line.split(",")[0])).toEqual(["id", "10", "12", "13", "3", "2", "1", "0", ""]);
  const page = (await call("export", { project: id, kind: "report-html", run: 1 })).text;
  await read({ ignore: ["y", "shop"] });
  expect((await call("run", { project: id, run: 1 })).current).toBe(false);
  expect(await text("labels", 1)).toBe(labels);
  expect((await call("export", { project: id, kind: "report-html", run: 1 })).text).toBe(page);
  const other = "Run 1 is about other rows";
  await expect(call("understanding", { project: id, run: 1 })).rejects.toThrow(other);
  await expect(call("map", { project: id, space: "run", run: 1 })).rejects.toThrow(other);
  await run("kmeans");
  await expect(call("compare", { project: id, before: 1, after: 2 })).rejects.toThrow(other);
  expect((await call("compare", { project: id, before: 2, after: 2 })).moved).toEqual([]);
  await read({ ignore: ["z", "shop"] });
  expect((await call("run", { project: id, run: 1 })).current).toBe(true);
});

test("a run is understood, spread and cut by the columns and the answers that it had", async () => {
  const { call, id, read, run, say, text } = await gaps({ missing: "impute" });
  await run("mpck-means");
  await run("ccl");
  const weights = (await call("understanding", { project: id, run: 1 })).weights;
  const cut = await call("cut", { project: id, run: 2, k: 3 });
  const asBefore = (await finished({ call } as never, id, cut.number)).report!;
  await read({ ignore: ["x", "shop"], scale: "zscore" });
  await say({ type: "cannot-link", a: "10", b: "12" });
  expect((await call("understanding", { project: id, run: 1 })).weights).toEqual(weights);
  const { number } = await call("cut", { project: id, run: 2, k: 3 });
  const again = (await finished({ call } as never, id, number)).report!;
  expect(again.labels).toEqual(asBefore.labels);
  expect(again.merges).toEqual(asBefore.merges);
  expect(await text("command", number)).not.toContain("zscore");
});

test("answers stay with their rows when another column names them, and when none does", async () => {
  const { read, say, standing, run, text } = await gaps();
  await say({ type: "must-link", a: "3", b: "2" });
  await say({ type: "label", a: "0", class: "left" });
  await read({ id: null, ignore: ["z", "shop", "who"] });
  expect((await standing()).map(({ constraint }) => constraint)).toEqual([
    { type: "must-link", a: 4, b: 5 },
    { type: "label", a: 7, class: "left" },
  ]);
  await say({ type: "cannot-link", a: 0, b: 3 });
  await say({ type: "must-link", a: 2, b: 7 });
  const { report } = await run("pck-means");
  expect((report!.labels as number[])[4]).toBe((report!.labels as number[])[5]);
  await read({ id: "who", ignore: ["z", "shop"] });
  expect((await standing()).map(({ constraint, counts }) => [constraint, counts])).toEqual([
    [{ type: "must-link", a: "3", b: "2" }, true],
    [{ type: "label", a: "0", class: "left" }, true],
    [{ type: "cannot-link", a: "10", b: "13" }, true],
    [{ type: "must-link", a: "12", b: "0" }, true],
  ]);
  expect(await text("labels", 1)).toContain("\n4,");
});

test("a question about rows that are other rows by now is not answered", async () => {
  const { call, id, read } = await gaps();
  const { question } = await call("ask", { project: id, by: "ann", budget: 5 });
  await read({ ignore: ["y", "shop"] });
  const answered = call("answer", { project: id, by: "ann", id: "answer-1", question: question!.question, answer: "same" });
  await expect(answered).rejects.toThrow("read in another way");
  const next = await call("ask", { project: id, by: "ann", budget: 5 });
  expect(next.question!.question.split(".").at(-1)).not.toBe(question!.question.split(".").at(-1));
});

test("a column that keeps rows apart is no feature, whoever asks for it, and however it came back", async () => {
  const { call, id, read, say } = await gaps({ missing: "impute" });
  await say({ type: "exclusive", column: "shop" });
  await expect(read({ ignore: [] })).rejects.toThrow('"shop" keeps rows apart');
  await call("append", {
    project: id,
    entries: [{ id: "undo-it-1", by: "ann", from: { kind: "drawn" }, change: { type: "undo", entry: "said-ann-1" } }],
  });
  await read({ ignore: [] });
  await call("append", {
    project: id,
    entries: [{ id: "redo-it-1", by: "ann", from: { kind: "drawn" }, change: { type: "redo", entry: "said-ann-1" } }],
  });
  expect((await call("columns", { project: id })).find(({ name }) => name === "shop")?.role).toBe("exclusive");
});

test("a file brings back what was dropped since, and nothing twice, however the table is read by then", async () => {
  const { call, id, read, standing } = await gaps({ missing: "impute" });
  const bytes = new TextEncoder().encode("type,a,b\nmust-link,10,12\ncannot-link,10,13\nmust-link,3,2\n");
  const send = async () =>
    (await call("importConstraints", { project: id, name: "k.csv", by: "ann", kind: "constraints", bytes })).added;
  expect([await send(), await send()]).toEqual([3, 0]);
  const [, second] = await standing();
  await call("append", {
    project: id,
    entries: [{ id: "drop-it-1", by: "ann", from: { kind: "drawn" }, change: { type: "drop", entry: second!.entry } }],
  });
  expect([await send(), await send()]).toEqual([1, 0]);
  await read({ scale: "zscore" });
  expect(await send()).toBe(0);
  expect((await standing()).map(({ constraint }) => constraint.type)).toEqual(["must-link", "cannot-link", "must-link"]);
});

test("exported answers are those that count, each question with its newest answer, under words that the command line reads", async () => {
  const { call, id, read, say, text } = await gaps({ missing: "impute" });
  const asked = (number: number) => ({ kind: "asked", strategy: "spreading", number });
  await say({ type: "unsure", rows: ["10", "12"] }, "ann", asked(1));
  await say({ type: "must-link", a: "3", b: "2" }, "ann", asked(2));
  await say({ type: "must-link", a: "10", b: "12" }, "ann", asked(3));
  await say({ type: "cannot-link", a: "2", b: "3" }, "ann", asked(4));
  await read({ types: { x: "number" }, weights: { x: 2 } });
  const [start, ...records] = (await text("answers"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(records.map(({ number, ask, answer }) => [number, ...ask, answer])).toEqual([
    [1, "10", "12", "same"],
    [2, "2", "3", "different"],
  ]);
  expect(start.reading).toMatchObject({ type: ["x=number"], weight: ["x=2"], id: "who" });
  const { upload, sha256 } = await call("upload", { name: "gaps.csv", bytes: new TextEncoder().encode(GAPS) });
  expect(start.sha256).toBe(sha256);
  const fresh = await call("createProject", { upload, reading: { id: "who", ignore: ["z", "shop"] } });
  const bytes = new TextEncoder().encode(await text("answers"));
  const { added } = await call("importConstraints", { project: fresh.id, name: "a.jsonl", by: "bob", kind: "answers", bytes });
  expect(added).toBe(2);
  expect(id).not.toBe(fresh.id);
});

test("advice is forgotten where the table is read in another way, and with its project", async () => {
  const { call, id, read, say } = await gaps({ missing: "impute" });
  await say({ type: "must-link", a: "10", b: "12" });
  await call("advise", { project: id, k: 2 });
  await read({ scale: "zscore" });
  expect(await call("advice", { project: id })).toBe(null);
  await call("advise", { project: id, k: 2 });
  await call("deleteProject", { project: id });
  const { upload } = await call("upload", { name: "gaps.csv", bytes: new TextEncoder().encode(GAPS) });
  const next = await call("createProject", { upload, reading: { id: "who" } });
  expect(next.id).toBe(id);
  expect(await call("advice", { project: id })).toBe(null);
});
