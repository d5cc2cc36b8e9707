import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeSynthetic, randomFrom, SYNTHETIC_SETS } from "@coterie/core/internal";
import { readTable } from "@coterie/data";
import { expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

test.each(SYNTHETIC_SETS)("%s goes to standard output, the same rows as the library's, to the last bit", async (name) => {
  const { code, out, err } = await coterie("data", "make", name, "-n", "41", "--seed", "5");
  expect([code, err]).toEqual([0, ""]);
  const { points, truth } = makeSynthetic(name, 41, randomFrom(5));
  const [header, ...lines] = out.trimEnd().split("\n");
  expect(header).toBe("x,y,class");
  expect(lines.flatMap((line) => line.split(",").slice(0, 2).map(Number))).toEqual([...points.x]);
  expect(lines.map((line) => line.split(",")[2])).toEqual(Array.from(truth.codes, (code) => truth.names[code]));
  expect((await coterie("data", "make", name, "-n", "41", "--seed", "6")).out).not.toBe(out);
});

test("a set in a file is a table with known classes; 200 rows by default", async () => {
  const file = join(folderWith(), "circles.csv");
  expect((await coterie("data", "make", "circles", "--out", file)).err).toContain(
    '200 rows; the classes are in the column "class"',
  );
  const table = await readTable(file, { truth: "class" });
  expect([table.n, table.d, table.truth!.names.length]).toEqual([200, 2, 2]);
  const { code, out } = await coterie("cluster", file, "-k", "2", "--truth", "class", "--algorithm", "single-link", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(out).scores.adjustedRand).toBe(1);
  expect(readFileSync(file, "utf8").endsWith("\n")).toBe(true);
});

test("what cannot be made is refused with the way out", async () => {
  const typed = await coterie("data", "make", "circle");
  expect([typed.code, typed.err]).toEqual([2, expect.stringContaining("Did you mean circles?")]);
  expect((await coterie("data", "make")).err).toContain("Name one of circles, cellwalls, xor, stormclouds");
  expect((await coterie("data", "make", "xor", "circles")).code).toBe(2);
  expect((await coterie("data", "make", "xor", "-n", "1")).err).toContain("--rows");
  const nowhere = join(folderWith(), "missing", "xor.csv");
  expect((await coterie("data", "make", "xor", "--out", nowhere)).code).toBe(3);
  expect(existsSync(nowhere)).toBe(false);
  expect((await coterie("data", "list", "-n", "3")).err).toContain("--rows belongs to data make");
});
