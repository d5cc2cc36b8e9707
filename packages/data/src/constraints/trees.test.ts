import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sentenceOf } from "../testing/bytes.js";
import { type Hierarchy, parseHierarchy, parseNewick, parseTreeJson, writeNewick, writeTreeJson } from "./trees.js";

describe("Newick", () => {
  test.each<[string, Hierarchy]>([
    ["a;", { id: "a" }],
    ["((a,b),c);", { children: [{ children: [{ id: "a" }, { id: "b" }] }, { id: "c" }] }],
    [
      "(a:1.5,b:2e-1)root:0;",
      {
        children: [
          { id: "a", length: 1.5 },
          { id: "b", length: 0.2 },
        ],
        id: "root",
        length: 0,
      },
    ],
    [" [note] ( 'it''s (b)' , \"x y\" [c]\n : 3 ) ", { children: [{ id: "it's (b)" }, { id: "x y", length: 3 }] }],
    ["(((x)))", { children: [{ children: [{ children: [{ id: "x" }] }] }] }],
  ])("%s", (text, tree) => {
    expect(parseNewick(text, "t.nwk")).toEqual(tree);
  });

  test.each([
    ["", "t.nwk: The file is empty. Write a tree such as ((a,b),c);"],
    ["((a,b);", "t.nwk: 1 bracket is still open at character 7. Close every bracket."],
    ["(a,b));", "t.nwk: A closing bracket has no opening one at character 6. Take it out, or open it."],
    ["a,b;", "t.nwk: A comma stands outside of all brackets at character 2. Put brackets around the whole tree."],
    ["(a,);", "t.nwk: A leaf has no name at character 4. Name every leaf."],
    ["(a,b)(c);", "t.nwk: An opening bracket follows a whole node at character 6. Put a comma between them."],
    ["(a:x,b);", "t.nwk: A branch length is not a number at character 4. Write :NUMBER."],
    ["('a,b);", "t.nwk: A quote opens and is never closed at character 2. Close it, or double it inside a quoted name."],
    ["(a[c,b);", "t.nwk: A comment opens and is never closed at character 3. Close it with ]."],
    ["(a,b); (c);", 't.nwk: Something follows the tree: "(c);" at character 8. Write one tree, ended by a semicolon.'],
    ["(a b,c);", "t.nwk: 1 bracket is still open at character 4. Close every bracket."],
  ])("%j", async (text, sentence) => {
    expect(await sentenceOf(() => parseNewick(text, "t.nwk"))).toBe(sentence);
  });
});

describe("JSON", () => {
  test("children, ids as texts or numbers, lengths; the format is known by its first character", () => {
    const text = ' {"children":[{"id":1,"extra":true},{"id":"b","length":2},{"children":[{"id":"c","children":[]}],"id":null}]}';
    expect(parseHierarchy(text, "t.json")).toEqual({
      children: [{ id: "1" }, { id: "b", length: 2 }, { children: [{ id: "c" }] }],
    });
    expect(parseHierarchy("(a,b);", "t.nwk")).toEqual({ children: [{ id: "a" }, { id: "b" }] });
  });

  const remedy = 'Write {"children": […]} for inner nodes and {"id": …} for leaves.';
  test.each([
    ["{", `t.json: The file is not valid JSON. ${remedy}`],
    ["[]", `t.json: In the hierarchy the root is not an object. ${remedy}`],
    ["{}", `t.json: In the hierarchy the root has neither children nor an id. ${remedy}`],
    ['{"children":3}', `t.json: In the hierarchy the children of the root are not an array. ${remedy}`],
    [
      '{"children":[{"id":"a"},{"children":[{"id":"b"},7]}]}',
      `t.json: In the hierarchy child 1 of child 1 is not an object. ${remedy}`,
    ],
    ['{"id":{}}', `t.json: In the hierarchy the id of the root is not a text. ${remedy}`],
  ])("%j", async (text, sentence) => {
    expect(await sentenceOf(() => parseTreeJson(text, "t.json"))).toBe(sentence);
  });
});

test("what is written is read back", () => {
  const name = fc.string({ unit: "binary", minLength: 1, maxLength: 6 });
  const length = fc.option(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    { nil: undefined },
  );
  const { tree } = fc.letrec<{ tree: Hierarchy }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.tuple(name, length).map(([id, len]) => (len === undefined ? { id } : { id, length: len })),
      fc
        .tuple(fc.array(tie("tree"), { minLength: 1, maxLength: 4 }), length)
        .map(([children, len]) => (len === undefined ? { children } : { children, length: len })),
    ),
  }));
  fc.assert(
    fc.property(tree, (each) => {
      expect(parseNewick(writeNewick(each), "t")).toEqual(each);
      expect(parseTreeJson(writeTreeJson(each), "t")).toEqual(each);
    }),
    { numRuns: 300 },
  );
});

test("a chain of 100,000 nodes", () => {
  let chain: Hierarchy = { id: "end" };
  for (let i = 0; i < 100_000; i++) chain = { children: [chain, { id: String(i) }] };
  const depth = (tree: Hierarchy) => {
    let levels = 0;
    for (let node: Hierarchy | undefined = tree; node?.children; node = node.children[0]) levels++;
    return levels;
  };
  expect(depth(parseNewick(writeNewick(chain), "t"))).toBe(100_000);
  expect(depth(parseTreeJson(writeTreeJson(chain), "t"))).toBe(100_000);
});
