/** Command line, library and studio give the same labels for the same table and constraints, where nobody sets an option. */
import { join } from "node:path";
import { startStudio } from "@coterie/server";
import { expect, onTestFinished, test } from "vitest";
import { cluster, constraints } from "./index.js";
import { readTable } from "./library/data.js";
import { coterie, folderWith } from "./testing/console.js";

const COLOURS = ["red", "blue", "green"];
/** Columns of several units, a long tail, a text, and a missing cell here and there. */
const lines = Array.from({ length: 90 }, (_, i) => {
  const group = i % 3;
  const wave = Math.sin(12.9898 * i);
  const size = i % 17 === 5 ? "" : (10 * group + 3 * wave).toFixed(2);
  return [`r${i}`, size, Math.round(2 ** (group + 4 * ((i * 37) % 11))), COLOURS[(group + (i % 7 === 0 ? 1 : 0)) % 3]].join(",");
});
const must = [0, 1, 2, 9, 13, 26, 31].map((i): [string, string] => [`r${i}`, `r${i + 3}`]);
const cannot = [4, 8, 15, 22, 40, 55].map((i): [string, string] => [`r${i}`, `r${i + 1}`]);

test("the same labels without an option", { timeout: 120_000 }, async () => {
  const links = [...must.map((pair) => ["must-link", ...pair]), ...cannot.map((pair) => ["cannot-link", ...pair])];
  const folder = folderWith({
    "t.csv": `name,size,amount,colour\n${lines.join("\n")}\n`,
    "known.csv": `type,a,b\n${links.map((link) => link.join(",")).join("\n")}\n`,
  });
  const path = join(folder, "t.csv");
  const printed = await coterie("cluster", path, "--id", "name", "-k", "3", "-c", join(folder, "known.csv"), "--json", "-q");
  const { labels, chosen } = JSON.parse(printed.out);
  expect(labels).toHaveLength(90);

  const table = await readTable(path, { id: "name" });
  const result = cluster(table, constraints(table, { mustLink: must, cannotLink: cannot, ids: "ids" }), { k: 3 });
  expect([...result.labels]).toEqual(labels);
  expect(result.chosen).toMatchObject({ algorithm: chosen.algorithm, scale: chosen.scale });

  const studio = await startStudio({ folder: join(folder, "studio"), version: "0.0.0-test" });
  onTestFinished(() => studio.close());
  const { call } = studio.workbench;
  const { id: project } = await studio.open(path, { id: "name" });
  const entries = links.map(([type, a, b], i) => ({
    id: `same-entry-${i}`,
    by: "ann",
    from: { kind: "drawn" },
    change: { type: "add", constraint: { type, a, b } },
  }));
  await call("append", { project, entries: entries as never });
  const { recommended } = await call("diagnosis", { project, k: 3 });
  expect(recommended.algorithm).toBe("auto");
  await call("startRun", { project, algorithm: recommended.algorithm, options: { k: 3 } });
  for (;;) {
    const { run, report } = await call("run", { project, run: 1 });
    if (run.state === "failed") throw new Error(run.problem ?? "");
    if (run.state === "done") {
      expect((report as unknown as { labels: number[] }).labels).toEqual(labels);
      break;
    }
    await new Promise((resume) => setTimeout(resume, 20));
  }
});
