/** What a project says about its columns: types, weights, cells that are missing, vectors; and numbers of clusters to choose from. */
import { expect, test } from "vitest";
import { finished, localWorkbench } from "../testing/local-workbench.js";

const bytes = (text: string) => new TextEncoder().encode(text);

async function project(name: string, text: string, reading: object = {}) {
  const workbench = localWorkbench();
  const { upload } = await workbench.call("upload", { name, bytes: bytes(text) });
  const { id } = await workbench.call("createProject", { upload, reading });
  return { ...workbench, id, ended: async (run: number) => (await finished(workbench, id, run)).run };
}

/** Three clumps of ten rows. */
const CLUMPS = Array.from({ length: 30 }, (_, i) => {
  const far = ((i * 37) % 11) / 20;
  return { x: (i % 3) * 10 + far, y: i % 3 === 1 ? 8 - far : far, code: 100 + (i % 2), day: `2024-0${1 + (i % 3)}-1${i % 10}` };
});
const TABLE = `x,y,code,day\n${CLUMPS.map(({ x, y, code, day }) => `${x},${y},${code},${day}`).join("\n")}\n`;

test("columns are read as what somebody says they hold, and shown so; the copied command says it too", async () => {
  const { call, id, ended } = await project("clumps.csv", TABLE);
  const kinds = async () => (await call("columns", { project: id })).map(({ kind }) => kind);
  expect(await kinds()).toEqual(["number", "number", "number", "date"]);
  const [row] = await call("rows", { project: id, rows: "4" });
  expect(row!.cells).toEqual([CLUMPS[4]!.x, CLUMPS[4]!.y, 100, "2024-02-14"]);
  await call("changeProject", { project: id, reading: { types: { code: "nominal", day: "text" }, weights: { x: 2.5 } } });
  const columns = await call("columns", { project: id });
  expect(columns.map(({ kind }) => kind)).toEqual(["number", "number", "nominal", "text"]);
  expect(columns.map(({ weight }) => weight)).toEqual([2.5, undefined, undefined, undefined]);
  await call("changeProject", { project: id, reading: { types: { code: "nominal" }, ignore: ["day"] }, k: 3 });
  await call("startRun", { project: id, algorithm: "average-link", options: {} });
  await ended(1);
  const { text } = await call("export", { project: id, kind: "command" });
  expect(text).toContain("--type code=nominal");
  expect(text).toContain("--weight x=2.5");
  await call("changeProject", { project: id, reading: { types: null, weights: null } });
  expect((await call("project", { project: id })).reading).not.toHaveProperty("types");
  await expect(call("changeProject", { project: id, reading: { types: { x: "colour" } } as never })).rejects.toThrow();
  await expect(call("changeProject", { project: id, reading: { weights: { x: 0 } } })).rejects.toThrow();
  await expect(call("changeProject", { project: id, reading: { types: { nope: "text" } } })).rejects.toThrow(/nope/);
});

test("missing cells are skipped: rows stay, the map has them, and the method that is recommended can do it", async () => {
  const holes = TABLE.split("\n")
    .map((line, i) => (i % 7 === 3 ? line.replace(/^[^,]+/, "") : line))
    .join("\n");
  const { call, id, ended } = await project("holes.csv", holes, { missing: "skip", ignore: ["day"] });
  const { rows, leftOut, notices } = await call("project", { project: id });
  expect([rows, leftOut]).toEqual([30, 0]);
  expect(notices.join(" ")).toContain("compared by the columns in which both have values");
  const map = await call("map", { project: id });
  const xy = Uint8Array.from(atob(map.xy), (sign) => sign.charCodeAt(0));
  expect([...new Float32Array(xy.buffer)].every(Number.isFinite)).toBe(true);
  const { recommended } = await call("diagnosis", { project: id, k: 3 });
  expect(recommended.algorithm).toBe("average-link");
  await call("startRun", { project: id, algorithm: recommended.algorithm, options: { k: 3 } });
  expect((await ended(1)).state).toBe("done");
  const known = await call("understanding", { project: id, run: 1 });
  expect(known.columns.length).toBe(4);
  await call("startRun", { project: id, algorithm: "kmeans", options: { k: 3 } });
  expect((await ended(2)).problem).toContain("Methods that only use distances can skip missing cells");
});

test("the number of clusters is chosen from a range, and the copied command chooses again", async () => {
  const { call, id, ended } = await project("clumps.csv", TABLE, { features: ["x", "y"] });
  await call("startRun", { project: id, algorithm: "kmeans", options: {}, choose: { from: 2, to: 6 } });
  const run = await ended(1);
  expect([run.state, run.k]).toEqual(["done", 3]);
  const { report } = await call("run", { project: id, run: 1 });
  expect(report!.chosen).toMatchObject({ k: 3, by: "silhouette" });
  expect((await call("export", { project: id, kind: "command" })).text).toContain("-k 2..6 ");
  expect((await call("export", { project: id, kind: "typescript" })).text).toMatch(/best of 2 to 6.*\n.*k: 3,/);
  await expect(call("startRun", { project: id, algorithm: "kmeans", options: {}, choose: { from: 6, to: 2 } })).rejects.toThrow(
    /the smaller one first/,
  );
});

test("the price of a break is a factor on the weights of answers; hard ones stay hard, and the copied run has the same weights", async () => {
  const { call, id, ended } = await project("clumps.csv", TABLE, { features: ["x", "y"] });
  const say = (at: number, constraint: object) =>
    ({ id: `priced-answer-${at}`, by: "ann", from: { kind: "drawn" }, change: { type: "add", constraint } }) as never;
  await call("append", {
    project: id,
    entries: [say(1, { type: "must-link", a: 0, b: 1 }), say(2, { type: "cannot-link", a: 2, b: 5, weight: "inf" })],
  });
  const broken = [];
  for (const [at, price] of [0.01, 1000].entries()) {
    await call("startRun", { project: id, algorithm: "pck-means", options: { k: 3, costs: "unit" }, price });
    broken.push((await ended(at + 1)).broken);
  }
  expect(broken).toEqual([1, 0]);
  const { text } = await call("export", { project: id, kind: "constraints", run: 1 });
  expect(text).toContain("must-link,0,1,,0.01");
  expect(text).toContain("cannot-link,2,5,,inf");
});

test("a vector is one column, whatever numbers it holds", async () => {
  const lines = CLUMPS.map(({ x, y }, i) => JSON.stringify({ name: `n${i}`, place: [x, y, x - y, 1, 2, i] }));
  const { call, id } = await project("vectors.jsonl", `${lines.join("\n")}\n`, { id: "name", scale: "zscore" });
  const columns = await call("columns", { project: id });
  expect(columns.map(({ name, kind, role, parts }) => [name, kind, role, parts])).toEqual([
    ["name", "nominal", "id", undefined],
    ["place", "vector", "feature", 6],
  ]);
  const [row] = await call("rows", { project: id, rows: "0" });
  expect(row!.cells).toEqual(["n0", "[0, 0, 0, 1, … 6 numbers]"]);
});
