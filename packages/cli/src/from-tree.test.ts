/** Relative constraints from hierarchies and classes, at the command line. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const files = {
  "animals.csv": "name,legs,class\ncat,4,mammal\ndog,4,mammal\nowl,2,bird\nemu,2,bird\nwasp,6,insect\n",
  "tree.nwk": "(((cat,dog),(owl,emu)),wasp);\n",
  "tree.json":
    '{"children":[{"children":[{"children":[{"id":"cat"},{"id":"dog"}]},{"children":[{"id":"owl"},{"id":"emu"}]}]},{"id":"wasp"}]}',
  "larger.nwk": "(((cat,dog),(owl,emu),yak),(wasp,ant));\n",
};

const lines = (text: string): string[] => text.trim().split("\n").slice(1);

describe("from-tree", () => {
  test("n-2 triplets of a binary tree, from either format, with and without the table", async () => {
    const folder = folderWith(files);
    const at = (name: string) => join(folder, name);
    const alone = await coterie("constraints", "from-tree", at("tree.nwk"));
    expect(alone.code).toBe(0);
    expect(lines(alone.out)).toHaveLength(3);
    expect(lines(alone.out)).toContain("relative,cat,dog,owl,1");
    expect(alone.err).toContain("3 relative constraints.");
    const table = ["--data", at("animals.csv"), "--id", "name"];
    for (const tree of ["tree.nwk", "tree.json"]) {
      const out = at(`${tree}.csv`);
      const { code } = await coterie("constraints", "from-tree", at(tree), ...table, "--out", out);
      expect(code).toBe(0);
      expect(readFileSync(out, "utf8")).toBe(alone.out);
      expect(existsSync(`${out}.source.json`)).toBe(true);
    }
    const clustered = ["cluster", at("animals.csv"), "-k", "2", "--id", "name", "--ignore", "class", "--algorithm", "recon"];
    const { code, out } = await coterie(...clustered, "--constraints", at("tree.nwk.csv"), "--newick", "-", "--quiet");
    expect(code).toBe(0);
    expect(out.replaceAll(/:[\d.]+/g, "")).toMatch(/^\(wasp,|,wasp\);\n$/);
  });

  test("without a table no side file is written, for there are no data to name", async () => {
    const folder = folderWith(files);
    const out = join(folder, "known.csv");
    expect((await coterie("constraints", "from-tree", join(folder, "tree.nwk"), "--out", out)).code).toBe(0);
    expect(existsSync(out)).toBe(true);
    expect(existsSync(`${out}.source.json`)).toBe(false);
  });

  test("(k-1)(n-k) triplets of k classes", async () => {
    const { code, out } = await coterie("constraints", "from-tree", "--data", "iris-fisher", "--truth", "class");
    expect(code).toBe(0);
    expect(lines(out)).toHaveLength(2 * 147);
  });

  describe("several columns of classes", () => {
    const table =
      "name,order,genus,legs\nlion,cats,panthera,4\ntiger,cats,panthera,4\nlynx,cats,lynx,4\nwolf,dogs,canis,4\njackal,dogs,canis,4\nfox,dogs,,4\n";
    const made = async (truth: string, ...more: string[]) => {
      const folder = folderWith({ "t.csv": table, "t.nwk": "(((lion,tiger),lynx),(wolf,jackal));\n" });
      const data = ["--data", join(folder, "t.csv"), "--id", "name"];
      const asTree = await coterie("constraints", "from-tree", join(folder, "t.nwk"), ...data);
      return { asTree, ...(await coterie("constraints", "from-tree", ...data, "--truth", truth, ...more)) };
    };

    test("are a hierarchy: the constraints are those of the same tree, and rows without a class are left out in words", async () => {
      const { code, out, err, asTree } = await made("order,genus");
      expect(code).toBe(0);
      expect(out).toBe(asTree.out);
      expect(lines(out)).toContain("relative,lion,tiger,lynx,1");
      expect(err).toContain("1 row without a known class is left out.");
    });

    test("in the wrong order they are announced", async () => {
      const { err } = await made("genus,order");
      expect(err).toContain('No class of "genus" has more than one "order". Name the coarser column first');
    });

    test("that the table does not have, or that are named twice, are refused by name", async () => {
      expect(await made("ordre,genus")).toMatchObject({
        code: 3,
        err: expect.stringMatching(/There is no column "ordre" \(--truth\)\. Did you mean "order"\?/),
      });
      expect(await made("order,order")).toMatchObject({ code: 2, err: expect.stringContaining('the column "order" twice') });
      expect(await made("")).toMatchObject({ code: 2, err: expect.stringContaining("--truth is empty. Name a column") });
    });
  });

  test("leaves that are no rows are an error with the nearest name, or left out and listed", async () => {
    const folder = folderWith(files);
    const table = [join(folder, "larger.nwk"), "--data", join(folder, "animals.csv"), "--id", "name"];
    const refused = await coterie("constraints", "from-tree", ...table);
    expect(refused.code).toBe(3);
    expect(refused.err).toMatch(/larger\.nwk: No row has the id "yak"\./);
    const dropped = await coterie("constraints", "from-tree", ...table, "--unknown", "drop");
    expect(dropped.code).toBe(0);
    expect(dropped.err).toContain("2 leaves are not rows of the data and were left out: yak, ant.");
    expect(lines(dropped.out)).toHaveLength(3);
  });

  test.each([
    [[], "Name the tree"],
    [["a.nwk", "b.nwk"], "One tree at a time"],
    [["a.nwk", "--truth", "class"], "either a tree or --truth"],
    [["a.nwk", "--id", "name"], "name the table with --data"],
    [["a.nwk", "--constraints", "c.csv"], "reads no --constraints"],
    [["--data", "iris-fisher"], "Name the tree"],
  ])("usage: %j", async (args, sentence) => {
    const { code, err } = await coterie("constraints", "from-tree", ...args);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
  });
});

describe("generate --from triplets", () => {
  const generate = (...more: string[]) =>
    coterie("constraints", "generate", "iris-fisher", "--truth", "class", "--from", "triplets", ...more);

  test("different true triplets of the asked number, the same for the same seed, wrong ones as asked", async () => {
    const wrong = (out: string): number =>
      lines(out).filter((line) => {
        const [a, b, c] = line
          .split(",")
          .slice(1, 4)
          .map((row) => Math.floor(Number(row) / 50));
        return !(a === b && a !== c);
      }).length;
    const { code, out } = await generate("--count", "80", "--seed", "5");
    expect(code).toBe(0);
    expect(new Set(lines(out)).size).toBe(80);
    expect(wrong(out)).toBe(0);
    expect((await generate("--count", "80", "--seed", "5")).out).toBe(out);
    expect(wrong((await generate("--count", "80", "--noise", "0.25")).out)).toBe(20);
  });

  test("what only pairs have is refused", async () => {
    expect((await generate("--mix", "3:4")).code).toBe(2);
    expect((await generate("--count", "3", "--strategy", "balanced")).err).toContain("draws pairs, not triplets");
  });
});
