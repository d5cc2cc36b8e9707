/** Constraints as statements about the rows that are clustered: made for them, and counted as a person made them. */
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

test("with --missing drop no statement is made about a row that is dropped", async () => {
  const folder = folderWith({ "holes.csv": "id,x,kind\na,1,u\nb,,u\nc,2,v\nd,9,v\ne,NA,v\nf,3,u\n" });
  const table = ["--id", "id", "--truth", "kind", "--missing", "drop", "--quiet"];
  const [holes, known] = [join(folder, "holes.csv"), join(folder, "known.csv")];
  for (const from of ["pairs", "labels", "triplets"]) {
    const made = await coterie("constraints", "generate", holes, ...table, "--from", from, "--count", "4", "--out", known);
    expect([made.code, made.err]).toEqual([0, ""]);
    expect((await coterie("cluster", holes, "-k", "2", ...table, "--algorithm", "recon", "--constraints", known)).err).toBe("");
  }
  const tree = await coterie("constraints", "from-tree", "--data", holes, ...table);
  expect(
    tree.out
      .split("\n")
      .slice(1)
      .filter((line) => /,[be],/.test(line)),
  ).toEqual([]);
});
