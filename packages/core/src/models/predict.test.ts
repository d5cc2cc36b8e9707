import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linkages } from "../algorithms/hierarchical/linkage.js";
import { copKmeans } from "../algorithms/partition/cop/index.js";
import { kmeans } from "../algorithms/partition/kmeans.js";
import { mkMeans, mpckMeans, pckMeans, rcaKmeans, supervisedMeans } from "../algorithms/partition/mpck/methods.js";

import { svmKmeans } from "../algorithms/partition/svm-kmeans.js";
import { clusilc } from "../algorithms/tree/clusilc.js";
import { constraints, emptyConstraints } from "../constraints/index.js";
import type { Instances } from "../model/points.js";
import type { Result } from "../model/result.js";
import { randomFrom } from "../random/index.js";
import type { Model } from "./model.js";
import { loadModel, modelOf, saveModel } from "./model-file.js";
import { predict } from "./predict.js";

/** Rows with three numeric columns and a nominal column, scaled, from a seed; `whole` makes integers with many ties. */
function table(seed: number, n: number, whole = false): Instances {
  const random = randomFrom(seed);
  const x = new Float64Array(n * 4);
  for (let i = 0; i < n; i++) {
    const group = random.int(3);
    for (let j = 0; j < 3; j++) x[i * 4 + j] = whole ? random.int(4) : 3 * group * (j + 1) + random.unit() * 4 - 2;
    x[i * 4 + 3] = random.int(2) === 0 ? group : random.int(3);
  }
  return {
    n,
    d: 4,
    x,
    names: ["a", "b", "c", "kind"],
    nominal: Uint8Array.of(0, 0, 0, 1),
    levels: [null, null, null, ["oak", "ash", "elm"]],
    scaling: { offset: [10, 0, -3, 0], factor: [2, 0.5, 7, 1] },
  };
}

/** The same rows in another order, with columns in another order, unscaled, and different level codes. */
function shuffled(points: Instances, seed: number): { readonly points: Instances; readonly order: Int32Array } {
  const order = Int32Array.from({ length: points.n }, (_, i) => i);
  randomFrom(seed).shuffle(order);
  const columns = [3, 1, 0, 2];
  const recode = [2, 0, 1];
  const x = new Float64Array(points.n * 4);
  order.forEach((row, i) => {
    columns.forEach((j, c) => {
      const value = points.x[row * 4 + j]!;
      x[i * 4 + c] = j === 3 ? recode[value]! : value * points.scaling!.factor[j]! + points.scaling!.offset[j]!;
    });
  });
  const levels = [["ash", "elm", "oak"], null, null, null];
  return {
    points: { n: points.n, d: 4, x, names: ["kind", "b", "a", "c"], nominal: Uint8Array.of(1, 0, 0, 0), levels },
    order,
  };
}

const free = (points: Instances) => emptyConstraints(points.n);
const METHODS: readonly [string, (points: Instances) => Result, Record<string, unknown>?][] = [
  ["kmeans", (points) => kmeans(points, undefined, { k: 3, restarts: 2 })],
  ["cop-kmeans", (points) => copKmeans(points, free(points), { k: 3, restarts: 2 })],
  ["pck-means", (points) => pckMeans(points, free(points), { k: 3, restarts: 2 })],
  ["pck-means", (points) => pckMeans(points, free(points), { k: 3, restarts: 2, distance: "cosine" }), { distance: "cosine" }],
  ["supervised-means", (points) => supervisedMeans(points, free(points), { k: 3 })],
  ["clusilc", (points) => clusilc(points, free(points), { k: 3 })],
];
const WITH_METRIC: typeof METHODS = [
  ["mk-means", (points) => mkMeans(points, free(points), { k: 3, restarts: 1 })],
  ["mpck-means", (points) => mpckMeans(points, free(points), { k: 3, restarts: 1 })],
  ["mpck-means", (points) => mpckMeans(points, free(points), { k: 3, restarts: 1, matrix: "full" })],
  ["mpck-means", (points) => mpckMeans(points, free(points), { k: 3, restarts: 1, metrics: "multiple" })],
  ["mpck-means", (points) => mpckMeans(points, free(points), { k: 3, restarts: 1, metrics: "multiple", matrix: "full" })],
  ["mpck-means", (points) => mpckMeans(points, free(points), { k: 3, restarts: 1, distance: "cosine" }), { distance: "cosine" }],
  ["rca-kmeans", (points) => rcaKmeans(points, free(points), { k: 3, restarts: 1, distance: "cosine" }), { distance: "cosine" }],
  ["rca-kmeans", (points) => rcaKmeans(points, free(points), { k: 3, restarts: 1 })],
  ["svm-kmeans", (points) => svmKmeans(points, constraints(points, { relative: [[0, 1, 2]] }), { k: 3, restarts: 1 })],
];

