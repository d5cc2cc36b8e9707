import { expect, test } from "vitest";
import { drain } from "../../steps/steps.js";
import { pairs } from "../../testing/tuples.js";
import type { Adjacency } from "../graphs/adjacency.js";
import { expand } from "../graphs/graph.js";
import { graphFrom, type Pairs } from "../graphs/graphs.reference.js";
import { searchSaturated } from "./dsatur.js";
import { searchTabu } from "./local-search.js";

function listed(n: number, pairs: Pairs): Adjacency {
  return expand(
    graphFrom({ n, pairs }),
    Int32Array.from({ length: n }, (_, v) => v),
    1e6,
  )!;
}

test("DSATUR begins with the vertex of largest degree, and goes on with the one whose neighbours use the most colours", () => {
  const none = new Int32Array(0);
  // A star whose centre has the lowest index; then the same star with a triangle at the end of one edge.
  const star = listed(4, pairs("0 1, 0 2, 0 3"));
  expect(drain(searchSaturated(star, 2, none, { left: 4 }))).toEqual({ status: "feasible", colours: Int32Array.of(0, 1, 1, 1) });
  const kite = listed(6, pairs("0 1, 0 2, 0 3, 0 4, 3 4, 4 5"));
  const answer = drain(searchSaturated(kite, 3, none, { left: 6 }));
  expect(answer).toEqual({ status: "feasible", colours: Int32Array.of(0, 1, 1, 2, 1, 0) });
});

test("TabuCol changes only vertices that clash with a neighbour", () => {
  // Both ends of an edge have the same colour; each pair is followed by an isolated vertex.
  const pairs = Array.from({ length: 40 }, (_, i) => [3 * i, 3 * i + 1] as const);
  const start = Int32Array.from({ length: 120 }, (_, v) => (v % 3 === 2 ? 1 : 2));
  const colours = drain(searchTabu(listed(120, pairs), 3, start, 1000, { left: 1000 }))!;
  expect(pairs.every(([u, v]) => colours[u] !== colours[v])).toBe(true);
  expect(colours.filter((_, v) => v % 3 === 2).every((colour) => colour === 1)).toBe(true);
});
