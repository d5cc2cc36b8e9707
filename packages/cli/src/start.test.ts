/** What is read before the first line is printed: a start that loads every method takes half a second. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const LIGHT = ["@coterie/core/errors", "@coterie/core/names", "@coterie/core/shell", "@coterie/data/column-types"];

/** Packages that a file and those it imports at once need; types and what is imported later do not count. */
function neededBy(file: string, seen = new Set<string>()): Set<string> {
  const needed = new Set<string>();
  if (seen.has(file) || !existsSync(file)) return needed;
  seen.add(file);
  for (const [, name] of readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type\b)(?:[^;]*? from )?"([^"]+)";/gm)) {
    if (name!.startsWith("."))
      for (const each of neededBy(join(dirname(file), name!.replace(/\.js$/, ".ts")), seen)) needed.add(each);
    else if (!name!.startsWith("node:")) needed.add(name!);
  }
  return needed;
}

test("the command line starts without loading any method, reader or engine", () => {
  const needed = neededBy(fileURLToPath(new URL("main.ts", import.meta.url)));
  expect(needed).toContain("@coterie/core/errors");
  expect([...needed].filter((name) => !LIGHT.includes(name))).toEqual([]);
});
