import { expect, test } from "vitest";
import { cycles, faults, importsIn } from "./layers.mjs";

test("packages and modules import only those below them, in no circle, and no folder is crowded", () => {
  expect(faults()).toEqual([]);
});

test("imports of types, exports and what is loaded later count", () => {
  const text = `import type { A } from "./a.js";
import {
  type B,
  b,
} from "./b.js";
import "./c.js";
export * from "./d.js";
export type { E } from "./e.js";
const late = await import("./f.js");
type G = import("./g.js").G;`;
  expect(importsIn(text).toSorted()).toEqual(["a", "b", "c", "d", "e", "f", "g"].map((name) => `./${name}.js`));
});

test("a circle of modules is found, and named by its shortest way", () => {
  const edges = (pairs: readonly (readonly [string, string])[]) => {
    const made = new Map<string, Map<string, string>>();
    for (const [from, to] of pairs) made.set(from, (made.get(from) ?? new Map()).set(to, "file"));
    return made;
  };
  expect(
    cycles(
      edges([
        ["a", "b"],
        ["b", "c"],
        ["a", "c"],
      ]),
    ),
  ).toEqual([]);
  expect(
    cycles(
      edges([
        ["a", "b"],
        ["b", "c"],
        ["c", "b"],
      ]),
    ),
  ).toEqual([["b", "c", "b"]]);
});
