import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { publicNames, report } from "./api-report.mjs";

const listed = publicNames();

test("docs/api.md is what the build exports", () => {
  expect(report()).toBe(readFileSync(new URL("../docs/api.md", import.meta.url), "utf8"));
}, 120_000);

test("there are at most 80 public names, all of them documented, those to call with an example", () => {
  const names = listed.flatMap(({ names }) => names);
  expect(names.length).toBeLessThanOrEqual(80);
  expect(names.filter(({ summary }) => summary === "").map(({ name }) => name)).toEqual([]);
  const called = names.filter(({ kind }) => kind === "function" || kind === "const" || kind === "class");
  expect(called.filter(({ example }) => !example).map(({ name }) => name)).toEqual([]);
});
