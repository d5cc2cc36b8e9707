/** Where results go when a name is no plain file: standard output, links, pipes. */
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const TABLE = "x\n0\n1\n9\n10\n";
const LABELS = "id,cluster\n0,0\n1,0\n2,1\n3,1\n";

test("- is standard output for the report and the page, and no file of that name is made", async () => {
  const folder = folderWith({ "rows.csv": TABLE });
  const before = process.cwd();
  process.chdir(folder);
  try {
    const run = async (...args: string[]) => (await coterie("cluster", "rows.csv", "-k", "2", "--quiet", ...args)).out;
    expect(JSON.parse(await run("--report", "-")).labels).toEqual([0, 0, 1, 1]);
    expect(await run("--html", "-")).toMatch(/^<!doctype html>/i);
    expect(await run("--algorithm", "ward", "--nested", "-")).toMatch(/^\{"height":/);
  } finally {
    process.chdir(before);
  }
  expect(readdirSync(folder)).toEqual(["rows.csv"]);
});

test.each([
  ["--json", "--newick", "-"],
  ["--out", "-", "--report", "-"],
  ["--html", "-", "--nested", "-", "--json"],
])("%s %s %s: two results on standard output are refused", async (...args) => {
  const { code, out, err } = await coterie("cluster", "iris-fisher", "-k", "3", "--algorithm", "ccl", ...args);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain("would mix on standard output");
});

test("a link stays a link: what it leads to is written", async () => {
  const folder = folderWith({ "rows.csv": TABLE, "kept.csv": "" });
  symlinkSync(join(folder, "kept.csv"), join(folder, "labels.csv"));
  expect((await coterie("cluster", join(folder, "rows.csv"), "-k", "2", "--out", join(folder, "labels.csv"))).code).toBe(0);
  expect(lstatSync(join(folder, "labels.csv")).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(folder, "kept.csv"), "utf8")).toBe(LABELS);
});

test("a pipe is written to and not replaced by a file, and has no side file", async () => {
  const folder = folderWith({ "rows.csv": TABLE });
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const [{ code }, read] = await Promise.all([
    coterie("cluster", join(folder, "rows.csv"), "-k", "2", "--out", pipe),
    readFile(pipe, "utf8"),
  ]);
  expect([code, read]).toEqual([0, LABELS]);
  expect(lstatSync(pipe).isFIFO()).toBe(true);
  expect(existsSync(`${pipe}.source.json`)).toBe(false);
});

test.skipIf(!existsSync("/dev/full"))("a full disk gives an error sentence", async () => {
  const folder = folderWith({ "rows.csv": TABLE });
  const { code, err } = await coterie("cluster", join(folder, "rows.csv"), "-k", "2", "--quiet", "--out", "/dev/full");
  expect(err).toContain("/dev/full: The file could not be written (ENOSPC).");
  expect(code).toBe(3);
  expect(lstatSync("/dev/full").isCharacterDevice()).toBe(true);
});
