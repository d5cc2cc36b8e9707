import { expect, test } from "vitest";
import { counted, listed, quoted } from "./sentences.js";

test("texts, counts and lists in sentences", () => {
  expect(quoted('a"\n')).toBe('"a\\"\\n"');
  expect(quoted("x".repeat(100))).toBe(`"${"x".repeat(57)}…"`);
  expect([counted(1, "row"), counted(2, "row"), counted(0, "ox", "oxen")]).toEqual(["1 row", "2 rows", "0 oxen"]);
  expect(listed(["a", "b", "c"], 2)).toBe("a, b and 1 more");
});
