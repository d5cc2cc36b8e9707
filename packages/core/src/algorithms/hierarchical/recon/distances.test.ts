import { expect, test } from "vitest";
import { closest, forgetRefusals, isRefused, mergeSlots, openDistances, refuse, searchRow, separate } from "./distances.js";

/** Rows at 0, 1, 4, 4 and 9 on a line. Rows 2 and 3 are at distance 0. */
const places = [0, 1, 4, 4, 9];
const n = places.length;

function opened() {
  const d = Float64Array.from({ length: n * n }, (_, p) => Math.abs(places[Math.floor(p / n)]! - places[p % n]!));
  const distances = openDistances("single", { view: () => d }, n);
  for (let i = 0; i < n; i++) searchRow(distances, i);
  return { distances, d };
}

/** The closest pair that is neither refused nor separated. */
function pair(distances: ReturnType<typeof opened>["distances"]): number[] {
  const i = closest(distances);
  return i < 0 ? [] : [i, distances.nearest[i]!];
}

test("refused pairs are passed over, nearest first, until none is left", () => {
  const { distances } = opened();
  const seen: number[][] = [];
  for (let next = pair(distances); next.length > 0; next = pair(distances)) {
    seen.push(next);
    refuse(distances, next[0]!, next[1]!);
    searchRow(distances, next[0]!);
  }
  const byDistance = (a: number[], b: number[]) =>
    Math.abs(places[a[0]!]! - places[a[1]!]!) - Math.abs(places[b[0]!]! - places[b[1]!]!);
  expect(seen.map(([i, j]) => `${i}${j}`).toSorted()).toEqual(["01", "02", "03", "04", "12", "13", "14", "23", "24", "34"]);
  expect(seen).toEqual(seen.toSorted(byDistance));
});

test("forgotten refusals leave every distance as it was, zeros too; what is apart stays apart", () => {
  const { distances, d } = opened();
  const before = d.slice();
  separate(distances, 0, 4);
  for (const [i, j] of [[2, 3], [0, 1], [1, 4]] as const) refuse(distances, i, j); // biome-ignore format: one line
  expect([isRefused(distances, 3, 2), isRefused(distances, 0, 1), isRefused(distances, 0, 2)]).toEqual([true, true, false]);
  forgetRefusals(distances);
  before[4] = before[4 * n] = Infinity;
  expect([...d]).toEqual([...before]);
  expect(pair(distances)).toEqual([2, 3]);
});

test("a merge keeps the distance to the nearer of the two, and a refusal while both clusters stand", () => {
  const { distances } = opened();
  refuse(distances, 1, 4);
  const kept = mergeSlots(distances, 2, 3, true);
  expect([...distances.slots.subarray(0, distances.count)]).toEqual([0, 1, kept, 4]);
  expect(pair(distances)).toEqual([0, 1]);
  expect(isRefused(distances, 1, 4)).toBe(true);
  forgetRefusals(distances);
  expect(isRefused(distances, 4, 1)).toBe(false);
});
