/** The examples of README and guide are run, and print what stands there. */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { coterie, coterieWith, folderWith, typed } from "./testing/console.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

test("the first example prints what stands under it", () => {
  const readme = readFileSync(`${root}README.md`, "utf8");
  const [, code, output] = /```ts\n(.*?)```\s+```\n(.*?)```/s.exec(readme)!;
  expect(
    code!
      .trim()
      .split("\n")
      .filter((line) => line !== ""),
  ).toHaveLength(8);
  const file = `${root}packages/cli/dist/readme-example.mjs`;
  writeFileSync(file, code!);
  try {
    expect(execFileSync(process.execPath, [file], { encoding: "utf8" })).toBe(output);
  } finally {
    rmSync(file);
  }
});

const guide = readFileSync(`${root}docs/guide.md`, "utf8");
const lines = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");

test("the guide's tree is what its commands print", async () => {
  const [, commands, printed] = /### Clusters as rules.*?```\n(.*?)```\n```\n(.*?)```/s.exec(guide)!;
  const folder = folderWith();
  let last = "";
  for (const command of lines(commands!)) {
    const words = command.split(" ").slice(1);
    const { code, err } = await coterie(...words.map((word) => (word === "known.csv" ? join(folder, word) : word)));
    expect(code, command).toBe(0);
    last = err;
  }
  for (const line of lines(printed!)) expect(lines(last)).toContain(line);
});

test("the guide's questions are those that come", async () => {
  const [, command, printed] = /```\n\$ coterie (ask .*?)\n(.*?)```/s.exec(guide)!;
  const answers = join(folderWith(), "answers.jsonl");
  const { err } = await coterieWith({ input: typed("different\ndifferent\n") }, ...command!.split(" "), "--answers", answers);
  const shown = lines(printed!).map((line) => line.replace("iris-fisher.answers.jsonl", answers));
  for (const line of shown) expect(lines(err)).toContain(line);
});

test("every relative link of the docs leads somewhere", () => {
  const pages = [
    "README.md",
    "CONTRIBUTING.md",
    "docs/architecture.md",
    "docs/status.md",
    "docs/guide.md",
    "docs/synthetic.md",
    "docs/dependencies.md",
  ];
  for (const page of pages) {
    for (const [, target] of readFileSync(root + page, "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)) {
      const url = new URL(target!, `file://${root}${page}`);
      expect(() => readFileSync(url), `${page} → ${target}`).not.toThrow(/ENOENT/);
    }
  }
});
