import { expect, test } from "vitest";
import { graphOf } from "../../../colouring/graphs/graph.js";
import { openPlacement } from "../../placement/placement.js";
import { searchLegal } from "./search.js";

/** Units of the given sizes, two clusters of `least` to `most` rows, no free rows. */
function opened(sizes: readonly number[], pairs: readonly (readonly [number, number])[], least: number, most: number) {
  const bounds = { sizes: Int32Array.from(sizes), least, most, free: 0 };
  const graph = graphOf(sizes.length, pairs, []);
  return openPlacement(graph, sizes.length, 2, new Float64Array(2 * sizes.length), null, bounds);
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
