/** What every sample set holds beside its features: the known classes, in the column `class`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readTable, sampleCatalogue } from "@coterie/data";
import { afterEach, describe, expect, test, vi } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const FEATURES = ["sepal_length", "sepal_width", "petal_length", "petal_width"];
const NOTICE =
  'Column "class" holds the known classes of this sample set, so it is not a feature; --truth class scores the clusters with it.';
const root = fileURLToPath(new URL("../../../", import.meta.url));

afterEach(() => vi.unstubAllEnvs());

async function reportOf(...args: string[]) {
  const { code, out, err } = await coterie(...args, "--json");
  expect(code, err).toBe(0);
  return JSON.parse(out);
}

describe("the known class of a sample set is no feature", () => {
  const line = ["cluster", "iris-fisher", "-k", "3"];

  test("without a word about it: the clusters are those of the other columns, and a notice says so", async () => {
    const plain = await reportOf(...line);
    expect(plain.features).toEqual(FEATURES);
    expect(plain.notices).toContain(NOTICE);
    expect(plain.scores).toBeUndefined();
    const ignored = await reportOf(...line, "--ignore", "class");
    expect(ignored.notices).not.toContain(NOTICE);
    expect(plain.labels).toEqual(ignored.labels);
    const scored = await reportOf(...line, "--truth", "class");
    expect(scored.notices).not.toContain(NOTICE);
    expect(scored.labels).toEqual(plain.labels);
    expect(scored.scores.adjustedRand).toBeCloseTo(0.62, 2);
  });

  test.each(sampleCatalogue().filter(({ packaged }) => packaged))("$name has $features features", async ({ name, features }) => {
    const table = await readTable(name, { missing: "impute" });
    expect([table.d, table.names]).toEqual([features, expect.not.arrayContaining(["class"])]);
    expect(table.truth).toBeUndefined();
  });

  test("unless it is asked for by name", async () => {
    const table = await readTable("iris-fisher", { features: ["petal_width", "class"] });
    expect([table.names, table.notices]).toEqual([["petal_width", "class"], expect.not.arrayContaining([NOTICE])]);
  });

  test("a file is read as it is, also one of the same content", async () => {
    const folder = folderWith({ "mine.csv": readFileSync(`${root}packages/data/samples/iris-fisher.csv`, "utf8") });
    expect((await readTable(join(folder, "mine.csv"))).names).toEqual([...FEATURES, "class"]);
  });

  test("a set of one's own in COTERIE_DATA may have no such column", async () => {
    const folder = folderWith();
    vi.stubEnv("COTERIE_DATA", folder);
    writeFileSync(join(folder, "iris.csv"), "x,y\n1,2\n3,4\n");
    const table = await readTable("iris");
    expect([table.names, table.notices]).toEqual([
      ["x", "y"],
      [expect.stringContaining("differs from the sample set"), expect.stringContaining("scaled to mean 0")],
    ]);
    writeFileSync(join(folder, "iris.csv"), "x,class\n1,2\n3,4\n");
    expect((await readTable("iris")).names).toEqual(["x"]);
  });

  test("in rules, questions, diagnosis and models", async () => {
    const folder = folderWith({ "known.csv": "type,a,b\nmust-link,0,1\ncannot-link,0,60\n" });
    const at = (name: string) => join(folder, name);
    expect((await coterie(...line, "--out", at("labels.csv"), "--model", at("model.json"))).code).toBe(0);
    const { out } = await coterie("explain", at("labels.csv"), "--data", "iris-fisher", "--json");
    expect(out).not.toMatch(/class (=|is|in)/);
    expect(JSON.parse(readFileSync(at("model.json"), "utf8")).columns.map(({ name }: { name: string }) => name)).toEqual(
      FEATURES,
    );
    const placed = await coterie("predict", at("model.json"), "iris-fisher", "--out", at("placed.csv"));
    expect([placed.code, readFileSync(at("placed.csv"), "utf8")]).toEqual([0, readFileSync(at("labels.csv"), "utf8")]);
    const known = ["--constraints", at("known.csv"), "-k", "3", "--json"];
    const [plain, ignored] = await Promise.all([
      coterie("diagnose", "iris-fisher", ...known),
      coterie("diagnose", "iris-fisher", "--ignore", "class", ...known),
    ]);
    expect(JSON.parse(plain.out).informativeness).toEqual(JSON.parse(ignored.out).informativeness);
  });

  test("README, guide and help need no word about it", async () => {
    const texts = [readFileSync(`${root}README.md`, "utf8"), readFileSync(`${root}docs/recipes/tables.md`, "utf8")];
    for (const command of ["cluster", "ask", "explain", "diagnose", "predict"])
      texts.push((await coterie(command, "--help")).out);
    for (const text of texts) expect(text).not.toContain("--ignore class");
  });
});
