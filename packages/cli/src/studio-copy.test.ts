/** What the studio says to copy gives the same run again: the command through a shell, the TypeScript through Node. */
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startStudio } from "@coterie/server";
import { expect, onTestFinished, test } from "vitest";
import { folderWith } from "./testing/console.js";

const BIN = fileURLToPath(new URL("../bin/coterie.js", import.meta.url));
const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));

const TABLE = `name,x,y,colour,source,kind\n${Array.from({ length: 60 }, (_, i) => {
  const kind = i % 3;
  const far = ((i * 37) % 11) / 9;
  return `"row ${i}, it's",${kind * 4 + far},${kind === 1 ? 5 - far : far},${["red", "blue"][i % 2]},${i % 20},${"abc"[kind]}`;
}).join("\n")}\n`;

const said = (constraint: object, at: number) =>
  ({ id: `copied-${at}`, by: "ann", from: { kind: "drawn" }, change: { type: "add", constraint } }) as never;
const row = (i: number) => `row ${i}, it's`;

test.each([
  ["mpck-means", { restarts: 3 }, { choose: { from: 2, to: 4 }, price: 2 }, "-k 2..4"],
  ["ccl", { k: 3, lookahead: false }, {}, "-k 3"],
  ["cop-kmeans", { k: 3 }, {}, "-k 3"],
  ["kmeans", { k: 56 }, {}, "-k 56 --restarts 9"],
])(
  "%s: the copied command and the copied TypeScript give the labels of the run",
  { timeout: 240_000 },
  async (algorithm, options, more, words) => {
    const folder = folderWith({ "it's a table.csv": TABLE });
    const studio = await startStudio({ folder: join(folder, "studio"), version: "0.0.0-test" });
    onTestFinished(() => studio.close());
    const { call } = studio.workbench;
    const { id } = await studio.open(join(folder, "it's a table.csv"), { id: "name", truth: "kind", scale: "zscore" });
    await call("append", {
      project: id,
      entries: [
        said({ type: "must-link", a: row(0), b: row(4), weight: 2.5 }, 1),
        said({ type: "cannot-link", a: row(0), b: row(3) }, 2),
        said({ type: "label", a: row(7), class: "a, b" }, 3),
        said({ type: "label", a: row(8), class: "it's c" }, 4),
        said({ type: "exclusive", column: "source" }, 5),
        said({ type: "sizes", min: 10 }, 6),
      ],
    });
    await call("startRun", { project: id, algorithm, options, seed: 3, ...more });
    const done = await ended(call, id);
    const labels = (await call("export", { project: id, kind: "labels" })).text;
    const command = (await call("export", { project: id, kind: "command" })).text;
    expect(command).toContain(words);
    const constraints = await call("export", { project: id, kind: "constraints", run: 1 });
    writeFileSync(join(folder, constraints.file), constraints.text);
    writeFileSync(join(folder, "npx"), `#!/bin/sh\nshift\nexec "${process.execPath}" "${BIN}" "$@"\n`);
    chmodSync(join(folder, "npx"), 0o755);
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    execFileSync("sh", ["-c", command], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
    const again = readFileSync(join(folder, `${id}-run-1-labels.csv`), "utf8");
    expect(twoColumns(again)).toEqual(twoColumns(labels));

    const script = (await call("export", { project: id, kind: "typescript" })).text;
    symlinkSync(MODULES, join(folder, "node_modules"));
    writeFileSync(join(folder, "copied.mjs"), `${script}console.log(JSON.stringify([...result.labels]));\n`);
    const out = execFileSync(process.execPath, ["copied.mjs"], { cwd: folder, encoding: "utf8" });
    const clusters = twoColumns(labels)
      .slice(1)
      .map((line) => Number(line.split(",").at(-1)));
    expect(JSON.parse(out.trim().split("\n").at(-1)!)).toEqual(clusters);
    expect(done.state).toBe("done");
  },
);

async function ended(call: Awaited<ReturnType<typeof startStudio>>["workbench"]["call"], project: string) {
  for (;;) {
    const { run } = await call("run", { project, run: 1 });
    if (run.state === "failed") throw new Error(run.problem ?? "");
    if (run.state === "done") return run;
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

/** Ids and clusters; a third column has the names of clusters. */
function twoColumns(text: string): string[] {
  return text
    .trim()
    .split("\n")
    .map((line) => /^((?:"(?:[^"]|"")*"|[^,]*),[^,]*)/.exec(line)![1]!);
}
