/** The number of colours that two independent parts use together, compared with a list of all choices of colours. */
import { expect, test } from "vitest";
import { shareUsingAll } from "./counting.js";

/** All subsets of size `size` of k elements, as bit masks. */
const setsOf = (size: number, k: number): number[] =>
  Array.from({ length: 2 ** k }, (_, mask) => mask).filter((mask) => mask.toString(2).replaceAll("0", "").length === size);

/** The chance that two random sets of these sizes cover all k. */
function byLooking(a: number, b: number, k: number): number {
  const pairs = setsOf(a, k).flatMap((one) => setsOf(b, k).map((other) => one | other));
  return pairs.filter((mask) => mask === 2 ** k - 1).length / pairs.length;
}

const only = (size: number, k: number): Float64Array =>
  Float64Array.from({ length: k + 1 }, (_, used) => (used === size ? 1 : 0));

test("two parts that use a and b colours use all k as often as two random sets cover them", () => {
  for (const k of [1, 2, 3, 4, 5]) {
    for (let a = 1; a <= k; a++) {
      for (let b = 1; b <= k; b++) {
        const { share, error } = shareUsingAll(only(a, k), [[only(b, k), only(b, k)]], k);
        expect(share, `${a} and ${b} of ${k}`).toBeCloseTo(byLooking(a, b, k), 12);
        expect(error).toBeCloseTo(0, 12);
      }
    }
  }
});

test("batches that disagree have an error", () => {
  const { share, error } = shareUsingAll(only(1, 2), [[only(2, 2), only(1, 2)]], 2);
  expect(share).toBeCloseTo(0.75, 12);
  expect(error).toBeCloseTo(1 / 3, 12);
});
