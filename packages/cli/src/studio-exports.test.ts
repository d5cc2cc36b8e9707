/** What is taken out of the studio says the same elsewhere: in a fresh project, and to the command line. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startStudio } from "@coterie/server";
import { expect, onTestFinished, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

/** Names that spreadsheets, shells and readers of numbers would take for something else. */
const NAMES = [
  "007",
  "7",
  "1e5",
  "100000",
  "=1+1",
  "'q'",
  "-5",
  "+x",
  "@y",
  "a,b",
  'say "hi"',
  "two\nlines",
  "é 日本",
  "$(x)",
  "NaN",
  "a;b",
];
const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
const TABLE = `name,x,y,kind\n${NAMES.map((name, i) => {
  const [left, gap] = [i % 2 === 0, i === 5 || i === 10];
  return `${quote(name)},${(left ? 0 : 9) + i / 20},${gap ? "" : i / 10},${left ? "l" : "r"}`;
}).join("\n")}\n`;

test("labels, constraints, answers and models of rows with odd names, and with missing cells", { timeout: 60_000 }, async () => {
  const folder = folderWith({ "t.csv": TABLE });
  const studio = await startStudio({ folder: join(folder, "studio"), version: "0.0.0-test" });
  onTestFinished(() => studio.close());
  const { call } = studio.workbench;
  const { id: project } = await studio.open(join(folder, "t.csv"), { id: "name", truth: "kind" });
  const kept = NAMES.filter((_, i) => i !== 5 && i !== 10);
  const all = [
    ...kept
      .slice(2)
      .map((b, i) => ({ type: i % 2 === 0 ? "must-link" : "cannot-link", a: kept[i]!, b, weight: i % 3 === 0 ? "inf" : 1.5 })),
    { type: "relative", a: "007", b: "1e5", c: "7" },
    { type: "label", a: "=1+1", class: "=2+2" },
    { type: "label", a: "7", class: "'=2+2" },
    { type: "label", a: "1e5", class: "a, b" },
  ].filter(
    ({ type, ...each }) => type !== "cannot-link" || !("b" in each) || NAMES.indexOf(each.a) % 2 !== NAMES.indexOf(each.b) % 2,
  );
  await call("append", {
    project,
    entries: all.map(
      (constraint, i) =>
        ({
          id: `export-${i}`,
          by: "ann",
          from: { kind: "asked", strategy: "spreading", number: i + 1 },
          change: { type: "add", constraint },
        }) as never,
    ),
  });
  await call("startRun", { project, algorithm: "pck-means", options: { k: 2 } });
  for (;;) {
    const { run } = await call("run", { project, run: 1 });
    if (run.state === "failed") throw new Error(run.problem ?? "");
    if (run.state === "done") break;
    await new Promise((resume) => setTimeout(resume, 10));
  }
  await call("nameClusters", { project, run: 1, names: ["=one, two", "'three"] });
  const take = async (kind: "labels" | "constraints" | "answers" | "model" | "report-json") => {
    const { file, text } = await call("export", { project, kind });
    writeFileSync(join(folder, file), text);
    return { file: join(folder, file), text };
  };
  const report = JSON.parse((await take("report-json")).text);

  const table = ["--data", join(folder, "t.csv"), "--id", "name", "--truth", "kind"];
  const labels = await take("labels");
  const known = await take("constraints");
  const judged = await coterie("evaluate", labels.file, ...table, "--constraints", known.file, "--json");
  expect(judged.code, judged.err).toBe(0);
  expect(JSON.parse(judged.out).scores).toEqual(report.scores);
  const { labels: _, ...links } = report.violations;
  expect(JSON.parse(judged.out).violations).toMatchObject(links);

  const model = await take("model");
  const placed = await coterie("predict", model.file, join(folder, "t.csv"), "--id", "name", "--json");
  expect(placed.code, placed.err).toBe(0);
  expect(JSON.parse(placed.out)).toMatchObject({ model: { k: 2 }, names: ["=one, two", "'three"] });

  const sent = await call("upload", { name: "t.csv", bytes: new TextEncoder().encode(TABLE) });
  for (const kind of ["constraints", "answers"] as const) {
    const fresh = await call("createProject", { upload: sent.upload, reading: { id: "name", truth: "kind" } });
    const bytes = new TextEncoder().encode((await take(kind)).text);
    const { notices } = await call("importConstraints", { project: fresh.id, name: "k", by: "bob", kind, bytes });
    expect(notices).toEqual([]);
    const found = (await call("knowledge", { project: fresh.id, by: "bob" })).constraints.map(({ constraint }) =>
      words(constraint, kind),
    );
    const wanted = all.filter(({ type }) => kind === "constraints" || type !== "label").map((each) => words(each, kind));
    expect(found.sort()).toEqual(wanted.sort());
  }
});

/** Answers have no weights. */
function words(constraint: object, kind: "constraints" | "answers"): string {
  const { weight = 1, ...rest } = constraint as { readonly weight?: number | "inf" };
  return JSON.stringify(Object.entries({ ...rest, ...(kind === "answers" ? {} : { weight }) }).sort());
}
