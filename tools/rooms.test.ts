import { expect, test } from "vitest";
import { faults } from "./rooms.mjs";

test("packages and rooms know only those below them, in no circle, and no folder is crowded", () => {
  expect(faults()).toEqual([]);
});