describe("training rows get their training labels", () => {
  test.each([...METHODS, ...WITH_METRIC])("%s, rows of real numbers", (algorithm, run, options = {}) => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 20, max: 80 }), (seed, n) => {
        const points = table(seed, n);
        const result = run(points);
        fc.pre(result.stopped === "converged");
        const model = modelOf(points, result, { algorithm, options });
        expect(predict(model, points).labels).toEqual(result.labels);
        expect(model.reproduces).toBe(n);
      }),
      { numRuns: 15 },
    );
  });

  test.each(METHODS)("%s, whole numbers with ties", (algorithm, run, options = {}) => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 10, max: 60 }), (seed, n) => {
        const points = table(seed, n, true);
        const result = run(points);
        fc.pre(result.stopped === "converged");
        expect(predict(modelOf(points, result, { algorithm, options }), points).labels).toEqual(result.labels);
      }),
      { numRuns: 15 },
    );
  });
});

test("saved and loaded, a model predicts the same to the bit", () => {
  for (const [algorithm, run, options = {}] of [...METHODS, ...WITH_METRIC]) {
    const points = table(5, 60);
    const model = modelOf(points, run(points), { algorithm, options, version: "1.2.3", file: "t.csv", sha256: "ab" });
    const loaded = loadModel(saveModel(model));
    expect(loaded).toEqual(JSON.parse(JSON.stringify(model)));
    const fresh = table(6, 50);
    expect(predict(loaded, fresh)).toEqual(predict(model, fresh));
    if (model.rule.kind === "centres") {
      const { distances } = predict(loaded, fresh, { distances: true });
      expect(distances).toEqual(predict(model, fresh, { distances: true }).distances);
    }
  }
});

test("the order of rows and columns, the codes of levels and the scaling of the new rows do not matter", () => {
  for (const [algorithm, run, options = {}] of [...METHODS, ...WITH_METRIC]) {
    const points = table(8, 60);
    const model = modelOf(points, run(points), { algorithm, options });
    const fresh = table(9, 70);
    const expected = predict(model, fresh).labels;
    const other = shuffled(fresh, 3);
    expect(predict(model, other.points).labels).toEqual(other.order.map((row) => expected[row]!));
  }
});

test("distances are distances to the centres under the metric; the nearest centre is the label", () => {
  const points = table(2, 40);
  const plain = modelOf(points, kmeans(points, undefined, { k: 3 }), { algorithm: "kmeans", options: {} });
  const rule = plain.rule as Extract<Model["rule"], { kind: "centres" }>;
  const { distances, labels } = predict(plain, points, { distances: true });
  for (let i = 0; i < 40; i++) {
    const own = [...distances!.subarray(i * 3, i * 3 + 3)];
    expect(own.indexOf(Math.min(...own))).toBe(labels[i]);
    const level = points.x[i * 4 + 3]!;
    const row = [...points.x.subarray(i * 4, i * 4 + 3), ...[0, 1, 2].map((code) => (code === level ? Math.SQRT1_2 : 0))];
    rule.centres.forEach((centre, c) => {
      const squares = centre.reduce((sum, value, j) => sum + (value - row[j]!) ** 2, 0);
      expect(own[c]).toBeCloseTo(Math.sqrt(squares), 10);
    });
  }
});

