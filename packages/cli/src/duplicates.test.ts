import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const PEOPLE = `id,list,name,phone,city,seen
1,A,Anna Meyer,048213,Basel,2024-01-02
2,B,"Meyer, Anna",048213,Basel,2025-03-01
3,A,Bert Koch,99871,Graz,2024-05-05
4,B,Bert Kochh,99871,Graz,2023-01-01
5,A,Carla Lindqvist,55120,Essen,2022-02-02
6,B,Dora Ivanova,70011,Vienna,2022-03-03
7,A,2223,70012,Bremen,2021-01-01
8,B,Emil Sanchez,31337,Zurich,2021-02-01
`;

const folder = folderWith({
  "people.csv": PEOPLE,
  "scores.csv": "a,b,probability\n1,2,0.98\n3,4,0.9\n5,6,0.2\n7,5,0.1\n",
  "splink.csv":
    "match_weight,match_probability,unique_id_l,unique_id_r,gamma_name\n5.6,0.98,1,2,x\n3.2,0.9,3,4,2\n-2,0.2,6,5,\n-3.2,0.1,7,5,1\n",
  "linkage.csv": "rec_id_1,rec_id_2,0\n1,2,0.98\n3,4,0.9\n5,6,0.2\n7,5,0.1\n",
  "weights.csv": "a,b,weight\n1,2,5\n3,4,3\n5,6,-2\n5,7,-3\n",
  "known.csv": "type,a,b\ncannot-link,1,2\nmust-link,5,6\n",
  "contradiction.csv": "type,a,b\ncannot-link,1,2\nmust-link,1,2\n",
});
const at = (name: string) => join(folder, name);
const quiet = ["--quiet", "--json"];

async function labelsOf(...args: string[]): Promise<number[]> {
  const { code, out, err } = await coterie("cluster", ...args, ...quiet);
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out).labels;
}

