/** The library from plain JavaScript: rows as arrays, and slips that a compiler would catch, each refused with a sentence. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as coterie from "../index.js";
import { folderWith } from "../testing/console.js";
import { askFromLabels, startAsking } from "./ask.js";
import { readConstraints, readLabels, readTable } from "./data.js";
import { diagnoseAsync } from "./diagnose.js";
import { htmlReport, scatterFigure } from "./figures.js";
import { adjustedRandIndex } from "./measures.js";

const rows = [
  [1, 2],
  [1.5, 2],
  [9, 9],
  [9, 8.5],
];
const loose = coterie as unknown as Record<string, (...given: unknown[]) => { readonly labels: Int32Array }>;

test("arrays of rows are points for every function that takes rows", async () => {
  const points = coterie.pointsFromRows(rows);
  const options = { algorithm: "kmeans", k: 2 } as const;
  const known = coterie.constraints(rows, { mustLink: [[0, 1]] });
  expect(known.mustLinks.a).toEqual(Int32Array.of(0));
  const made = coterie.cluster(points, known, options);
  expect(coterie.cluster(rows, known, options)).toEqual(made);
  expect(await coterie.clusterAsync(rows, known, options)).toEqual(made);
  expect(coterie.kmeans(rows, known, { k: 2 })).toEqual(made);
  expect(coterie.explainLabels(rows, made.labels).fidelity).toBe(1);
});

test("questions, models, diagnoses and figures take arrays of rows too", async () => {
  const points = coterie.pointsFromRows(rows);
  const known = coterie.constraints(rows, { mustLink: [[0, 1]], cannotLink: [[1, 2]] });
  const made = coterie.kmeans(rows, known, { k: 2 });
  const facts = { algorithm: "kmeans", options: { k: 2 } };
  const model = coterie.modelOf(rows, made, facts);
  expect(model).toEqual(coterie.modelOf(points, made, facts));
  expect(coterie.predict(model, rows)).toEqual(coterie.predict(model, points));
  expect(startAsking({ points: rows, k: 2 }).next()).toEqual(startAsking({ points, k: 2 }).next());
  const truth = Int32Array.of(0, 0, 1, 1);
  expect(askFromLabels({ points: rows, k: 2, budget: 3, truth })).toEqual(askFromLabels({ points, k: 2, budget: 3, truth }));
  expect(coterie.diagnose(known, { points: rows, k: 2 })).toEqual(coterie.diagnose(known, { points, k: 2 }));
  expect(await diagnoseAsync(known, { points: rows, k: 2 })).toEqual(await diagnoseAsync(known, { points, k: 2 }));
  const { labels } = made;
  expect(scatterFigure({ points: rows, labels })).toBe(scatterFigure({ points, labels }));
  const report = { ...made, algorithm: "kmeans" };
  expect(htmlReport({ report, instances: rows })).toBe(htmlReport({ report, instances: points }));
  const folder = folderWith({ "l.csv": "id,cluster\n0,0\n3,1\n", "c.csv": "type,a,b\nmust-link,0,1\n" });
  expect([...(await readLabels(join(folder, "l.csv"), rows))]).toEqual([0, -1, -1, 1]);
  expect((await readConstraints(join(folder, "c.csv"), rows)).mustLinks.a).toEqual(Int32Array.of(0));
});

test.each([
  [
    "cluster without constraints",
    () => loose.cluster!(rows, { k: 2 }),
    /^There are no options\. Call cluster\(rows, constraints, \{ k: 3 \}\)/,
  ],
  [
    "lists in place of a set",
    () => loose.cluster!(rows, { mustLink: [[0, 1]] }, { algorithm: "kmeans", k: 2 }),
    /^These are no constraints\. Make them with constraints\(rows/,
  ],
  ["a method without options", () => loose.kmeans!(rows), /^kmeans got no options\./],
  ["constraints of null", () => loose.constraints!(rows, null), /^These are no lists of constraints\./],
  [
    "a third row in a must-link",
    () => loose.constraints!(rows, { mustLink: [[0, 1, 2, 3]] }),
    /^mustLink\[0\] has 4 entries, and at most 3 have a meaning\. Give two rows, and a weight/,
  ],
  ["points of nothing", () => loose.pointsFromRows!({}), /^These are no rows\./],
  ["a model of nothing", () => loose.predict!({}, rows), /^This is no model\./],
  ["a diagnosis of nothing", () => loose.diagnose!(), /^These are no constraints\./],
  ["questions about nothing", () => (startAsking as () => unknown)(), /^These are no rows\./],
  ["too few labels", () => adjustedRandIndex(Int32Array.of(0, 1), Int32Array.of(0)), /^2 labels cannot be compared with 1\./],
  ["no labels", () => (adjustedRandIndex as () => unknown)(), /^Labels are missing\./],
])("%s is refused in a sentence", (_, take, sentence) => {
  expect(take).toThrow(expect.objectContaining({ name: "CoterieError", message: expect.stringMatching(sentence) }));
});

describe("each function that takes rows refuses", () => {
  const made = coterie.kmeans(rows, undefined, { k: 2 });
  const facts = { algorithm: "kmeans", options: { k: 2 } };
  const model = coterie.modelOf(rows, made, facts);
  const taking: Record<string, (given: never) => unknown> = {
    startAsking: (points) => startAsking({ points, k: 1 }),
    askFromLabels: (points) => askFromLabels({ points, k: 1, budget: 1, truth: Int32Array.of(0) }),
    predict: (points) => coterie.predict(model, points),
    modelOf: (points) => coterie.modelOf(points, made, facts),
    diagnose: (points) => coterie.diagnose(coterie.constraints(rows, {}), { points }),
    explainLabels: (points) => coterie.explainLabels(points, made.labels),
    scatterFigure: (points) => scatterFigure({ points, labels: made.labels }),
    htmlReport: (instances) => htmlReport({ report: { ...made, algorithm: "kmeans" }, instances }),
  };
  test.each(Object.entries(taking))("%s", (_, take) => {
    const refusals: [unknown, RegExp][] = [
      [[[1, 2], [3]], /^Row 1 has 1 values, and row 0 has 2\. Give every row the same number of values\./],
      [[], /^There are no rows\./],
      [[[]], /^Row 0 holds no numbers\./],
      [
        [
          [1, 2],
          [Number.NaN, 3],
        ],
        /^Column 0 holds NaN in row 1\. Every value must be a finite number\./,
      ],
      [[[1, "2"]], /^Row 0 has "2" in column 1\./],
      [null, /^These are no rows\./],
    ];
    for (const [given, sentence] of refusals) {
      const call = () => take(given as never);
      expect(call).toThrow(coterie.CoterieError);
      expect(call).toThrow(sentence);
    }
  });
});

test("a model refuses new points that hold no number", () => {
  const model = coterie.modelOf(rows, coterie.kmeans(rows, undefined, { k: 2 }), { algorithm: "kmeans", options: { k: 2 } });
  const points = coterie.pointsFromRows([[1, Number.NaN]]);
  expect(() => coterie.predict(model, points)).toThrow("Column 1 holds NaN in row 0. Every value must be a finite number.");
});

test.each<[string, unknown[], RegExp]>([
  ["cluster", [[[1, 2], [3]], undefined, { algorithm: "kmeans", k: 1 }], /^Row 1 has 1 values, and row 0 has 2\. Give every row/],
  ["cluster", [[], undefined, { algorithm: "kmeans", k: 1 }], /^There are no rows\./],
  ["cluster", [[[]], undefined, { algorithm: "kmeans", k: 1 }], /^Row 0 holds no numbers\./],
  [
    "cluster",
    [[[1], [Number.NaN]], undefined, { algorithm: "kmeans", k: 1 }],
    /^Column 0 holds NaN in row 1\. Every value must be/,
  ],
  ["cluster", [[[1], ["2"]], undefined, { algorithm: "kmeans", k: 1 }], /^Row 1 has "2" in column 0\./],
  ["cluster", [[[1], 2], undefined, { algorithm: "kmeans", k: 1 }], /^Row 1 is no array of numbers\./],
  ["cluster", [undefined, undefined, { algorithm: "kmeans", k: 1 }], /^These are no rows\./],
  ["pointsFromRows", [[[1, 2]], ["x"]], /^There are 1 names for 2 columns\./],
  ["constraints", [rows, { mustLinks: [[0, 1]] }], /^constraints knows no "mustLinks"\. Did you mean mustLink\?/],
  ["constraints", [rows, { mustLink: [0, 1] }], /^mustLink\[0\] is no list\./],
  ["constraints", [rows, { cannotLink: "0,1" }], /^cannotLink is no list\./],
  ["cluster", [rows, undefined, { algorithm: "k-means", k: 2 }], /did you mean kmeans\?$/],
])("%s refuses %j", (name, given, sentence) => {
  let thrown: unknown;
  try {
    loose[name]!(...given);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(coterie.CoterieError);
  expect((thrown as Error).message).toMatch(sentence);
});

test("what was recognised when the table was read is in the notices of the result", async () => {
  const folder = folderWith({ "t.csv": `ID,price\n1,$5\n2,$6\n3,"$1,000"\n` });
  const table = await readTable(join(folder, "t.csv"));
  const said = [expect.stringContaining('"price" is read as numbers'), expect.stringContaining('"ID" has the ids of the rows')];
  const options = { algorithm: "kmeans", k: 2 } as const;
  expect(coterie.cluster(table, undefined, options).notices).toEqual(expect.arrayContaining(said));
  expect((await coterie.clusterAsync(table, undefined, options)).notices).toEqual(expect.arrayContaining(said));
  expect(coterie.ward(table, undefined, { k: 2 }).notices).toEqual(expect.arrayContaining(said));
});
