import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { knownSample, packagedDirectory, sampleCatalogue } from "./catalogue.js";
import { deriveSample, describeDerivation, sampleRows } from "./derive.js";
import { sha256 } from "./find.js";

function shape(csv: string) {
  const [header = "", ...rows] = csv.trimEnd().split("\n");
  const cells = rows.map((row) => row.split(","));
  return {
    last: header.split(",").at(-1),
    features: header.split(",").length - 1,
    instances: rows.length,
    classes: new Set(cells.map((row) => row.at(-1))).size,
    missing: cells.flat().filter((cell) => cell === "").length,
    ragged: cells.filter((row) => row.length !== header.split(",").length).length,
  };
}

describe("the catalogue", () => {
  test.each(sampleCatalogue().filter(({ packaged }) => packaged))("$name is packaged as listed", (facts) => {
    const csv = readFileSync(`${packagedDirectory}${facts.file}`, "utf8");
    expect(sha256(csv)).toBe(facts.sha256);
    const { instances, features, classes, missing } = facts;
    expect(shape(csv)).toEqual({ last: "class", instances, features, classes, missing, ragged: 0 });
  });

  test("every set is packaged, derived, downloadable, or says that no download is known", () => {
    const stray = sampleCatalogue().filter(({ packaged, derived, download }) => !packaged && !derived && !download);
    expect(stray.map(({ name }) => name)).toEqual(["protein"]);
  });

  test("names are unique, files are name.csv, hashes are hashes, parents exist", () => {
    const names = sampleCatalogue().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBe(34);
    for (const facts of sampleCatalogue()) {
      expect(facts.file).toBe(`${facts.name}.csv`);
      expect(facts.sha256).toMatch(/^[0-9a-f]{64}$/);
      if (facts.derived) expect(names).toContain(facts.derived.from);
    }
  });

  test("no file lies in the package that the catalogue does not list, and all are small", () => {
    const listed = sampleCatalogue()
      .filter(({ packaged }) => packaged)
      .map(({ file }) => file);
    expect(readdirSync(packagedDirectory).sort()).toEqual([...listed, "ATTRIBUTION.md", "samples.json"].sort());
    const total = listed.reduce((sum, file) => sum + readFileSync(`${packagedDirectory}${file}`).length, 0);
    expect(total).toBeLessThan(1_500_000);
  });

  test("every packaged set is attributed, with its licence, and none comes from a package under the GPL", () => {
    const attribution = readFileSync(`${packagedDirectory}ATTRIBUTION.md`, "utf8");
    const rows = attribution.split("\n").filter((line) => line.startsWith("| `"));
    const packaged = sampleCatalogue().filter((facts) => facts.packaged);
    expect(rows.map((row) => row.split("`")[1]).sort()).toEqual(packaged.map(({ name }) => name).sort());
    for (const { name, origin } of packaged) {
      const row = rows.find((line) => line.startsWith(`| \`${name}\``))!;
      expect(row.includes("CC BY 4.0"), name).toBe(origin.includes("CC BY 4.0"));
      expect(origin, name).not.toContain("MASS");
    }
  });

  test.each(sampleCatalogue().filter(({ download }) => download))(
    "$name is downloaded with https in the listed layout",
    (facts) => {
      const { files, layout } = facts.download!;
      for (const { url } of files) expect(new URL(url).protocol).toBe("https:");
      expect(layout.columns.length).toBe(facts.features);
      expect(new Set(Object.values(layout.classes)).size).toBe(facts.classes);
      expect(layout.levels?.length ?? facts.features).toBe(facts.features);
    },
  );

  test("an unknown name is answered with near names and the list", () => {
    expect(() => knownSample("irs")).toThrow(
      /There is no sample set "irs"\. Did you mean "iris"\? The sample sets are: iris, iris-fisher,/,
    );
    expect(() => knownSample("qqqqqqqq")).toThrow(/There is no sample set "qqqqqqqq"\. The sample sets are/);
  });
});

describe("derived sets", () => {
  const parent = "a,class\n1,x\n,y\n3,x\n4,z\n";

  test("by class, by completeness, by first rows", () => {
    expect(deriveSample(parent, { classes: ["x", "z"] })).toBe("a,class\n1,x\n3,x\n4,z\n");
    expect(deriveSample(parent, { complete: true })).toBe("a,class\n1,x\n3,x\n4,z\n");
    expect(deriveSample(parent, { first: 2 })).toBe("a,class\n1,x\n,y\n");
  });

  test("a seeded sample keeps the rows with the lowest hashes", () => {
    const ranks = Array.from({ length: 6 }, (_, r) => sha256(`0:${r}`));
    const lowest = [...ranks].sort().slice(0, 3);
    expect(sampleRows(6, 3, 0)).toEqual([0, 1, 2, 3, 4, 5].filter((r) => lowest.includes(ranks[r]!)));
    expect(sampleRows(6, 3, 1)).not.toEqual(sampleRows(6, 3, 0));
    expect(sampleRows(5, 5, 0)).toEqual([0, 1, 2, 3, 4]);
    expect(deriveSample(parent, { sample: 4, seed: 3 })).toBe(parent);
  });

  test.each(sampleCatalogue().filter(({ derived }) => derived?.from === "letter"))("$name follows from letter", (facts) => {
    const csv = deriveSample(readFileSync(`${packagedDirectory}letter.csv`, "utf8"), facts.derived!.keep);
    expect(sha256(csv)).toBe(facts.sha256);
    expect(shape(csv)).toMatchObject({ instances: facts.instances, classes: facts.classes });
  });

  test("rules in words", () => {
    expect(describeDerivation({ from: "letter", keep: { classes: ["I", "J"] } })).toBe("the rows of letter in the classes I, J");
    expect(describeDerivation({ from: "letter", keep: { sample: 9, seed: 0 } })).toBe(
      "a sample of 9 rows of letter, drawn with seed 0",
    );
  });
});