describe("a table of records", () => {
  const line = ["cluster", at("people.csv"), "--id", "id", "-a", "duplicates", "--exclusive", "list"];

  test("clusters, report, pairs, one row for each cluster, and a page", async () => {
    const files = ["--pairs-out", at("p.csv"), "--golden", at("g.csv"), "--html", at("p.html"), "--out", at("l.csv")];
    const { code, out, err } = await coterie(...line, ...files, "--json");
    expect(code).toBe(0);
    const report = JSON.parse(out);
    expect(report.labels).toEqual([0, 0, 1, 1, 2, 3, 4, 5]);
    expect(report.pairs).toMatchObject({ groups: 2, rows: 4 });
    expect(report.pairWeights.map(({ column }: { column: string }) => column)).toEqual(["name", "phone", "city", "seen"]);
    expect(report.pairWeights[0].levels.equal).toBeGreaterThan(0);
    expect(err).toContain('Column "name" mixes numbers and text, and is read as text.');
    expect(err).toContain("2 clusters have two or more rows, together 4 rows; 4 rows have no duplicate.");
    expect(err).not.toContain("scaled");
    const pairs = readFileSync(at("p.csv"), "utf8").split("\n");
    expect(pairs[0]).toBe("a,b,probability,together,why");
    expect(pairs.some((each) => /^1,2,[\d.]+,true,".*phone equal \(\+/.test(each))).toBe(true);
    const golden = readFileSync(at("g.csv"), "utf8");
    expect(golden).toContain("cluster,rows,ids,name,phone,city,seen\n");
    expect(golden).toContain('0,2,"1;2","Meyer, Anna",');
    expect(golden).toContain('1,2,"3;4",Bert Kochh,99871,');
    const page = readFileSync(at("p.html"), "utf8");
    expect(page).toContain("<h2>Groups");
    expect(page).toContain("Bert Koch<mark>h</mark>");
    expect(page).not.toContain("<h2>Map");
    expect(await labelsOf(at("people.csv"), "--id", "id", "--pairs", at("p.csv"))).toEqual(report.labels);
  });

  test("the golden record by length, or by the newest row", async () => {
    const golden = async (...rule: string[]) => {
      const { code, err } = await coterie(...line, "--golden", at("g2.csv"), ...rule, "--quiet");
      return code === 0 ? readFileSync(at("g2.csv"), "utf8") : err;
    };
    expect(await golden("--golden-rule", "longest")).toContain('0,2,"1;2","Meyer, Anna"');
    expect(await golden("--golden-rule", "newest=seen")).toContain('1,2,"3;4",Bert Koch,99871,Graz,2024-05-05');
    expect(await golden("--golden-rule", "newest=name")).toContain("newest=COL with a column of dates or numbers");
    expect(await golden("--golden-rule", "best")).toContain("frequent, longest or newest=COL");
  });

  test("questions find the same clusters as a run under their answers", async () => {
    const asked = ["ask", at("people.csv"), "--id", "id", "--strategy", "duplicates", "--exclusive", "list"];
    const { code, out } = await coterie(
      ...asked,
      "--truth",
      "phone",
      "--simulate",
      "--budget",
      "3",
      "--constraints-out",
      at("c.csv"),
      ...quiet,
    );
    expect(code).toBe(0);
    const again = await labelsOf(...line.slice(1), "--truth", "phone", "--constraints", at("c.csv"));
    expect(again).toEqual(JSON.parse(out).labels);
    expect(JSON.parse(out).pairs.comparedOfKnown).toBe(1);
  });

  test("a table that looks like records leads to a notice", async () => {
    expect((await coterie("data", "make", "people", "-n", "60", "--out", at("made.csv"))).code).toBe(0);
    const { err } = await coterie("cluster", at("made.csv"), "-a", "average-link", "--truth", "person");
    expect(err.replaceAll(/\s+/g, " ")).toContain("To find rows that describe the same thing, take --algorithm duplicates;");
  });
});

describe("scored pairs", () => {
  const joined = [0, 0, 1, 1, 2, 3, 4, 5];

  test.each(["scores.csv", "splink.csv", "linkage.csv", "weights.csv"])("%s beside a table", async (file) => {
    expect(await labelsOf(at("people.csv"), "--id", "id", "--pairs", at(file))).toEqual(joined);
  });

  test("without a table, the ids of the file are the rows; constraints are kept", async () => {
    expect(await labelsOf("--pairs", at("scores.csv"))).toEqual([0, 0, 1, 1, 2, 3, 4]);
    expect(await labelsOf("--pairs", at("scores.csv"), "--constraints", at("known.csv"))).toEqual([0, 1, 2, 2, 3, 3, 4]);
    const { code, out } = await coterie(
      "cluster",
      "--pairs",
      at("scores.csv"),
      "--constraints",
      at("contradiction.csv"),
      ...quiet,
    );
    expect([code, JSON.parse(out).error.code]).toEqual([4, "contradiction"]);
  });

  test("a threshold, and refusals of what does not fit together", async () => {
    expect(await labelsOf("--pairs", at("scores.csv"), "--threshold", "0.95")).toEqual([0, 0, 1, 2, 3, 4, 5]);
    const refused = async (...args: string[]) => {
      const { code, err } = await coterie("cluster", ...args);
      return [code, err.replaceAll(/\s+/g, " ")];
    };
    expect(await refused("--pairs", at("scores.csv"), "-k", "3")).toEqual([
      2,
      expect.stringContaining("leave -k out, or set --threshold"),
    ]);
    expect(await refused("--pairs", at("scores.csv"), "-a", "ccl", "-k", "3")).toEqual([
      2,
      expect.stringContaining("--pairs is for duplicates"),
    ]);
    expect(await refused("--pairs", at("scores.csv"), "--truth", "x")).toEqual([2, expect.stringContaining("name DATA too")]);
    expect(await refused("--pairs", at("scores.csv"), "--model", at("m.json"))).toEqual([
      2,
      expect.stringContaining("no rule for new rows"),
    ]);
    expect(await refused(at("people.csv"), "-k", "2", "--golden", at("x.csv"))).toEqual([
      2,
      expect.stringContaining("--golden is for duplicates"),
    ]);
  });

  test.each([
    ["an unknown id", "a,b,probability\n1,2,0.5\n1,99,0.5\n", 3, '"99"'],
    ["a probability above 1", "a,b,probability\n1,2,0.5\n1,3,1.5\n", 3, 'The probability is "1.5".'],
    ["a text for a score", "a,b,probability\n1,2,0.5\n1,3,high\n", 0, "mixes numbers and text"],
    ["no score", "a,b,probability\n1,2,\n3,4,0.5\n", 2, "The pair has no score."],
    ["no id", "a,b,probability\n1,2,0.5\n1,,0.5\n", 3, 'Column "b" has no id.'],
    ["both directions with two scores", "a,b,probability\n1,2,0.5\n2,1,0.6\n", 3, "0.6 here and 0.5 in line 2"],
    ["a row with itself", "a,b,probability\n1,1,0.5\n", 2, 'has the id "1" twice'],
    ["other columns", "left,right,score\n1,2,0.5\n", 1, "no two columns with ids"],
    ["no score column", "a,b,c\n1,2,0.5\n", 1, "no column with a score"],
  ])("%s is named with its line", async (_, text, line, words) => {
    const file = join(folderWith({ "bad.csv": text }), "bad.csv");
    const { code, err } = await coterie("cluster", at("people.csv"), "--id", "id", "--pairs", file, "--out", at("never.csv"));
    expect(code).toBe(3);
    const said = err.replaceAll(/\s+/g, " ");
    expect(said).toContain(words);
    if (line > 0) expect(said).toContain(`line ${line}`);
  });

  test("a pair that is repeated with the same score counts once, with a notice", async () => {
    const file = join(folderWith({ "twice.csv": "a,b,probability\n1,2,0.9\n2,1,0.9\n" }), "twice.csv");
    const { code, err } = await coterie("cluster", "--pairs", file);
    expect([code, err]).toEqual([0, expect.stringContaining("repeats 1 pair with the same score")]);
  });
});
