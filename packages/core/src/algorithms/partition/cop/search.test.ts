import { expect, test } from "vitest";
import { graphOf } from "../../../colouring/graphs/graph.js";
import { openPlacement } from "../../placement/placement.js";
import { searchLegal } from "./sizes.js";

/** Units of the given sizes, two clusters of `least` to `most` rows, no free rows. */
function opened(
  sizes: readonly number[],
  pairs: readonly (readonly [number, number])[],
  least: number,
  most: number,
  costs: readonly number[] = [0, 0],
) {
  const bounds = { sizes: Int32Array.from(sizes), least, most, free: 0 };
  const graph = graphOf(sizes.length, pairs, []);
  return openPlacement(graph, sizes.length, 2, Float64Array.from(sizes.flatMap(() => costs)), null, bounds);
}

test("too few rows for the lower bounds: proven at the first node, with an effort of one", () => {
  expect(searchLegal(opened([1, 1], [], 2, 4), 1)).toBe("none");
  expect(searchLegal(opened([1, 1], [], 2, 4), 0)).toBe("spent");
});

test("two units apart fill two clusters; three apart cannot", () => {
  const two = opened([2, 2], [[0, 1]], 2, 2);
  expect(searchLegal(two, 100)).toBe("found");
  expect([...two.labels].toSorted()).toEqual([0, 1]);
  const three = [[0, 1], [1, 2], [0, 2]] as const; // biome-ignore format: one line
  expect(searchLegal(opened([1, 1, 1], three, 0, 3), 100)).toBe("none");
  expect(searchLegal(opened([1, 1, 1], three, 0, 3), 1)).toBe("spent");
});

test("units go to the cheapest possible cluster, the lower one on ties", () => {
  for (const [costs, labels] of [
    [
      [5, 1],
      [1, 1, 0],
    ],
    [
      [1, 5],
      [0, 0, 1],
    ],
    [
      [2, 2],
      [0, 0, 1],
    ],
  ] as const) {
    const placement = opened([2, 2, 2], [], 0, 4, costs);
    expect(searchLegal(placement, 100)).toBe("found");
    expect([...placement.labels], String(costs)).toEqual(labels);
  }
});
