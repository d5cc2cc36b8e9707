/** `coterie advise`: the method that suits, by constraints that are held out, or by a rule where there are too few. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

let folder: string;

/** Two classes of rows that lie along y, while x has a large range and no information: only constraints show which column matters. */
function rows(): string[] {
  return Array.from({ length: 60 }, (_, i) => `r${i},${(40 * Math.sin(7.3 * i)).toFixed(3)},${(i % 2) * 3 + Math.cos(3.1 * i)}`);
}

function links(count: number): string {
  const lines = Array.from({ length: count }, (_, i) => {
    const [a, b] = [(7 * i) % 60, (11 * i + (i % 2) + 1) % 60];
    return a === b ? [] : [`${a % 2 === b % 2 ? "must" : "cannot"}-link,r${a},r${b}`];
  });
  return `type,a,b\n${lines.flat().join("\n")}\n`;
}

beforeAll(() => {
  folder = folderWith({ "data.csv": `name,x,y\n${rows().join("\n")}\n`, "known.csv": links(45), "few.csv": links(4) });
});

const advise = (...args: string[]) => coterie("advise", join(folder, "data.csv"), "--id", "name", ...args);
const known = (file = "known.csv") => ["--constraints", join(folder, file)];

test("a method that learns which column counts is advised, with the evidence of all and the next command", async () => {
  const { code, out, err } = await advise("-k", "2", ...known());
  expect(code).toBe(0);
  expect(out).toMatch(/^[a-z-]+: it agrees /);
  expect(out).toMatch(/agreement +± error/);
  expect(out).toMatch(/^kmeans +-?0\.\d{3}/m);
  expect(err).toContain("Next: coterie ");
  const { code: again, out: text } = await advise("-k", "2", ...known(), "--json");
  expect(again).toBe(0);
  const { recommended, tried, held, k } = JSON.parse(text);
  expect([recommended.by, k]).toEqual(["held-out constraints", 2]);
  const scoreOf = (name: string) => tried.find(({ algorithm }: { algorithm: string }) => algorithm === name).score;
  expect(scoreOf(recommended.algorithm)).toBeGreaterThan(scoreOf("kmeans") + 0.3);
  expect(held).toBeGreaterThan(16);
  expect((await advise("-k", "2", ...known(), "--json")).out).toBe(text);
});

test("methods that are named are the only ones that are tried", async () => {
  const { tried } = JSON.parse((await advise("-k", "2", ...known(), "--json", "--algorithms", "ccl,kmeans")).out);
  expect(tried.map(({ algorithm }: { algorithm: string }) => algorithm)).toEqual(["ccl", "kmeans"]);
});

test("with too few constraints experience says what to begin with, and says so", async () => {
  const { out } = await advise("-k", "2", ...known("few.csv"));
  expect(out).toMatch(/^mixture: /);
  expect(JSON.parse((await advise("-k", "2", ...known("few.csv"), "--json")).out).recommended.by).toBe("rule");
});

test("a table of far more columns than rows: no metric of all columns is tried, and the other methods are", async () => {
  const row = (i: number) =>
    Array.from({ length: 1200 }, (_, j) => (Math.sin(j * 7.7 + (i % 3) * 40) + Math.sin(i * 91.7 + j * 3.3)).toFixed(3));
  const wide = folderWith({
    "wide.csv": `${Array.from({ length: 1200 }, (_, j) => `g${j}`).join(",")}\n${Array.from({ length: 30 }, (_, i) => row(i).join(",")).join("\n")}\n`,
    "known.csv": `type,a,b\n${Array.from({ length: 26 }, (_, i) => `must-link,${i},${i + 3}\ncannot-link,${i},${i + 1}`).join("\n")}\n`,
  });
  const { code, out } = await coterie("advise", join(wide, "wide.csv"), "-k", "3", "-c", join(wide, "known.csv"), "--json");
  expect(code).toBe(0);
  const { tried, recommended } = JSON.parse(out);
  const named = (name: string) => tried.find(({ algorithm }: { algorithm: string }) => algorithm === name);
  expect(named("rca-kmeans")).toBeUndefined();
  expect(named("mixture").failure).toBeNull();
  expect(named(recommended.algorithm).score).toBeGreaterThan(0.9);
});

test("missing and unknown arguments give errors: usage 2, bad input 3", async () => {
  expect(await advise(...known())).toMatchObject({ code: 2, err: expect.stringContaining("-k K") });
  expect(await advise("-k", "2")).toMatchObject({ code: 2, err: expect.stringContaining("--constraints FILE") });
  expect(await advise("-k", "2", ...known(), "--algorithms", "ccll")).toMatchObject({
    code: 2,
    err: expect.stringContaining("Did you mean ccl?"),
  });
  expect(await advise("-k", "61", ...known())).toMatchObject({ code: 3 });
  expect(await coterie("advise")).toMatchObject({ code: 2, err: expect.stringContaining("DATA") });
});

test("constraints that the others contradict are suspects, in advice and diagnosis, in words and as JSON", async () => {
  const wrong = folderWith({ "known.csv": links(45).replace("must-link,r0,", "cannot-link,r0,").concat("must-link,r10,r11\n") });
  const line = ["-k", "2", "--constraints", join(wrong, "known.csv")];
  const { out } = await advise(...line);
  expect(out).toMatch(/Look again at these constraints[\s\S]*\n {2}r10 = r11 {2}\d+%/);
  const { suspects } = JSON.parse((await advise(...line, "--json")).out);
  expect(suspects).toContainEqual({
    constraint: { type: "must-link", a: "r10", b: "r11" },
    probability: expect.any(Number),
  });
  for (const { probability } of suspects) expect(probability).toBeGreaterThan(0.5);
  const page = join(wrong, "advice.html");
  expect((await advise(...line, "--html", page)).err).toContain(`Written: ${page}`);
  const text = readFileSync(page, "utf8");
  expect(text).toContain("Constraints to look at again");
  expect(text).toContain("r10 = r11");
  expect(text).toMatch(/<h1>[a-z-]+: it agrees/);
  expect(text).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
  const diagnosed = await coterie("diagnose", join(folder, "data.csv"), "--id", "name", ...line, "--json");
  expect(JSON.parse(diagnosed.out).suspects).toEqual(suspects);
});
