import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sampleCatalogue } from "./catalogue.js";
import { sha256 } from "./find.js";
import { type Layout, normaliseSample } from "./normalise.js";
import { placesOf } from "./places.js";
import { rawText } from "./testing/raw.js";

const downloads = sampleCatalogue().filter((facts) => facts.download);

const comma: Layout = { columns: ["a", "b"], separator: "comma", classAt: "last", classes: { X: "x", Y: "y" } };

describe("normalising", () => {
  test("headings, blank lines, CRLF, spaces, question marks and number forms", () => {
    const text = "some words\r\na,b,kind\r\n\r\n1.50, ?,X\r\n 2.0,-0.0,Y\r\n\r\n";
    expect(normaliseSample([{ name: "f", text }], comma)).toBe("a,b,class\n1.5,,x\n2,0,y\n");
  });

  test("tiny and huge numbers are written out", () => {
    const text = "-1.5894573E-8,1.5e22,X\n3e-7,-2E21,Y\n";
    expect(normaliseSample([{ name: "f", text }], comma)).toBe(
      "a,b,class\n-0.000000015894573,15000000000000000000000,x\n0.0000003,-2000000000000000000000,y\n",
    );
  });

  test("class first, codes of levels, leading names", () => {
    const layout: Layout = {
      ...comma,
      classAt: "first",
      levels: [
        ["no", "yes"],
        ["low", "high"],
      ],
    };
    expect(normaliseSample([{ name: "f", text: "n1,X,1,0\nn2,Y,?,1\n", lead: 1 }], layout)).toBe(
      "a,b,class\nyes,low,x\n,high,y\n",
    );
  });

  test("a class that leading fields make up, in quotes", () => {
    const layout: Layout = { ...comma, classAt: [2, 1], classes: { "X 1": "x1", "Y 2": "y2" } };
    const text = '"id","b","a","one","two"\n"7","1","X",5,6\n"8","2","Y",7,8\n';
    expect(normaliseSample([{ name: "f", text, lead: 3 }], layout)).toBe("a,b,class\n5,6,x1\n7,8,y2\n");
  });

  test("fields parted by blanks and tabs", () => {
    const layout: Layout = { ...comma, separator: "blank" };
    expect(normaliseSample([{ name: "f", text: "  1\t\t2   X\n" }], layout)).toBe("a,b,class\n1,2,x\n");
  });

  test("several files follow one another, each with its own leading fields", () => {
    const files = [
      { name: "f", text: "7,1,2,X\n", lead: 1 },
      { name: "g", text: "3,4,Y\n" },
    ];
    expect(normaliseSample(files, comma)).toBe("a,b,class\n1,2,x\n3,4,y\n");
  });

  test("a broken row after the first is named by file and line", () => {
    expect(() => normaliseSample([{ name: "f", text: "1,2,X\n1,X\n" }], comma)).toThrow(
      "f, line 2: Expected 3 fields and a known class, but found 2 fields.",
    );
    expect(() => normaliseSample([{ name: "f", text: "1,2,X\n1,2,Z\n" }], comma)).toThrow(
      'line 2: Expected 3 fields and a known class, but found the class "Z".',
    );
    expect(() => normaliseSample([{ name: "f", text: "<html>gone</html>" }], comma)).toThrow(
      "f: No row has the expected layout.",
    );
    const layout: Layout = { ...comma, levels: [["no"], ["no"]] };
    expect(() => normaliseSample([{ name: "f", text: "0,0,X\n0,1,X" }], layout)).toThrow(
      'f, line 2: The code "1" is not one of 0 … 0.',
    );
  });

  test("a class name from the prototype of objects is not a class", () => {
    expect(() => normaliseSample([{ name: "f", text: "1,2,constructor\n" }], comma)).toThrow("No row");
  });

  test.each(downloads)("$name: made-up rows survive the way to the raw layout and back", ({ download }) => {
    const { layout, files } = download!;
    const cell = (j: number) =>
      layout.levels
        ? fc.constantFrom("", ...layout.levels[j]!)
        : fc.oneof(
            fc.constant(""),
            fc.integer({ min: -999, max: 999 }).map((v) => String(v / 10)),
          );
    const row = fc
      .tuple(fc.tuple(...layout.columns.map((_, j) => cell(j))), fc.constantFrom(...Object.values(layout.classes)))
      .map(([cells, name]) => [...cells, name].join(","));
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
        const header = [...layout.columns, "class"].join(",");
        const lead = files[0]!.lead ?? 0;
        const csv = `${[header, ...rows].join("\n")}\n`;
        expect(normaliseSample([{ name: "raw", text: rawText(csv, layout, lead), lead }], layout)).toBe(csv);
      }),
      { numRuns: 20 },
    );
  });
});

const { dataDir } = placesOf();

describe("with the data sets at hand (COTERIE_DATA)", () => {
  test.for(downloads)("$name: the raw layout gives the listed content", ({ name, sha256: listed, download }, context) => {
    const path = join(dataDir ?? "", `${name}.csv`);
    context.skip(!existsSync(path), `${name}.csv is not in COTERIE_DATA`);
    const csv = readFileSync(path, "utf8");
    const { layout, files } = download!;
    const lead = files[0]!.lead ?? 2;
    expect(sha256(normaliseSample([{ name, text: rawText(csv, layout, lead), lead }], layout))).toBe(listed);
  });
});
