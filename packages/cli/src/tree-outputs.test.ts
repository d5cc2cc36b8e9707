/** Hierarchies as files: `--newick` and `--nested` of `coterie cluster`. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { informativeTriplets } from "@coterie/core/internal";
import { parseHierarchy, treeRows } from "@coterie/data";
import { expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const NAMES = ["ann's", "bob (jr)", "cay,d", "dan:3", 'eve "e"', "fay [x]", "a b", "ü;"];
const cell = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const TABLE = `who,x,y\n${NAMES.map((name, i) => `${cell(name)},${(i * 7) % 5},${(i * 3) % 8}`).join("\n")}\n`;

test.each(["recon", "ccl", "average-link", "centroid-link"])("%s: both formats hold the merges of the report", async (method) => {
  const folder = folderWith({ "data.csv": TABLE, "known.csv": `type,a,b\ncannot-link,${cell(NAMES[0]!)},a b\n` });
  const at = (name: string) => join(folder, name);
  const files = ["--newick", at("t.nwk"), "--nested", at("t.json"), "--constraints", at("known.csv")];
  const { code, out, err } = await coterie(
    ...["cluster", at("data.csv"), "--id", "who", "-k", "3", "-a", method, "--json", ...files],
  );
  expect(code).toBe(0);
  expect(err).toContain("t.nwk");
  const { merges } = JSON.parse(out) as { merges: [number, number, number | null, number][] };
  const members = NAMES.map((name) => [name]);
  for (const [left, right] of merges) members.push([...members[left]!, ...members[right]!].sort());
  for (const file of ["t.nwk", "t.json"]) {
    expect(existsSync(`${at(file)}.source.json`)).toBe(true);
    const tree = parseHierarchy(readFileSync(at(file), "utf8"), file);
    const { hierarchy, ids } = treeRows(tree, { n: NAMES.length, ids: NAMES }, { file });
    expect(ids).toEqual(NAMES);
    expect(informativeTriplets(NAMES.length, hierarchy).relative.a).toHaveLength(NAMES.length - 2);
    const below: string[][] = Array.from(hierarchy.parent, () => []);
    hierarchy.row.forEach((row, leaf) => {
      if (row >= 0) for (let node = leaf; node >= 0; node = hierarchy.parent[node]!) below[node]!.push(NAMES[row]!);
    });
    const sets = (lists: readonly string[][]): string[] => lists.map((list) => JSON.stringify([...list].sort())).sort();
    expect(sets(below)).toEqual(sets(members));
  }
  const forbidden = merges.filter(([, , height]) => height === null).length;
  expect(readFileSync(at("t.nwk"), "utf8").match(/\[&forbidden=true\]/g) ?? []).toHaveLength(forbidden);
  expect(readFileSync(at("t.json"), "utf8").match(/"height":null/g) ?? []).toHaveLength(forbidden);
  expect(forbidden > 0).toBe(method === "recon" || method === "ccl");
});

test("a method without a hierarchy refuses, and names those that have one", async () => {
  const { code, err } = await coterie("cluster", "iris-fisher", "-k", "3", "--newick", "-");
  expect(code).toBe(2);
  expect(err).toContain("--newick writes a hierarchy, and kmeans makes none; these do: recon, ccl,");
});

test("rows without names are called by their numbers; - is standard output", async () => {
  const folder = folderWith({ "data.csv": "x\n0\n1\n5\n" });
  const { out } = await coterie(
    "cluster",
    join(folder, "data.csv"),
    "-k",
    "2",
    "--scale",
    "none",
    "-a",
    "single-link",
    "--newick",
    "-",
    "-q",
  );
  expect(out).toBe("(2:4,(0:1,1:1):3);\n");
});
