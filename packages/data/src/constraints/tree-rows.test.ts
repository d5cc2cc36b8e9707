import type { Merge } from "@coterie/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sentenceOf } from "../testing/bytes.js";
import { treeOfMerges, treeRows } from "./tree-rows.js";
import { type Hierarchy, parseNewick, parseTreeJson, writeNewick, writeTreeJson } from "./trees.js";

const tree = parseNewick("((ann,bob),(cay,dan));", "t.nwk");
const file = "t.nwk";

/** The row sets of all inner nodes, which say everything about an unordered tree. */
function clades(hierarchy: Hierarchy): string[] {
  const sets: string[] = [];
  const rows = (node: Hierarchy): string[] => {
    if (!node.children) return [node.id!];
    const below = node.children.flatMap(rows).sort();
    sets.push(below.join(" "));
    return below;
  };
  rows(hierarchy);
  return sets.sort();
}

describe("leaves and rows", () => {
  test("without a table the leaves are the rows, in the order of the file", () => {
    const { hierarchy, ids, n } = treeRows(tree, null, { file });
    expect(ids).toEqual(["ann", "bob", "cay", "dan"]);
    expect(n).toBe(4);
    expect([...hierarchy.row].filter((row) => row >= 0)).toEqual([0, 1, 2, 3]);
    expect([...hierarchy.parent]).toEqual([-1, 0, 1, 1, 0, 4, 4]);
  });

  test("with a table they are found by id, or by row number", () => {
    const named = treeRows(tree, { n: 5, ids: ["dan", "eve", "cay", "bob", "ann"] }, { file });
    expect([...named.hierarchy.row].filter((row) => row >= 0)).toEqual([4, 3, 2, 0]);
    expect(named.n).toBe(5);
    const numbered = treeRows(parseNewick("((3,1),0);", file), { n: 4 }, { file });
    expect([...numbered.hierarchy.row].filter((row) => row >= 0)).toEqual([3, 1, 0]);
  });

  test("a leaf that is no row is named, or left out together with what it alone held up", async () => {
    const rows = { n: 3, ids: ["ann", "bob", "eve"] };
    expect(await sentenceOf(() => treeRows(tree, rows, { file }))).toContain('t.nwk: No row has the id "cay".');
    const kept = treeRows(tree, rows, { file, unknown: "drop" });
    expect(kept.notices).toEqual(["t.nwk: 2 leaves are not rows of the data and were left out: cay, dan."]);
    expect([...kept.hierarchy.parent]).toEqual([-1, 0, 1, 1]);
    expect([...kept.hierarchy.row]).toEqual([-1, -1, 0, 1]);
    expect(await sentenceOf(() => treeRows(tree, { n: 1, ids: ["zoe"] }, { file, unknown: "drop" }))).toContain(
      "No leaf of the hierarchy is a row of the data.",
    );
  });

  test("a name at two leaves is refused", async () => {
    expect(await sentenceOf(() => treeRows(parseNewick("((a,b),a);", file), null, { file }))).toBe(
      't.nwk: Two leaves of the hierarchy are named "a". Name every leaf once.',
    );
  });
});

describe("the tree of merges", () => {
  const merges: Merge[] = [
    [0, 2, 1.5, 2],
    [1, 3, 2, 2],
    [4, 5, Infinity, 4],
  ];

  test("branch lengths are differences of heights; a forbidden merge has none, and is marked", () => {
    const made = treeOfMerges(merges, ["a b", "it's", "(c)", "d:1"]);
    expect(writeNewick(made)).toBe("(('a b':1.5,'(c)':1.5),('it''s':2,'d:1':2))[&forbidden=true];\n");
    expect(JSON.parse(writeTreeJson(made))).toEqual({
      height: null,
      children: [
        {
          height: 1.5,
          children: [
            { id: "a b", length: 1.5 },
            { id: "(c)", length: 1.5 },
          ],
        },
        {
          height: 2,
          children: [
            { id: "it's", length: 2 },
            { id: "d:1", length: 2 },
          ],
        },
      ],
    });
  });

  test("the report's null heights are the same", () => {
    const reported = merges.map(
      ([left, right, height, size]) => [left, right, height === Infinity ? null : height, size] as const,
    );
    expect(treeOfMerges(reported)).toEqual(treeOfMerges(merges));
  });

  test("any hierarchy with any names is read back the same, from both formats", () => {
    const names = fc.uniqueArray(fc.string({ unit: "binary", minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(names, fc.infiniteStream(fc.nat()), (ids, picks) => {
        const standing = ids.map((_, row) => row);
        const made: Merge[] = [];
        while (standing.length > 1) {
          const take = (): number => standing.splice((picks.next().value as number) % standing.length, 1)[0]!;
          made.push([take(), take(), made.length * 0.7 - 1, 0]);
          standing.push(ids.length + made.length - 1);
        }
        const whole = treeOfMerges(made, ids);
        expect(clades(parseNewick(writeNewick(whole), "t"))).toEqual(clades(whole));
        expect(clades(parseTreeJson(writeTreeJson(whole), "t"))).toEqual(clades(whole));
      }),
      { numRuns: 200 },
    );
  });

  test("one row alone", () => {
    expect(writeNewick(treeOfMerges([], ["x"]))).toBe("x;\n");
  });
});
