/** `coterie diagnose`: verdict first, the JSON of the contract, and exit 0 whenever there is an answer. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

let folder: string;

beforeAll(() => {
  const rows = Array.from(
    { length: 12 },
    (_, i) => `r${i},${i % 3 === 0 ? i / 10 : i % 3 === 1 ? 5 + i / 10 : 9 + i / 10},${"abc"[i % 3]}`,
  );
  folder = folderWith({
    "data.csv": `name,x,class\n${rows.join("\n")}\n`,
    "ring.csv":
      "type,a,b\ncannot-link,ann,bob\ncannot-link,bob,cay\ncannot-link,cay,dan\ncannot-link,dan,eve\ncannot-link,eve,ann\n",
    "clash.csv": "type,a,b\nmust-link,ann,bob\nmust-link,bob,cay\ncannot-link,ann,cay\n",
    "old.tsv": "7\t3\t1\n3\t9\t-1\n",
    "named.csv": "type,a,b\nmust-link,r0,r3\ncannot-link,r0,r1\ncannot-link,r1,r2\ncannot-link,r2,r3\n",
    "triplets.jsonl": '{"type":"relative","a":"x","b":"y","c":"z"}\n{"type":"relative","a":"y","b":"z","c":"x"}\n',
    "empty.csv": "type,a,b\n",
  });
});

const file = (name: string) => join(folder, name);
const diagnose = (...args: string[]) => coterie("diagnose", ...args);
const json = async (...args: string[]) => JSON.parse((await diagnose(...args, "--json")).out);

describe("without data", () => {
  test("ids are those of the file, in JSON as they are", async () => {
    const found = await json("--constraints", file("ring.csv"), "-k", "3");
    expect(found.fractionalChromaticNumber).toEqual({ value: 2.5, fraction: "5/2" });
    expect(Object.keys(found.proof.colouring).sort()).toEqual(["ann", "bob", "cay", "dan", "eve"]);
    expect(found.informativeness).toBe(null);
  });

  test("row numbers of the older files are numbers", async () => {
    const found = await json("--constraints", file("old.tsv"), "-k", "2");
    expect(found.components).toEqual([{ members: [7, 3] }]);
    expect(found.points.map((point: { id: unknown }) => point.id).sort()).toEqual([3, 7, 9]);
  });

  test("several files are one set", async () => {
    const found = await json("--constraints", file("ring.csv"), "--constraints", file("clash.csv"), "-k", "3");
    expect(found.contradictions).toHaveLength(3);
  });

  test("relative constraints", async () => {
    const found = await json("--constraints", file("triplets.jsonl"));
    expect(found.relative).toMatchObject({ consistent: false, dropped: [["y", "z", "x"]] });
  });
});

describe("the page", () => {
  test("says yes first, and where the trouble is", async () => {
    const { code, out } = await diagnose("--constraints", file("ring.csv"), "-k", "3");
    expect(out).toMatch(/^Yes: 3 clusters can hold all of these constraints\.\n/);
    expect(out).toContain("Clusters needed: 3 (fractional chromatic number 5/2 = 2.5).");
    expect(out).toContain("(--json: proof). Fewer clusters cannot.\n");
    expect(out).toContain("30 clusterings");
    expect(out).toMatch(/ann +2 +2 +0\.500/);
    expect(code).toBe(0);
  });

  test("says no with the proof and what to drop; the exit code is still 0", async () => {
    const { code, out } = await diagnose("--constraints", file("ring.csv"), "-k", "2");
    expect(out).toMatch(/^No: 2 clusters cannot hold these constraints\.\nThese 5 groups of rows alone/);
    expect(out.replace(/\s+/g, " ")).toContain("Drop this one of your 5 constraints and k = 2 becomes possible: cannot-link");
    expect(code).toBe(0);
  });

  test("a billion clusters for five named rows: an answer, with a note", async () => {
    const found = await json("--constraints", file("ring.csv"), "-k", "1000000000");
    expect(found.feasible).toBe(true);
    const q = 1_000_000_000n;
    expect(found.feasibleClusterings.atMostK.exact).toBe(((q - 1n) ** 5n - (q - 1n)).toString());
    expect(found.notices.join()).toContain("There are fewer rows (5) than clusters (1,000,000,000)");
  });

  test("as a file with the conflict graph; a file that cannot be written is an error before any work", async () => {
    const page = file("page.html");
    const { code, out } = await diagnose("--constraints", file("ring.csv"), "-k", "2", "--html", page);
    expect(code).toBe(0);
    expect(out).toMatch(/^No: 2 clusters/);
    const written = readFileSync(page, "utf8");
    expect(written).toContain("Conflict graph");
    expect(written).toContain("already need more than 2: {ann}, {bob}");
    expect((await diagnose("--constraints", file("ring.csv"), "--html", file("nowhere/page.html"))).code).toBe(3);
  });

  test("a contradiction with its chain", async () => {
    const { code, out } = await diagnose("--constraints", file("clash.csv"));
    expect(out).toMatch(/^No clustering can hold these constraints: one of them contradicts the must-links\./);
    expect(out).toContain("- ann and cay are kept apart, yet must-links join them: ann – bob – cay.");
    expect(code).toBe(0);
  });

  test("an empty set", async () => {
    const { code, out } = await diagnose("--constraints", file("empty.csv"));
    expect(out).toMatch(/^The constraints do not contradict each other, and any number of clusters can hold them\./);
    expect(code).toBe(0);
  });
});

describe("with data", () => {
  test("informativeness, coherence and a comparison with known classes", async () => {
    const args = [file("data.csv"), "--id", "name", "--truth", "class", "--constraints", file("named.csv"), "-k", "3"];
    const found = await json(...args);
    expect(found.informativeness).toBe(0);
    expect(found.coherence).toBeGreaterThanOrEqual(0);
    expect(found.withAndWithout).toMatchObject({ algorithm: "pck-means", without: { rand: 1 }, with: { rand: 1 }, gain: 0 });
    const { out } = await diagnose(...args);
    expect(out).toContain("They make no difference with pck-means (seed 0)");
  });

  test("twice the same bytes", async () => {
    const args = [file("data.csv"), "--id", "name", "--constraints", file("named.csv"), "-k", "3", "--json"];
    expect((await diagnose(...args)).out).toBe((await diagnose(...args)).out);
  });
});

describe("the command line", () => {
  test.each([
    [["-k", "2"], /--constraints FILE/],
    [["--constraints", "x.csv", "--truth", "class", "-k", "2"], /--truth needs a table/],
    [["data.csv", "--constraints", "x.csv", "--truth", "class"], /-k K/],
    [["--constraints", "x.csv", "-k", "0"], /at least 1/],
  ])("%j is a usage error", async (args, sentence) => {
    const { code, err } = await diagnose(...args);
    expect(err).toMatch(sentence);
    expect(code).toBe(2);
  });

  test("a missing file", async () => {
    const { code, err } = await diagnose("--constraints", file("nothere.csv"));
    expect(err).toMatch(/nothere\.csv: There is no such file/);
    expect(code).toBe(3);
  });
});

test("constraints generate --strategy balanced spreads cannot-links evenly", async () => {
  const { out, code } = await coterie(
    "constraints",
    "generate",
    file("data.csv"),
    "--id",
    "name",
    "--truth",
    "class",
    "--mix",
    "0:12",
    "--strategy",
    "balanced",
  );
  const degree = new Map<string, number>();
  for (const line of out.trim().split("\n").slice(1)) {
    const [, a, b] = line.split(",");
    for (const id of [a!, b!]) degree.set(id, (degree.get(id) ?? 0) + 1);
  }
  expect([...degree.values()]).toEqual(new Array(12).fill(2));
  expect(code).toBe(0);
});

test("constraints prune drops what is hardest until two clusters would do", async () => {
  const args = [
    "constraints",
    "prune",
    file("data.csv"),
    "--id",
    "name",
    "--ignore",
    "class",
    "--constraints",
    file("named.csv"),
  ];
  const { out, err, code } = await coterie(...args, "--until-k", "2");
  expect(code).toBe(0);
  expect(err).toMatch(/dropped\./);
  expect(out.trim().split("\n").length).toBeLessThan(5);
  expect((await coterie(...args)).err).toMatch(/--count N or --until-k K/);
});

test("more clusters than rows are bad input, where the rows are known", async () => {
  const { code, err } = await diagnose(file("data.csv"), "--id", "name", "--constraints", file("named.csv"), "-k", "13");
  expect([code, err]).toEqual([3, expect.stringContaining("only 12 rows")]);
  expect((await diagnose("--constraints", file("ring.csv"), "-k", "13")).code).toBe(0);
});
