/** Kinds of constraints at the command line: made for the rows that are clustered, and counted as a person made them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

test("groups of an exclusive column are counted one by one, and one that two clusters break is broken once", async () => {
  const folder = folderWith({ "frames.csv": "x,frame\n0,one\n1,one\n2,two\n9,one\n10,one\n11,two\n4,three\n" });
  const { code, err } = await coterie("cluster", join(folder, "frames.csv"), "-k", "2", "--exclusive", "frame");
  expect(err).toContain("1 of 2 constraints is broken:");
  expect(err).toContain("\n2 violations; 1 of 2 constraints is broken:\n");
  expect(err).toContain("cluster 0 holds 2 rows with frame = one");
  expect(err).toContain("cluster 1 holds 2 rows with frame = one");
  expect(code).toBe(0);
});

test("broken constraints are one count at the terminal, in its list, the report, the page and evaluate", async () => {
  const rows = Array.from({ length: 60 }, (_, i) => `${(i * 37) % 60},f${i % 7},${i % 3 === 0 ? "" : `g${i % 11}`}`);
  const folder = folderWith({
    "t.csv": ["x,frame,other", ...rows, ""].join("\n"),
    "known.csv": "type,a,b\nmust-link,0,1\nmust-link,2,5\ncannot-link,0,3\n",
  });
  const at = (name: string) => join(folder, name);
  const data = ["--exclusive", "frame,other", "--constraints", at("known.csv")];
  const outputs = ["--out", at("labels.csv"), "--html", at("page.html"), "--report", at("report.json")];
  const { code, err } = await coterie("cluster", at("t.csv"), "-k", "4", ...data, ...outputs);
  expect(code).toBe(0);
  const { violations } = JSON.parse(readFileSync(at("report.json"), "utf8"));
  const entries = Object.values(violations as Record<string, unknown[]>).reduce((sum, list) => sum + list.length, 0);
  const groups = new Set(violations.exclusive.map(({ column, value }: Record<string, string>) => `${column} ${value}`)).size;
  expect(violations.exclusive.length).toBeGreaterThan(groups);
  const words = `${entries} violations; ${entries - violations.exclusive.length + groups} of 21 constraints are broken`;
  expect(err).toContain(`\n${words}:\n`);
  const list = err.split(`${words}:\n`)[1]!.split("\n");
  const more = Number(/… and (\d+) more/.exec(err)![1]);
  expect(list.findIndex((line) => line.includes("… and")) + more).toBe(entries);
  const page = readFileSync(at("page.html"), "utf8");
  expect(page).toContain(`${words}.`);
  expect(page.match(/Broken constraints <small>(.*?)<\/small>/)![1]).toBe(words.replace(" constraints are broken", ""));
  const evaluated = await coterie("evaluate", at("labels.csv"), "--data", at("t.csv"), ...data);
  expect(evaluated.out).toContain(`violations             ${entries}\n`);
});

describe("an exclusive group of more rows than clusters", () => {
  const folder = folderWith({
    "shops.csv": [
      "x,source",
      ...Array.from({ length: 40 }, (_, i) => `${(i * 7) % 40},${i % 4 === 0 ? "mall" : "shop"}`),
      "",
    ].join("\n"),
  });
  const line = [join(folder, "shops.csv"), "--exclusive", "source"];
  const NEEDS = "source = shop has 30 rows, so k must be at least 30.";

  test.each(["cop-kmeans", "recon"])("%s refuses it before any search, and names diagnose", async (algorithm) => {
    const { code, out, err } = await coterie("cluster", ...line, "-k", "29", "--algorithm", algorithm, "--json", "--effort", "1");
    expect(code).toBe(4);
    expect(err).toContain(`coterie: No clustering with 29 clusters keeps all constraints: ${NEEDS} \`coterie diagnose\``);
    const { error } = JSON.parse(out);
    expect(error).toMatchObject({
      code: "infeasible",
      message: `No clustering with 29 clusters keeps all constraints: ${NEEDS}`,
    });
    expect(error.core).toHaveLength(30);
  });

  test("with as many clusters as rows of the group there is one", async () => {
    const { code, err } = await coterie("cluster", ...line, "-k", "30", "--algorithm", "cop-kmeans", "--json");
    expect(code, err).toBe(0);
  });

  test.each(["pck-means", "mpck-means", "ccl", "clusilc"])("%s breaks it, and says so", async (algorithm) => {
    const { code, out, err } = await coterie("cluster", ...line, "-k", "3", "--algorithm", algorithm, "--json");
    expect(code, err).toBe(0);
    expect(JSON.parse(out).notices).toContain(NEEDS);
  });

  test("diagnose says it in its verdict, and in its advice", async () => {
    const printed = await coterie("diagnose", ...line, "-k", "3");
    expect(printed.out.replace(/\n(?=\S)/, " ")).toContain(`No: 3 clusters cannot hold these constraints: ${NEEDS}`);
    const { out } = await coterie("diagnose", ...line, "-k", "3", "--json");
    const { feasible, advice, proof } = JSON.parse(out);
    expect([feasible, proof.core.length]).toEqual([false, 4]);
    expect(advice).toContain(NEEDS);
  });
});

test("with --missing drop no constraint is made about a row that is dropped", async () => {
  const folder = folderWith({ "holes.csv": "id,x,kind\na,1,u\nb,,u\nc,2,v\nd,9,v\ne,NA,v\nf,3,u\n" });
  const table = ["--id", "id", "--truth", "kind", "--missing", "drop", "--quiet"];
  const [holes, known] = [join(folder, "holes.csv"), join(folder, "known.csv")];
  for (const from of ["pairs", "labels", "triplets"]) {
    const made = await coterie("constraints", "generate", holes, ...table, "--from", from, "--count", "4", "--out", known);
    expect([made.code, made.err]).toEqual([0, ""]);
    expect((await coterie("cluster", holes, "-k", "2", ...table, "--algorithm", "recon", "--constraints", known)).err).toBe("");
  }
  const tree = await coterie("constraints", "from-tree", "--data", holes, ...table);
  expect(
    tree.out
      .split("\n")
      .slice(1)
      .filter((line) => /,[be],/.test(line)),
  ).toEqual([]);
});
