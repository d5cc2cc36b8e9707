import fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance, nearestName } from "./names.js";

test.each([
  ["kitten", "sitting", 3],
  ["", "abc", 3],
  ["abcd", "abdc", 1],
  ["same", "same", 0],
  ["short", "a very long name", 9],
])("%s and %s are %i edits apart, counted up to 9", (a, b, edits) => {
  expect(editDistance(a, b, 9)).toBe(edits);
});

test("a mistyped name finds its neighbour, a strange one finds none", () => {
  const names = ["kmeans", "complete-link", "single-link", "ward"];
  expect(nearestName("kmaens", names)).toBe("kmeans");
  expect(nearestName("Complete-Lnk", names)).toBe("complete-link");
  expect(nearestName("spectral", names)).toBeUndefined();
  const columns = ["sepal length", "class", "id", "Weight"];
  expect(nearestName("calss", columns)).toBe("class");
  expect(nearestName("weight", columns)).toBe("Weight");
  expect(nearestName(" class ", columns)).toBe("class");
  expect(nearestName("petal width", columns)).toBeUndefined();
  expect(nearestName("x".repeat(1000), ["x".repeat(999)])).toBeUndefined();
});

test("edits are those of the whole table, up to the most that are wanted", () => {
  const whole = (a: string, b: string): number => {
    const edits = Array.from({ length: a.length + 1 }, (_, i) =>
      Array.from({ length: b.length + 1 }, (_, j) => (i ? (j ? 0 : i) : j)),
    );
    for (let i = 1; i <= a.length; i++)
      for (let j = 1; j <= b.length; j++) {
        const change = edits[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
        const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? edits[i - 2]![j - 2]! + 1 : Infinity;
        edits[i]![j] = Math.min(change, swap, edits[i - 1]![j]! + 1, edits[i]![j - 1]! + 1);
      }
    return edits[a.length]![b.length]!;
  };
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 90 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 1, max: 100 }), (a, b, most) => {
      expect(editDistance(a, b, most)).toBe(Math.min(most, whole(a, b)));
    }),
    { numRuns: 400 },
  );
});
