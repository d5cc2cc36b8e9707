/** Rules for clusterings at the command line; and trees and weights in the summary of a run. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { shortRules } from "@coterie/workbench";
import { beforeAll, describe, expect, test } from "vitest";
import { explainLabels } from "./index.js";
import { readLabels, readTable } from "./library/data.js";
import { coterie, folderWith } from "./testing/console.js";

/** Old and rich rows, old and poor ones, young ones; a few lines apart from their group. */
const rows = Array.from({ length: 60 }, (_, i) => {
  const age = 20 + ((i * 37) % 50);
  const income = 100 * ((i * 53) % 47);
  const group = age > 40 ? (income > 2000 ? "rich" : "poor") : "young";
  return { id: `r${i}`, age, income, town: ["Ulm", "Rom"][i % 2]!, group: i === 7 ? "rich" : group };
});
let folder: string;
const file = (name: string) => join(folder, name);
const explain = (labels: string, ...args: string[]) =>
  coterie("explain", file(labels), "--data", file("people.csv"), "--id", "id", ...args);

beforeAll(() => {
  folder = folderWith({
    "people.csv": `id,age,income,town\n${rows.map(({ id, age, income, town }) => `${id},${age},${income},${town}`).join("\n")}\n`,
    "groups.csv": `id,cluster\n${rows.map(({ id, group }) => `${id},${group}`).join("\n")}\n`,
    "some.csv": "id,cluster\nr0,a\nr1,b\nr2,a\n",
    "unknown.csv": "id,cluster\nr0,a\nr99,b\n",
    "twice.csv": "id,cluster\nr0,a\nr0,b\n",
    "nothing.csv": "id,cluster\n",
    "noheader.csv": "r0,a\nr1,b\n",
    "known.csv": "type,a,b\nmust-link,r0,r2\ncannot-link,r0,r1\n",
  });
});

describe("in words", () => {
  test("fidelity, tree, and each cluster's rule with coverage and precision, in the clusters' own names", async () => {
    const { code, out, err } = await explain("groups.csv", "--max-leaves", "3");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^fidelity 98\.3%: the rules put 59 of 60 rows into their cluster, with 3 leaves\n/);
    expect(out).toMatch(/├─ yes: cluster young|└─ no: {2}cluster young/);
    expect(out).toMatch(/cluster young: \d+ rows, coverage 100\.0%, precision \d+\.\d%\n {2}age ≤ 40(\.\d+)?\n/);
    expect(out).toMatch(/cluster rich: \d+ rows, coverage \d\d\.\d%, precision 100\.0%\n/);
  });

  test("without limits the rules are as short as the studio's: two leaves for each cluster, and two more at most", async () => {
    const cases = Array.from({ length: 80 }, (_, i) => `r${i % 60},${["a", "b"][((i * 7919) >> 3) % 2]}`).slice(0, 60);
    const labels = folderWith({ "odd.csv": `id,cluster\n${cases.join("\n")}\n` });
    const { out } = await coterie("explain", join(labels, "odd.csv"), "--data", file("people.csv"), "--id", "id", "--json");
    const exact = await coterie(
      "explain",
      join(labels, "odd.csv"),
      "--data",
      file("people.csv"),
      "--leaf-cost",
      "0.005",
      "--json",
    );
    expect(JSON.parse(exact.out).tree.leaves).toBeGreaterThan(6);
    expect(JSON.parse(out).tree.leaves).toBeLessThanOrEqual(6);
  });

  test("fewer leaves, other columns, and exact rules", async () => {
    const short = JSON.parse((await explain("groups.csv", "--max-leaves", "2", "--json")).out);
    const exact = JSON.parse((await explain("groups.csv", "--leaf-cost", "0", "--json")).out);
    const blind = JSON.parse((await explain("groups.csv", "--describe", "town", "--json")).out);
    expect(short.tree.leaves).toBe(2);
    expect(short.clusters.filter(({ rule }: { rule: string }) => rule === null)).toHaveLength(1);
    expect(exact.fidelity).toBe(1);
    expect(JSON.stringify(blind.tree)).not.toContain("age");
    expect(blind.fidelity).toBeLessThan(exact.fidelity);
  });
});

