/** What the summary says about constraints: counted as a person made them. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

test("groups of an exclusive column are counted one by one, and one that two clusters break is broken once", async () => {
  const folder = folderWith({ "frames.csv": "x,frame\n0,one\n1,one\n2,two\n9,one\n10,one\n11,two\n4,three\n" });
  const { code, err } = await coterie("cluster", join(folder, "frames.csv"), "-k", "2", "--exclusive", "frame");
  expect(err).toContain("1 of 2 constraints is broken:");
  expect(err).toContain("cluster 0 holds 2 rows with frame = one");
  expect(err).toContain("cluster 1 holds 2 rows with frame = one");
  expect(code).toBe(0);
});
