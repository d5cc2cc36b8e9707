import { readConstraints } from "@coterie/data/browser";
import fc from "fast-check";
import { expect, test } from "vitest";
import { finished, localWorkbench } from "../testing/local-workbench.js";
import { safeCell } from "./workbench.js";

const HOSTILE = `who,x,y
=HYPERLINK("http://x"),1,2
+cmd|' /C calc'!A0,1.1,2
@SUM(A1),9,9
-5,9.1,9
"a,b",1.2,2
plain,9.2,9
`;

async function hostile() {
  const workbench = localWorkbench();
  const sent = await workbench.call("upload", { name: "=bad.csv", bytes: new TextEncoder().encode(HOSTILE) });
  const { id } = await workbench.call("createProject", { upload: sent.upload, reading: { id: "who" } });
  const entry = (constraint: object, at: number) =>
    ({ id: `hostile-${at}`, by: "=1+1", from: { kind: "drawn" }, change: { type: "add", constraint } }) as never;
  await workbench.call("append", {
    project: id,
    entries: [
      entry({ type: "must-link", a: '=HYPERLINK("http://x")', b: "a,b", weight: "inf" }, 1),
      entry({ type: "cannot-link", a: "-5", b: "@SUM(A1)", weight: 0.5 }, 2),
      entry({ type: "label", a: "plain", class: "=2+2" }, 3),
    ],
  });
  await workbench.call("startRun", { project: id, algorithm: "pck-means", options: { k: 2 } });
  await finished(workbench, id, 1);
  return { ...workbench, id };
}

test("no cell of an exported table is a formula, whatever ids, classes and names hold", async () => {
  const { call, id } = await hostile();
  await call("nameClusters", { project: id, run: 1, names: ["=cmd()", "fine"] });
  for (const kind of ["labels", "constraints"] as const) {
    const { text, type } = await call("export", { project: id, kind });
    expect(type).toBe("text/csv");
    for (const cell of text.split(/[,\n]/)) expect(cell).not.toMatch(/^"?[=+@]/);
  }
  const { text } = await call("export", { project: id, kind: "labels" });
  expect(text.split("\n")[0]).toBe("id,cluster,name");
  expect(text).toContain("'=cmd()");
  expect(text).toContain("\n-5,");
});

test("a safe cell is its text, or its text behind an apostrophe", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const cell = safeCell(text);
      const read = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
      expect([text, `'${text}`]).toContain(read);
      expect(/^\s*[=@\t\r]/.test(read)).toBe(false);
    }),
  );
});

test("a run as a command, as TypeScript, as report, model and page; names go along", async () => {
  const { call, id } = await hostile();
  const of = async (kind: "command" | "typescript" | "model" | "report-json" | "report-html" | "constraints") =>
    (await call("export", { project: id, kind, run: 1 })).text;
  const command = await of("command");
  // One line, which any shell takes; the constraints are exported under the name that it has.
  expect(command.trim().split("\n")).toHaveLength(1);
  expect(command).toContain(
    'npx coterie cluster "=bad.csv" --algorithm pck-means -k 2 --id who --scale auto --missing auto --constraints bad-run-1-constraints.csv --seed 0',
  );
  expect((await call("export", { project: id, kind: "constraints", run: 1 })).file).toBe("bad-run-1-constraints.csv");
  const file = await of("constraints");
  const chunks = (async function* () {
    yield new TextEncoder().encode(file);
  })();
  const rows = { n: 6, ids: ['=HYPERLINK("http://x")', "+cmd|' /C calc'!A0", "@SUM(A1)", "-5", "a,b", "plain"] };
  const { set } = await readConstraints(chunks, { file: "x", rows });
  expect([...set.mustLinks.a, ...set.mustLinks.b, ...set.mustLinks.weight]).toEqual([0, 4, Infinity]);
  const script = await of("typescript");
  expect(script).toContain('readTable("=bad.csv", { id: "who", scale: "auto", missing: "auto" })');
  expect(script).toContain('mustLink: [["=HYPERLINK(\\"http://x\\")", "a,b", Infinity]]');
  expect(script).toContain('cluster(rows, known, { algorithm: "pck-means", k: 2, seed: 0 })');
  await call("nameClusters", { project: id, run: 1, names: ["one", null] });
  expect(JSON.parse(await of("model"))).toMatchObject({ algorithm: "pck-means", names: ["one", null] });
  expect(JSON.parse(await of("report-json"))).toMatchObject({ algorithm: "pck-means", names: ["one", null] });
  expect(await of("report-html")).toContain("<html>");
  await call("startRun", { project: id, algorithm: "ward", options: { k: 2 } });
  await finished({ call } as never, id, 2);
  await expect(call("export", { project: id, kind: "model", run: 2 })).rejects.toThrow("no rule for new rows");
});

const PEOPLE = `id,list,name,phone,city
1,A,Anna Meyer,48213,Basel
2,B,"Meyer, Anna",48213,Basel
3,A,Bert Koch,99871,Graz
4,B,Bert Kochh,99871,Graz
5,A,Carla Lindqvist,55120,Essen
6,B,Dora Ivanova,70011,Vienna
7,A,Emil Sanchez,31337,Zurich
8,B,Fatma Yilmaz,12001,Bremen
`;

test("duplicates: a run and questions without a number of clusters, and what can be exported of them", async () => {
  const { call } = localWorkbench();
  const { upload } = await call("upload", { name: "people.csv", bytes: new TextEncoder().encode(PEOPLE) });
  const { id } = await call("createProject", { upload, reading: { id: "id" } });
  await call("changeProject", { project: id, k: 3 });
  const change = { type: "add", constraint: { type: "exclusive", column: "list" } };
  await call("append", { project: id, entries: [{ id: "one-of-a-list", by: "ann", from: { kind: "drawn" }, change } as never] });
  await call("startRun", { project: id, algorithm: "duplicates", options: {} });
  expect(await finished({ call } as never, id, 1)).toMatchObject({ run: { state: "done", k: 6, problem: null } });
  const of = async (kind: "command" | "labels" | "report-json" | "model") =>
    (await call("export", { project: id, kind, run: 1 })).text;
  expect(await of("command")).toContain("--algorithm duplicates --id id");
  expect(await of("labels")).toContain("2,");
  expect(JSON.parse(await of("report-json"))).toMatchObject({ pairs: { groups: 2, rows: 4 } });
  await expect(of("model")).rejects.toThrow("no rule for new rows");
  const { question } = await call("ask", { project: id, by: "ann", strategy: "duplicates" });
  if (question) expect(question.rows).toHaveLength(2);
});
