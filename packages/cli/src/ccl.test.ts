import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const LINE = ["cluster", "iris-fisher", "-k", "3", "--algorithm", "ccl"];

test.each([
  [[], "Constrained complete linkage"],
  [["--linkage", "average"], "Constrained average linkage"],
  [["--linkage", "ward"], "Constrained Ward linkage"],
])("%j: terminal and page call the linkage by its name", async (more, name) => {
  const page = join(folderWith({}), "page.html");
  const { code, err } = await coterie(...LINE, ...more, "--html", page);
  expect([code, err]).toEqual([0, expect.stringContaining(`${name} put 150 rows`)]);
  expect(readFileSync(page, "utf8")).toContain(`${name} put 150 rows`);
});

test("what had to be broken is named in a note, and no more is broken than had to be", async () => {
  const folder = folderWith({
    "line.csv": "id,x\na,2\nb,3\nc,4\nd,7\ne,11\n",
    "known.csv":
      "type,a,b\ncannot-link,a,e\ncannot-link,b,e\ncannot-link,b,d\ncannot-link,c,e\ncannot-link,a,d\ncannot-link,b,c\n",
  });
  const line = ["cluster", join(folder, "line.csv"), "--id", "id", "-k", "2", "--algorithm", "ccl"];
  const { code, out, err } = await coterie(...line, "--constraints", join(folder, "known.csv"), "--json");
  expect(code).toBe(0);
  expect(JSON.parse(out).violations.cannotLink).toEqual([["c", "e"]]);
  expect(err.replaceAll(/\s+/g, " ")).toContain("Broken: 1 cannot-link (c – e); breaking fewer is impossible.");
});
