import { expect, test } from "vitest";
import type { Merge } from "../../../model/result.js";
import { pointsFromRows } from "../../../rows.js";
import { tuples } from "../../../testing/tuples.js";
import { candidateTriples } from "./odd-one-out.js";

test("four rows on a line in two clusters: outside branches test each merge, nothing tests the top", () => {
  const points = pointsFromRows([[0], [1], [10], [12]]);
  const merges: Merge[] = [
    [0, 1, 1, 2],
    [2, 3, 2, 2],
    [4, 5, 10, 4],
  ];
  // Rows 2 and 3 are farther apart than 0 and 1, and as near to the other cluster, so their merge is more doubtful.
  expect([...candidateTriples({ points, merges, clusters: [4, 5] })]).toEqual(tuples("2 3 0, 0 1 2"));
});

test("sibling branches test a branch above the clusters", () => {
  const points = pointsFromRows([[0], [1], [10]]);
  const merges: Merge[] = [
    [0, 1, 1, 2],
    [2, 3, 10, 3],
  ];
  expect([...candidateTriples({ points, merges, clusters: [0, 1, 2] })]).toEqual([[0, 1, 2]]);
});
