import { join } from "node:path";
import { emptyConstraints, type Instances, type Method, methodNamed, secondsOf } from "@coterie/core/internal";
import { expect, test } from "vitest";
import { longRunNotice } from "./estimate.js";
import { coterie, folderWith } from "./testing/console.js";

const given = (points: Instances) => ({ points, constraints: emptyConstraints(points.n) });
const rows = (n: number, d: number) => given({ n, d, x: new Float64Array(0) });
const [kmeans, ccl, single] = ["kmeans", "ccl", "single-link"].map(methodNamed) as [Method, Method, Method];

test("a short run is not announced, a long one is, with what would be faster", () => {
  expect(longRunNotice(kmeans, rows(150, 4), { k: 3 }, 2)).toBeUndefined();
  // More clusters than rows are refused at once.
  expect(longRunNotice(kmeans, rows(150, 4), { k: 1e9 }, 2)).toBeUndefined();
  const long = longRunNotice(kmeans, rows(1_000_000, 384), { k: 100, restarts: 10 }, 2)!;
  expect(long).toMatch(/^This may take about \d+ minutes|^This may take about [\d,]+ hours/);
  expect(long).toContain("--restarts 1");
  expect(long).toContain("--reduce 32");
  expect(long).toContain("--sample 100000");
  expect(longRunNotice(ccl, rows(100_000, 16), {}, 2)).toContain("--algorithm kmeans");
  expect(longRunNotice(methodNamed("clusilc"), rows(1e6, 100), { k: 3 }, 1)).toContain("minutes");
});

test("more rows, columns and clusters take longer", () => {
  expect(secondsOf(kmeans, rows(2000, 8), { k: 4 })).toBeGreaterThan(secondsOf(kmeans, rows(1000, 8), { k: 4 }));
  expect(secondsOf(ccl, rows(2000, 8), {})).toBeGreaterThan(3.9 * secondsOf(ccl, rows(1000, 8), {}));
  const text = given({ ...rows(1000, 8).points, texts: Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0) });
  expect(secondsOf(ccl, text, {})).toBeGreaterThan(secondsOf(ccl, rows(1000, 8), {}));
});

test("single linkage of 100,000 rows in one cloud gets an estimate in minutes, as measured; in two columns it gets none", () => {
  expect(longRunNotice(single, rows(100_000, 16), {}, 2)).toContain("about 5 minutes");
  expect(longRunNotice(single, rows(100_000, 2), {}, 2)).toBeUndefined();
});

test("at the command line: a notice about fewer starts, and clusters carry the names of their labelled rows", async () => {
  const folder = folderWith({
    "t.csv": `id,x\n${Array.from({ length: 120 }, (_, i) => `r${i},${i}`).join("\n")}\n`,
    "two.csv": `id,x\n${Array.from({ length: 20 }, (_, i) => `r${i},${i < 10 ? i : 100 + i}`).join("\n")}\n`,
    "known.csv": "type,a,b\nlabel,r1,low\nlabel,r12,high and dry\nlabel,r2,low\n",
  });
  const { out } = await coterie("cluster", join(folder, "t.csv"), "--id", "id", "-k", "100", "--json");
  const { options, notices } = JSON.parse(out);
  expect(options.restarts).toBe(5);
  expect(notices.join()).toContain("With k = 100 there are 5 starts instead of 10");
  const args = ["cluster", join(folder, "two.csv"), "--id", "id", "-k", "2", "-a", "ccl", "-c", join(folder, "known.csv")];
  const named = await coterie(...args, "--report", join(folder, "r.json"), "--html", join(folder, "p.html"), "--out", "-");
  expect(named.out.split("\n").slice(0, 2)).toEqual(["id,cluster,name", "r0,0,low"]);
  expect(named.out).toContain("r19,1,high and dry");
  expect(named.err).toMatch(/cluster 1 +high and dry +10/);
  const again = await coterie(...args, "--json");
  expect(JSON.parse(again.out).names).toEqual(["low", "high and dry"]);
  const plain = await coterie("cluster", join(folder, "two.csv"), "--id", "id", "-k", "2", "--out", "-", "-q");
  expect(plain.out.startsWith("id,cluster\n")).toBe(true);
  const fileOut = await coterie(...args, "--out", join(folder, "labels.csv"), "-q");
  expect(fileOut.code).toBe(0);
  const scored = await coterie(
    "evaluate",
    join(folder, "labels.csv"),
    "--data",
    join(folder, "two.csv"),
    "--id",
    "id",
    "--truth",
    "x",
    "--json",
  );
  expect(scored.code, scored.err).toBe(0);
});
