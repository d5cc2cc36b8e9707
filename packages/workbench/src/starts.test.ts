import { expect, test } from "vitest";
import { fewerStarts } from "./starts.js";

test("fewer starts where k is large and nobody says how many", () => {
  expect(fewerStarts({ k: 10 }, true)).toBeUndefined();
  expect(fewerStarts({ k: 100 }, true)).toBe(5);
  expect(fewerStarts({ k: 5000 }, true)).toBe(1);
  expect(fewerStarts({ k: 100, restarts: 20 }, true)).toBeUndefined();
  expect(fewerStarts({ k: 100 }, false)).toBeUndefined();
});
