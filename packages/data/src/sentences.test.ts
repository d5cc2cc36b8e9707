import { expect, test } from "vitest";
import { counted, listed, nearest, quoted } from "./sentences.js";

test("a near name is suggested, a far one is not", () => {
  const columns = ["sepal length", "class", "id", "Weight"];
  expect(nearest("clas", columns)).toBe("class");
  expect(nearest("calss", columns)).toBe("class");
  expect(nearest("weight", columns)).toBe("Weight");
  expect(nearest(" class ", columns)).toBe("class");
  expect(nearest("petal width", columns)).toBeUndefined();
  expect(nearest("x".repeat(1000), columns)).toBeUndefined();
});

test("texts, counts and lists in sentences", () => {
  expect(quoted('a"\n')).toBe('"a\\"\\n"');
  expect(quoted("x".repeat(100))).toBe(`"${"x".repeat(57)}…"`);
  expect([counted(1, "row"), counted(2, "row"), counted(0, "ox", "oxen")]).toEqual(["1 row", "2 rows", "0 oxen"]);
  expect(listed(["a", "b", "c"], 2)).toBe("a, b and 1 more");
});
