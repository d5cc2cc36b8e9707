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
