import { expect, test } from "vitest";
import { isColourable, isProper, type Plain, randomGraph } from "./graphs/graphs.reference.js";
import { askMerge, type MergeQuestion } from "./kept-colouring.js";

function neighbours(n: number, pairs: readonly (readonly [number, number])[]): Set<number>[] {
  const neighboursOf = Array.from({ length: n }, () => new Set<number>());
  for (const [u, v] of pairs) {
    neighboursOf[u]!.add(v);
    neighboursOf[v]!.add(u);
  }
  return neighboursOf;
}

test("two triangles in a row: with three colours the ends are forced together, and so apart from the middle", () => {
  const neighboursOf = neighbours(5, [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [3, 4]]); // biome-ignore format: one line
  const ask = (k: number, a: number, b: number): string => {
    const colours = Int32Array.of(0, 1, 2, 0, 1);
    const answer = askMerge({ neighboursOf, domain: new Int32Array(5), colours, k, a, b });
    return `${answer} ${colours.join("")}`;
  };
  // Vertices 0 and 3 share a colour, so 4 has a different colour from 0.
  expect(ask(3, 0, 4)).toBe("no 01201");
  expect(ask(3, 1, 4)).toBe("yes 01201");
  expect(ask(3, 2, 4)).toBe("yes 01202");
  // With a fourth colour, 0 and 3 can have different colours.
  expect(ask(4, 0, 4)).toMatch(/^yes (.)...\1$/);
});

/** Edges between the classes v mod k, but none between 0 and 1, which are in different classes; and the graph after merging both. */
function planted(seed: number): { asked: MergeQuestion; merged: Plain } {
  const [n, k] = [6 + (seed % 4), 2 + (seed % 3)];
  const all = randomGraph(n, Math.round(0.8 * ((n * (n - 1)) / 2)), seed).pairs;
  const pairs = all.filter(([u, v]) => u % k !== v % k && Math.max(u, v) > 1);
  const colours = Int32Array.from({ length: n }, (_, v) => v % k);
  return {
    asked: { neighboursOf: neighbours(n, pairs), domain: new Int32Array(n), colours, k, a: 0, b: 1 },
    merged: { n, pairs: pairs.map(([u, v]) => [u === 1 ? 0 : u, v === 1 ? 0 : v] as const) },
  };
}

test("its answers are correct, rarely undecided, and the colours are proper", () => {
  const seen = { no: 0, yes: 0, undecided: 0 };
  for (let seed = 0; seed < 600; seed++) {
    const { asked, merged } = planted(seed);
    const before = asked.colours.slice();
    const answer = askMerge(asked);
    seen[answer]++;
    expect([...asked.domain]).toEqual(new Array(merged.n).fill(0));
    if (answer === "yes") {
      expect(asked.colours[0]).toBe(asked.colours[1]);
      expect(isProper(merged, [...asked.colours], asked.k)).toBe(true);
    } else {
      expect(asked.colours).toEqual(before);
    }
    if (answer !== "undecided") expect(isColourable(merged, asked.k)).toBe(answer === "yes");
  }
  expect(seen.no).toBeGreaterThan(100);
  expect(seen.yes).toBeGreaterThan(100);
  expect(seen.undecided).toBe(0);
});

test("a search that reaches its limit of nodes is undecided, and leaves colours and domains as they were", () => {
  const [n, k] = [200, 6];
  const pairs = randomGraph(n, 2040, 0).pairs.filter(([u, v]) => u % k !== v % k && Math.max(u, v) > 1);
  const colours = Int32Array.from({ length: n }, (_, v) => v % k);
  const asked = { neighboursOf: neighbours(n, pairs), domain: new Int32Array(n), colours, k, a: 0, b: 1 };
  expect(askMerge(asked)).toBe("undecided");
  expect(asked.domain.every((word) => word === 0)).toBe(true);
  expect(isProper({ n, pairs }, [...colours], k)).toBe(true);
  expect(colours[0]).not.toBe(colours[1]);
});

test("vertices not connected to the two do not change", () => {
  const neighboursOf = neighbours(6, [[0, 2], [1, 3], [4, 5]]); // biome-ignore format: one line
  const colours = Int32Array.of(0, 1, 1, 0, 1, 0);
  expect(askMerge({ neighboursOf, domain: new Int32Array(6), colours, k: 3, a: 0, b: 1 })).toBe("yes");
  expect([...colours.subarray(4)]).toEqual([1, 0]);
});

test("more colours than a mask has bits are undecided", () => {
  const colours = Int32Array.of(0, 1);
  expect(askMerge({ neighboursOf: neighbours(2, []), domain: new Int32Array(2), colours, k: 31, a: 0, b: 1 })).toBe("undecided");
});
