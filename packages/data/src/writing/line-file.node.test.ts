import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLineFile } from "./line-file.js";

const folder = () => mkdtempSync(join(tmpdir(), "coterie-lines-"));

test("a new file begins with the header, and lines follow; a folder that is missing is made", async () => {
  const path = join(folder(), "new", "lines.csv");
  const file = openLineFile(path, "a,b\n", "");
  expect(await file.read()).toBeNull();
  await file.append("1,2\n");
  await file.append("3,4\n");
  expect(await file.read()).toBe("a,b\n1,2\n3,4\n");
});

test("an unfinished last line is cut off before the next line, also behind letters of two bytes; an unfinished header is written anew", async () => {
  const path = join(folder(), "lines.csv");
  writeFileSync(path, "a,b\nä,ö\n3,4");
  await openLineFile(path, "a,b\n", "").append("5,6\n");
  expect(readFileSync(path, "utf8")).toBe("a,b\nä,ö\n5,6\n");
  writeFileSync(path, "a,");
  await openLineFile(path, "a,b\n", "").append("5,6\n");
  expect(readFileSync(path, "utf8")).toBe("a,b\n5,6\n");
});

test("the whole is replaced, and nothing else is left in the folder", async () => {
  const place = folder();
  const file = openLineFile(join(place, "lines.csv"), "a\n", "");
  await file.append("2\n1\n");
  await file.replace("a\n1\n2\n");
  await file.append("3\n");
  expect(await file.read()).toBe("a\n1\n2\n3\n");
  expect(readdirSync(place)).toEqual(["lines.csv"]);
});

test("a path through a file, or to a folder, gives a sentence with the remedy", async () => {
  const place = folder();
  writeFileSync(join(place, "file"), "");
  const through = openLineFile(join(place, "file", "lines.csv"), "a\n", "Try again.");
  expect(await through.read()).toBeNull();
  await expect(through.append("1\n")).rejects.toThrow(/could not be written \(E\w+\)\. Try again\.$/);
  await expect(openLineFile(place, "a\n", "").read()).rejects.toThrow("The file cannot be read (EISDIR).");
});
