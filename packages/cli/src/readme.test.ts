/** The README's first example is run, and prints what the README says. */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

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
