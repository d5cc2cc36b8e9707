import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CoterieError } from "../errors.js";
import { tuples } from "../testing/tuples.js";
import { type ConstraintLists, constraints } from "./build.js";
import { ConstraintBuilder } from "./builder.js";
import { emptyConstraints, noConstraints } from "./sets.js";

const sentence = (lists: ConstraintLists, ids?: readonly string[]): string => {
  try {
    constraints(ids ? { n: ids.length, ids } : { n: 5 }, lists);
  } catch (error) {
    if (error instanceof CoterieError && error.problem.code === "bad-input") return error.message;
  }
  return "";
};

describe("naming instances", () => {
  const crabs = { n: 3, ids: ["7", "ann", "bob"] };
  const pair = (set: ReturnType<typeof constraints>) => [set.mustLinks.a[0], set.mustLinks.b[0]];
  test("numbers are rows, texts are ids", () => {
    expect(pair(constraints(crabs, { mustLink: [["ann", 2]] }))).toEqual([1, 2]);
    expect(pair(constraints(crabs, { mustLink: [["7", 1]] }))).toEqual([0, 1]);
  });
  test("all by id, all by row", () => {
    expect(pair(constraints(crabs, { mustLink: [[7, "bob"]], ids: "ids" }))).toEqual([0, 2]);
    expect(pair(constraints({ n: 8 }, { mustLink: [["7", 2]], ids: "ids" }))).toEqual([7, 2]);
    expect(sentence({ mustLink: [["ann", 1]], ids: "rows" }, crabs.ids)).toBe(
      `mustLink[0] names the row "ann", but row numbers go from 0 to 2.`,
    );
  });
  test("unknown ones are named in a sentence", () => {
    expect(sentence({ cannotLink: tuples("0 1, 2 5") })).toBe("cannotLink[1] names the row 5, but row numbers go from 0 to 4.");
    expect(sentence({ relative: [[0, 1, -1]] })).toContain("relative[0] names the row -1");
    expect(sentence({ labels: [[0.5, "x"]] })).toContain("labels[0] names the row 0.5");
    expect(sentence({ mustLink: [["ann", "cat"]] }, crabs.ids)).toBe(
      `mustLink[0] names "cat", which is not the id of an instance.`,
    );
    expect(sentence({ mustLink: [["ann", 1]] })).toBe(
      `mustLink[0] names "ann", but the instances have no ids. Use row numbers, from 0.`,
    );
    expect(sentence({ mustLink: [["a", "b"]] }, ["a", "b", "a"])).toBe(
      `The id "a" names both rows 0 and 2. Give each row its own id.`,
    );
  });
});

describe("what cannot be meant is bad input", () => {
  test("a row apart from itself", () => {
    expect(sentence({ cannotLink: [["b", 1]] }, ["a", "b"])).toBe(
      'The cannot-link parts "b" from itself. Name two different rows.',
    );
  });
  test("c equal to a or b, or to both", () => {
    for (const triple of tuples("0 1 1, 1 0 1, 1 1 1")) {
      expect(sentence({ relative: [triple] })).toBe(
        'The relative constraint has "1" both inside and outside of its pair. c must differ from a and b.',
      );
    }
  });
  test("two labels on one row", () => {
    const labels = [
      ["a", "x"],
      ["b", "y"],
      ["a", "x"],
      ["b", "x"],
    ] as const;
    expect(sentence({ labels }, ["a", "b"])).toBe('Row "b" is labelled "x", but "y" earlier. Keep one of the two labels.');
  });
  test.each([0, -1, Number.NaN])("a weight of %d", (weight) => {
    expect(sentence({ mustLink: [[0, 1, weight]] })).toContain(
      `mustLink[0] has the weight ${weight}. Weights are numbers above 0`,
    );
    expect(sentence({ labels: [[0, "x", weight]] })).toContain("labels[0]");
  });
  test("a column of another length", () => {
    const exclusive = [{ column: "frame", codes: new Int32Array(2), names: [] }];
    expect(sentence({ exclusive })).toBe("The exclusive column frame has 2 rows, the data have 5.");
  });
});

