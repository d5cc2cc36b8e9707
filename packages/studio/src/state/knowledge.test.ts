import type { Constraint, Standing } from "@coterie/workbench/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { brokenKeys, keptWords, keyOf, listOf, newsOf, originOf, relationOf, sentenceOf, settledBySame } from "./knowledge.js";

let serial = 0;

function standing(constraint: Constraint, more: Partial<Standing> = {}): Standing {
  serial++;
  return {
    entry: `entry${serial}`,
    seq: serial,
    constraint,
    by: "me",
    at: "2026-01-01T00:00:00Z",
    from: { kind: "drawn" },
    counts: true,
    ...more,
  };
}

const must = (a: number, b: number) => standing({ type: "must-link", a, b });
const cannot = (a: number, b: number) => standing({ type: "cannot-link", a, b });

test("sentences and origins", () => {
  expect(sentenceOf({ type: "cannot-link", a: 281, b: 330 })).toBe("281 ≠ 330");
  expect(sentenceOf({ type: "relative", a: 127, b: 113, c: 319 })).toBe("127, 113 | 319");
  expect(sentenceOf({ type: "label", a: 337, class: "Chinstrap" })).toBe("337 is Chinstrap");
  expect(sentenceOf({ type: "sizes", min: 2 })).toBe("2 rows in a cluster at least");
  const asked = standing({ type: "must-link", a: 1, b: 2 }, { from: { kind: "asked", strategy: "npu", number: 3 } });
  expect([originOf(asked, 3), originOf(asked, 0)]).toEqual(["asked, moved 3", "asked"]);
  expect(originOf(standing({ type: "must-link", a: 1, b: 2 }, { from: { kind: "file", file: "known.csv", line: 14 } }))).toBe(
    "known.csv:14",
  );
});

test("keys do not depend on the order of rows, but odd ones stay odd", () => {
  expect(keyOf({ type: "must-link", a: 1, b: 2 })).toBe(keyOf({ type: "must-link", a: "2", b: 1 }));
  expect(keyOf({ type: "relative", a: 1, b: 2, c: 3 })).toBe(keyOf({ type: "relative", a: 2, b: 1, c: 3 }));
  expect(keyOf({ type: "relative", a: 1, b: 2, c: 3 })).not.toBe(keyOf({ type: "relative", a: 1, b: 3, c: 2 }));
});

test("what needs somebody comes first: contradictions, then what the run breaks; the rest newest first", () => {
  const [a, b, c, d] = [must(1, 2), cannot(3, 4), must(5, 6), cannot(7, 8)];
  const knowledge = { upTo: 4, constraints: [a, b, c, d], disagreements: [], undo: null, redo: null };
  const broken = brokenKeys({ violations: { mustLink: [[6, 5]], cannotLink: [] } });
  const { needsYou, rest } = listOf(knowledge, [{ cannotLink: [4, 3], path: [4, 9, 3] }], broken, 7);
  expect(needsYou.map(({ trouble }) => trouble)).toEqual(["contradiction", "broken in Run 7"]);
  expect(rest.map(({ standing: { entry } }) => entry)).toEqual([d.entry, a.entry]);
});

test("what a run did with the answers it had, and how many are newer", () => {
  const [a, b, c] = [must(1, 2), cannot(3, 4), must(5, 6)];
  const run = { number: 2, given: 2, upTo: b.seq };
  expect(keptWords({ ...run, broken: 0 }, [a, b, c])).toBe("Run 2 keeps all 2 answers, 1 newer");
  expect(keptWords({ ...run, broken: 1 }, [a, b])).toBe("Run 2 breaks 1 of 2 answers");
});

test("the same answer by the same person is no news; by another person, or with another weight, it is", () => {
  const known = [must(1, 2), standing({ type: "label", a: 3, class: "x" })];
  const said: Constraint[] = [
    { type: "must-link", a: 2, b: 1 },
    { type: "label", a: 3, class: "x" },
    { type: "label", a: 3, class: "y" },
    { type: "must-link", a: 1, b: 2, weight: 4 },
  ];
  expect(newsOf(said, known, "me")).toEqual(said.slice(2));
  expect(newsOf(said, known, "ann")).toEqual(said);
});

test("two rows are together or apart by what follows from the constraints, not only by the constraints themselves", () => {
  const known = [must(1, 2), must(2, 3), cannot(3, 4), must(4, 5)];
  expect(relationOf(1, 3, known)).toBe("together");
  expect(relationOf(1, 5, known)).toBe("apart");
  expect(relationOf(1, 6, known)).toBeNull();
});

test("“same” settles every pair across the two groups, beside the pair itself", () => {
  expect(settledBySame(109, 325, [must(109, 99), must(109, 148)]).map((pair) => pair.join(" = "))).toEqual([
    "325 = 99",
    "325 = 148",
  ]);
  expect(settledBySame(1, 2, [])).toEqual([]);
  expect(settledBySame(1, 2, [must(1, 2)])).toEqual([]);
});

test("a property: as many pairs are settled as the groups' sizes multiply to, less one", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 12 }), (pairs) => {
      const known = pairs.filter(([a, b]) => a !== b).map(([a, b]) => must(a, b));
      const group = (row: number) =>
        Array.from({ length: 10 }, (_, other) => other).filter(
          (other) => relationOf(row, other, known) === "together" || other === row,
        );
      const expected = relationOf(0, 1, known) === "together" ? 0 : group(0).length * group(1).length - 1;
      expect(settledBySame(0, 1, known)).toHaveLength(expected);
    }),
  );
});
