import { expect, test } from "vitest";
import { graphOf } from "../../colouring/graphs/graph.js";
import { pairs, tuples } from "../../testing/tuples.js";
import { improve } from "./improve.js";
import { placeGreedily } from "./legal.js";
import { openPlacement, totalCost } from "./placement.js";

test("units with an open cluster are placed without exact search, those with the most neighbours first", () => {
  // The middle of a path takes its cheapest cluster, and its ends the other one. A unit without neighbours takes its cheapest cluster.
  const path = graphOf(3, pairs("0 1, 1 2"));
  const placement = openPlacement(path, 4, 2, Float64Array.of(0, 1, 0, 1, 0, 1, 1, 0), null, null);
  expect(placeGreedily(placement)).toBe(true);
  expect([...placement.labels]).toEqual([1, 0, 1, 1]);
});

test("a unit without an open cluster gets room where that costs least", () => {
  const star = graphOf(4, pairs("0 3, 1 3, 2 3"));
  // Each of its three neighbours could join another cluster, at cost 1, 0.1 and 1.
  const costs = tuples("0 1 1, 5.1 5 6, 1 1 0, 0 0 0");
  const placement = openPlacement(star, 4, 3, Float64Array.from(costs.flat()), Int32Array.of(0, 1, 2, -1), null);
  expect(placeGreedily(placement)).toBe(true);
  expect([...placement.labels]).toEqual([0, 0, 2, 1]);
});

test("members of a clique change places all at once where no exchange of two helps", () => {
  const triangle = graphOf(3, [], [[0, 1, 2]]);
  // Unit i belongs in cluster i + 1, but is in the next cluster at cost 1. The cluster after that costs 3, cluster 0 far more.
  const costs = [0, 1, 2].map((i) =>
    [100, 0, 0, 0].map((far, c) => 10 * i + far + (c === 0 ? 0 : [0, 1, 3][(c - 1 - i + 3) % 3]!)),
  );
  const placement = openPlacement(triangle, 3, 4, Float64Array.from(costs.flat()), Int32Array.of(2, 3, 1), null);
  expect(improve(placement)).toBe(true);
  expect([...placement.labels]).toEqual([1, 2, 3]);
  expect(totalCost(placement)).toBe(30);
});
