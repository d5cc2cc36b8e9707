/** `coterie constraints from-geometry`: thresholds in, a small set out, sentences where that cannot be. */
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

let folder: string;

beforeAll(() => {
  const rows = [0, 0.1, 0.2, 5, 5.1, 9].map((x, i) => `r${i},${x},${i % 2 ? "left" : "right"}`);
  folder = folderWith({ "line.csv": `name,x,side\n${rows.join("\n")}\n` });
});

const geometry = (...args: string[]) =>
  coterie("constraints", "from-geometry", join(folder, "line.csv"), "--id", "name", "--ignore", "side", ...args);

test("near rows together, far groups apart, in the user's ids", async () => {
  const { code, out, err } = await geometry("--separation", "0.15", "--diameter", "4.5");
  expect(code).toBe(0);
  const lines = out
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",").slice(0, 3).join());
  expect(lines.slice(0, 3)).toEqual(["must-link,r0,r1", "must-link,r1,r2", "must-link,r3,r4"]);
  expect(lines.slice(3).every((line) => line.startsWith("cannot-link,"))).toBe(true);
  expect(lines).toHaveLength(5);
  expect(err).toContain("3 must-links, 2 cannot-links.");
});

test("a count draws from all pairs and says of how many", async () => {
  const { out, err } = await geometry("--separation", "0.15", "--diameter", "4.5", "--count", "4");
  expect(out.trim().split("\n")).toHaveLength(5);
  expect(err).toContain("Drawn from 12 pairs.");
});

test("nominal columns count as differences, with a notice", async () => {
  const { err } = await coterie("constraints", "from-geometry", join(folder, "line.csv"), "--id", "name", "--diameter", "8");
  expect(err).toContain("nominal column");
});

test.each([
  [[], 2, "--separation X, --diameter X, or both"],
  [["--separation", "0"], 2, "a distance above 0"],
  [["--separation", "2", "--diameter", "1"], 2, "--diameter must be at least --separation"],
  [["--diameter", "1", "--limit", "3"], 3, "More than 3 pairs"],
  [["--diameter", "1", "--constraints", "x.csv"], 2, "reads no --constraints"],
])("%j exits with %i", async (args, code, sentence) => {
  const answer = await geometry(...args);
  expect(answer.err).toContain(sentence);
  expect(answer.code).toBe(code);
  expect(answer.out).toBe("");
});