test("constraints without effect are dropped, with a notice for each kind", () => {
  const { notices, ...set } = constraints({ n: 4 }, { mustLink: tuples("1 1, 2 2, 0 3"), relative: tuples("2 2 0, 2 2 1") });
  expect([...set.mustLinks.a, ...set.mustLinks.b]).toEqual([0, 3]);
  expect(set.relative.a.length).toBe(0);
  expect(notices).toEqual(["2 must-links of rows with themselves ignored.", "2 relative constraints with a = b dropped."]);
});

test("duplicates are kept once, where they first stood, with the largest weight, and counted in one notice", () => {
  const { mustLinks, cannotLinks, relative, labels, notices } = constraints(
    { n: 4 },
    {
      mustLink: tuples("3 1, 0 2, 1 3 5, 3 1 2"),
      cannotLink: [
        [0, 1],
        [1, 0, Infinity],
      ],
      relative: tuples("0 1 2, 1 0 2 0.5, 0 2 1"),
      labels: [
        [0, "x"],
        [2, "y"],
        [0, "x", 3],
      ],
    },
  );
  expect([[...mustLinks.a], [...mustLinks.b], [...mustLinks.weight]]).toEqual(tuples("3 0, 1 2, 5 1"));
  expect([...cannotLinks.weight]).toEqual([Infinity]);
  expect([[...relative.c], [...relative.weight]]).toEqual(tuples("2 1, 1 1"));
  expect([[...labels.code], [...labels.weight], labels.names]).toEqual([
    [0, 1],
    [3, 1],
    ["x", "y"],
  ]);
  expect(notices).toEqual(["5 duplicate constraints left out; each is kept once, with its largest weight."]);
});

test("the same triple with another third row is no duplicate, in any number", () => {
  const n = 300;
  const relative = Array.from({ length: n - 2 }, (_, c) => [0, 1, c + 2] as const);
  const { relative: kept, notices } = constraints({ n }, { relative: [...relative, ...relative] });
  expect([...kept.c]).toEqual(relative.map(([, , c]) => c));
  expect(notices).toEqual([`${n - 2} duplicate constraints left out; each is kept once, with its largest weight.`]);
});

test("duplicates, against a plain list", () => {
  const row = fc.nat(6);
  fc.assert(
    fc.property(fc.array(fc.tuple(row, row, fc.integer({ min: 1, max: 9 })), { maxLength: 60 }), (mustLink) => {
      const { mustLinks } = constraints({ n: 7 }, { mustLink });
      const best = new Map<string, number>();
      for (const [a, b, w] of mustLink) {
        const key = `${Math.min(a, b)},${Math.max(a, b)}`;
        if (a !== b) best.set(key, Math.max(best.get(key) ?? 0, w));
      }
      const kept = Array.from(mustLinks.a, (a, s) => [
        `${Math.min(a, mustLinks.b[s]!)},${Math.max(a, mustLinks.b[s]!)}`,
        mustLinks.weight[s]!,
      ]);
      expect(kept).toEqual([...best]);
    }),
  );
});

test("exclusive columns come from the instances unless given", () => {
  const exclusive = [{ column: "frame", codes: Int32Array.of(0, 0), names: ["f"] }];
  expect(constraints({ n: 2, exclusive }).exclusive).toBe(exclusive);
  expect(constraints({ n: 2, exclusive }, { exclusive: [] }).exclusive).toEqual([]);
});

test("no constraints", () => {
  expect(noConstraints(emptyConstraints(3))).toBe(true);
  expect(noConstraints(constraints({ n: 3 }))).toBe(true);
  expect(noConstraints(constraints({ n: 3 }, { labels: [[0, "x"]] }))).toBe(false);
  expect(noConstraints(constraints({ n: 1, exclusive: [{ column: "c", codes: Int32Array.of(0), names: ["v"] }] }))).toBe(false);
});

test("a dropped constraint is reported with the file and line of its first occurrence", () => {
  const builder = new ConstraintBuilder(4, String);
  builder.mustLink(0, 1, 1, { file: "known.csv", line: 2 });
  builder.mustLink(1, 0, 1, { file: "known.csv", line: 5 });
  builder.mustLink(0, 1, 1, { file: "known.csv", line: 7 });
  builder.mustLink(3, 3, 1, { file: "known.csv" });
  const { notices } = builder.finish([]);
  expect(notices).toEqual([
    expect.stringMatching(/^known\.csv: 1 must-link /),
    "known.csv, line 5: 2 duplicate constraints left out; each is kept once, with its largest weight.",
  ]);
});