test("a metric for each cluster counts with its determinant", () => {
  const model: Model = {
    ...modelOf(table(1, 10), kmeans(table(1, 10), undefined, { k: 2 }), { algorithm: "kmeans", options: {} }),
    columns: [{ name: "a", kind: "numeric" }],
    scaling: null,
    rule: {
      kind: "centres",
      unitRows: false,
      centres: [[0], [0]],
      preference: [0, 1],
      // Weights 4 and 1: cluster 0 costs 4x² - log 4, cluster 1 x².
      metric: { kind: "diagonal", roots: [[2], [1]], logDets: [Math.log(4), 0] },
    },
  };
  const edge = Math.sqrt(Math.log(4) / 3);
  const points = { n: 3, d: 1, x: Float64Array.of(0, edge - 1e-6, edge + 1e-6), names: ["a"] };
  expect([...predict(model, points).labels]).toEqual([0, 0, 1]);
});

describe("constraints held rows elsewhere", () => {
  const points = { n: 4, d: 1, x: Float64Array.of(0, 1, 10, 11), names: ["x"] };
  test("the model counts them, and predicts only by the nearest centre", () => {
    const known = constraints(points, { cannotLink: [[0, 1]] });
    const result = copKmeans(points, known, { k: 2 });
    const model = modelOf(points, result, { algorithm: "cop-kmeans", options: {} });
    const { labels } = predict(model, points);
    expect(labels[0]).toBe(labels[1]);
    expect(result.labels[0]).not.toBe(result.labels[1]);
    expect(model.reproduces).toBe(3);
  });
});

describe("columns", () => {
  const points = table(3, 30);
  const byCentres = modelOf(points, kmeans(points, undefined, { k: 3 }), { algorithm: "kmeans", options: {} });
  const byTree = modelOf(points, clusilc(points, free(points), { k: 3 }), { algorithm: "clusilc", options: {} });

  test("one that is not there, or holds something else, is bad input", () => {
    const without = { ...points, names: ["a", "b", "cc", "kind"] };
    expect(() => predict(byCentres, without, { file: "new.csv" })).toThrow(
      'new.csv: The model needs the column "c", which is missing. Did you mean it by "cc"? The model\'s columns are a, b, c, kind.',
    );
    const text = { ...points, nominal: Uint8Array.of(1, 0, 0, 1) };
    expect(() => predict(byCentres, text)).toThrow('The column "a" holds text; the model was made with numbers there.');
    const { names: _, ...unnamed } = points;
    expect(predict(byCentres, unnamed).labels).toEqual(predict(byCentres, points).labels);
    expect(() => predict(byCentres, { ...unnamed, d: 3 })).toThrow("The rows have 3 columns, the model has 4.");
  });

  test("a level that the model has not seen is equally far from all, fails every test, and is reported", () => {
    const levels = [null, null, null, ["oak", "ash", "elm", "yew"]];
    const x = points.x.slice();
    x[3] = 3;
    x[7] = 3;
    const fresh = { ...points, x, levels };
    const { unseen, notices } = predict(byCentres, fresh);
    expect(unseen).toEqual([{ column: "kind", levels: ["yew"], rows: 2 }]);
    expect(notices).toEqual([
      'The model has not seen "yew" in the column "kind" (2 rows): it is equally far from every level that it has.',
    ]);
    const byKind = clusilc(points, free(points), { k: 3, describe: ["kind"] });
    const ofTree = predict(modelOf(points, byKind, { algorithm: "clusilc", options: {} }), fresh).notices;
    expect(ofTree[0]).toContain("it fails every test of that column");
  });

  test("a tree needs only the columns that it tests", () => {
    const described = clusilc(points, free(points), { k: 3, describe: ["b"] });
    const model = modelOf(points, described, { algorithm: "clusilc", options: {} });
    const x = Float64Array.from({ length: 30 }, (_, i) => points.x[i * 4 + 1]! * 0.5);
    expect(predict(model, { n: 30, d: 1, x, names: ["b"] }).labels).toEqual(described.labels);
    expect(() => predict(model, { n: 30, d: 1, x, names: ["a"] })).toThrow('The model needs the column "b"');
  });

  test("a tree has no distances", () => {
    expect(() => predict(byTree, points, { distances: true })).toThrow("a tree has no centres");
  });
});

test("a hierarchy has no model", () => {
  const points = table(3, 12);
  expect(() =>
    modelOf(points, linkages.average(points, undefined, { k: 2 }), { algorithm: "average-link", options: {} }),
  ).toThrow("a hierarchy has no rule for new rows");
});
