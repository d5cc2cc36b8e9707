import fc from "fast-check";
import { expect, test } from "vitest";
import { tuples } from "../testing/tuples.js";
import { constraints } from "./build.js";
import { closeAsSet, closeConstraints } from "./closure.js";
import { anySet } from "./closure.reference.js";
import { isContradictory } from "./contradictions.js";

test("stars and single cannot-links", () => {
  const known = constraints(
    { n: 6 },
    {
      mustLink: tuples("4 1, 1 5 0.5"),
      cannotLink: tuples("5 2, 1 2 3"),
      labels: [
        [0, "x"],
        [3, "y"],
      ],
    },
  );
  const { mustLinks, cannotLinks, labels, notices } = closeAsSet(closeConstraints(known));
  expect([[...mustLinks.a], [...mustLinks.b], [...mustLinks.weight]]).toEqual(tuples("1 1, 4 5, 0.5 0.5"));
  expect([[...cannotLinks.a], [...cannotLinks.b], [...cannotLinks.weight]]).toEqual(tuples("0 1, 3 2, 1 3"));
  expect([labels.row.length, notices.length]).toEqual([0, 0]);
});

test("is equivalent to the set it comes from, and closing it again changes nothing", () => {
  fc.assert(
    fc.property(anySet, (set) => {
      const closure = closeConstraints(set);
      fc.pre(!isContradictory(closure));
      const closed = closeAsSet(closure);
      const again = closeConstraints(closed);
      expect([...again.component]).toEqual([...closure.component]);
      for (let a = 0; a < closure.componentCount; a++) {
        expect(again.entailedMustWeight(a)).toBe(closure.entailedMustWeight(a));
        for (let b = 0; b < a; b++) expect(again.entailedCannotWeight(a, b)).toBe(closure.entailedCannotWeight(a, b));
      }
      expect(closeAsSet(again)).toEqual(closed);
    }),
    { numRuns: 300 },
  );
});

test("many classes stay labels, one for each", () => {
  const labels = Array.from({ length: 600 }, (_, i) => [i, `class ${i % 200}`] as const);
  const closed = closeAsSet(closeConstraints(constraints({ n: 600 }, { labels })));
  expect(closed.cannotLinks.a.length).toBe(0);
  expect(closed.labels.row.length).toBe(200);
  expect(closed.notices[0]).toContain("200 classes would need 19900 cannot-links");
  const again = closeConstraints(closed);
  expect(again.componentCount).toBe(200);
  expect(again.apart(3, 199)).toBe(true);
});

test("a contradiction is thrown", () => {
  const known = constraints({ n: 3 }, { mustLink: [[0, 1]], cannotLink: [[1, 0]] });
  expect(() => closeAsSet(closeConstraints(known))).toThrow("1 and 0 cannot link, yet must-links join them: 1 – 0.");
});