test("JSON holds what the words say", async () => {
  const { out } = await explain("groups.csv", "--max-leaves", "3", "--json");
  const { fidelity, clusters, tree, instances } = JSON.parse(out);
  expect(instances).toBe(60);
  expect(fidelity).toBeCloseTo(59 / 60, 12);
  expect(clusters.map(({ cluster }: { cluster: string }) => cluster).sort()).toEqual(["poor", "rich", "young"]);
  for (const { size, coverage, precision, caught, rule } of clusters) {
    expect(Math.round(size * coverage)).toBe(Math.round(caught * precision));
    expect(rule).toMatch(/age|income/);
  }
  expect(tree.root.size).toBe(60);
});

test("the page has tree, rules, the rows that are missed, and nothing to load", async () => {
  const { code, err } = await explain("groups.csv", "--max-leaves", "3", "--html", file("why.html"));
  expect([code, err]).toEqual([0, `Written: ${file("why.html")}\n`]);
  const page = readFileSync(file("why.html"), "utf8");
  expect([...page.matchAll(/<h2[^>]*>([^<]*)/g)].map((match) => match[1]!.trim())).toEqual([
    "Tree",
    "Rules",
    "Rows that the rules put elsewhere",
    "Columns by cluster",
    "How this was made",
  ]);
  expect(page).toContain("put 59 of 60 rows into their own cluster");
  expect(page).toContain('<th scope="row">r7</th>');
  expect(page).not.toMatch(/<script|https?:/);
});

test("rows without a label give a notice, and are not explained", async () => {
  const { code, out, err } = await explain("some.csv");
  expect(code).toBe(0);
  expect(out).toContain("of 3 rows");
  expect(err).toContain("some.csv has no label for 57 rows of 60.");
});

describe("what is wrong", () => {
  test.each([
    ["unknown.csv", 3, /unknown\.csv, line 3: .*r99/],
    ["twice.csv", 3, /twice\.csv, line 3: The id "r0" is labelled twice\./],
    ["nothing.csv", 3, /No row is in a cluster: there is nothing to explain\./],
    ["noheader.csv", 3, /noheader\.csv, line 1: The file has no column "id"\./],
    ["gone.csv", 3, /gone\.csv: There is no such file\./],
  ])("%s: exit %i", async (labels, exit, message) => {
    const { code, err, out } = await explain(labels);
    expect(err).toMatch(message);
    expect([code, out]).toEqual([exit, ""]);
  });

  test("usage", async () => {
    expect((await coterie("explain", file("groups.csv"))).err).toContain("Say which table was clustered: --data DATA.");
    expect((await coterie("explain", "--data", file("people.csv"))).code).toBe(2);
    expect((await explain("groups.csv", "--max-leaves", "0")).code).toBe(2);
    const { code, err } = await explain("groups.csv", "--describe", "agee");
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('describe is "agee"; it must be columns of the data: age, income, town.'),
    ]);
  });
});

describe("labels of a run of Coterie", () => {
  const shop = Array.from({ length: 90 }, (_, i) => ({
    customer: `c${i}`,
    age: i % 11 === 0 ? "" : 20 + ((i * 37) % 50),
    spent: (i % 3) * 500 + ((i * 53) % 47),
    visits: (i % 3) * 20 + ((i * 29) % 7),
    region: i % 7,
    counts: 1 + (i % 4),
    kind: i < 6 ? ["loyal", "new", "loyal"][i % 3] : "",
  }));
  const run = async (...args: string[]) => {
    const names = Object.keys(shop[0]!) as (keyof (typeof shop)[0])[];
    const cells = shop.map((row) => names.map((name) => row[name]).join(","));
    const known = shop.slice(0, 6).map(({ customer, kind }) => `label,${customer},${kind}`);
    const at = folderWith({
      "shop.csv": `${names.join(",")}\n${cells.join("\n")}\n`,
      "known.csv": `type,a,b\n${known.join("\n")}\n`,
    });
    const flags = ["--id", "customer", "--missing", "impute", "--row-weight", "counts", "--weight", "age=0.01"];
    const line = ["cluster", join(at, "shop.csv"), "-k", "3", ...flags, "--ignore", "region,kind", "--scale", "zscore"];
    const own = args.map((arg) => (arg === "KNOWN" ? join(at, "known.csv") : arg));
    const { code, err } = await coterie(...line, ...own, "--out", join(at, "labels.csv"), "--quiet");
    expect([code, err]).toEqual([0, ""]);
    return at;
  };
  const explained = (at: string, ...args: string[]) =>
    coterie("explain", join(at, "labels.csv"), "--data", join(at, "shop.csv"), ...args);

  test("are explained with the columns, weights and filled cells of the run: the rules of the studio's Understand", async () => {
    const at = await run();
    const { code, out, err } = await explained(at, "--json");
    expect(code).toBe(0);
    expect(err).toContain(
      "Note: shop.csv is read as the run that made these labels read it: --id customer --ignore region,kind --weight age=0.01 --row-weight counts --scale zscore --missing impute.",
    );
    const points = await readTable(join(at, "shop.csv"), {
      id: "customer",
      missing: "impute",
      rowWeight: "counts",
      weights: { age: 0.01 },
      ignore: ["region", "kind"],
      scale: "zscore",
    });
    const labels = await readLabels(join(at, "labels.csv"), points);
    const understood = explainLabels(points, labels, shortRules(3));
    const { clusters, tree } = JSON.parse(out);
    expect(clusters.map(({ rule }: { rule: string }) => rule)).toEqual(understood.rules);
    expect(tree.leaves).toBe(understood.tree.leaves);
  });

  test("a flag of the line counts more, and columns to describe may be others than those of the run", async () => {
    const at = await run();
    const { out, err } = await explained(at, "--scale", "none", "--describe", "region", "--json");
    expect(err).toContain("--id customer --weight age=0.01 --row-weight counts --missing impute.\n");
    expect(JSON.stringify(JSON.parse(out).tree)).toContain("region");
  });

  test("names from labelled rows stand beside the numbers", async () => {
    const at = await run("--algorithm", "cop-kmeans", "--constraints", "KNOWN");
    expect(await explained(at)).toMatchObject({ out: expect.stringMatching(/^cluster \d loyal: \d+ rows/m) });
  });
});

test("a cluster without a leaf of its own has a sentence in its place, in words and on the page", async () => {
  const { out } = await explain("groups.csv", "--max-leaves", "2", "--html", file("two.html"));
  expect(out).toMatch(/^ {2}no rule separates this cluster from the others$/m);
  expect(readFileSync(file("two.html"), "utf8")).toContain("no rule separates this cluster from the others");
});

describe("the summary of a run", () => {
  const cluster = (...args: string[]) =>
    coterie("cluster", file("people.csv"), "--id", "id", "-k", "2", "--ignore", "town", "--scale", "none", ...args);

  test("a tree and its rules", async () => {
    const { err } = await cluster("--algorithm", "clusilc");
    expect(err).toMatch(/\n {2}income > \d+(\.\d+)?\?\n {2}├─ yes: cluster \d \(\d+ rows\)\n/);
    expect(err).toMatch(/Rules:\n {2}cluster 0: income /);
  });

  test("the weights of a learned metric, the weightiest column first", async () => {
    const { err } = await cluster("--algorithm", "mpck-means", "--constraints", file("known.csv"), "--metrics", "multiple");
    expect(err).toContain("Learned weights of the columns, by their share of the distances between rows");
    const shares = [...err.matchAll(/^ {2}(?:age|income) +(\d+\.\d)% /gm)].map((match) => Number(match[1]));
    expect(shares).toHaveLength(4);
    expect(shares[0]! + shares[1]!).toBeCloseTo(100, 0);
    expect(shares[0]).toBeGreaterThanOrEqual(shares[1]!);
  });
});
