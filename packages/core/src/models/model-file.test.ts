import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kmeans } from "../algorithms/partition/kmeans.js";
import { mpckMeans } from "../algorithms/partition/mpck/methods.js";
import { clusilc } from "../algorithms/tree/clusilc.js";
import { emptyConstraints } from "../constraints/index.js";
import { CoterieError } from "../errors.js";
import { pointsFromRows } from "../rows.js";
import { tuples } from "../testing/tuples.js";
import { loadModel, modelOf, saveModel } from "./model-file.js";
import { predict } from "./predict.js";

const points = pointsFromRows(tuples("0 1, 1 0, 9 8, 8 9, 9 9"), ["x", "y"]);
const none = emptyConstraints(5);
const centres = modelOf(points, kmeans(points, undefined, { k: 2 }), { algorithm: "kmeans", options: {} });
const metrics = modelOf(points, mpckMeans(points, none, { k: 2 }), { algorithm: "mpck-means", options: {} });
const tree = modelOf(points, clusilc(points, none, { k: 2 }), { algorithm: "clusilc", options: {} });

/** The model with one value replaced. */
function spoilt(model: object, path: readonly (string | number)[], value: unknown): string {
  const copy = JSON.parse(JSON.stringify(model));
  const last = path.at(-1)!;
  const parent = path.slice(0, -1).reduce((at, key) => at[key], copy);
  parent[last] = value;
  return JSON.stringify(copy);
}

test("what was saved is what is loaded", () => {
  for (const model of [centres, metrics, tree, levels, several, full, scaled])
    expect(loadModel(saveModel(model))).toEqual(JSON.parse(saveModel(model)));
});

describe("what is no model is refused, with the file and a remedy", () => {
  test.each([
    ["", "m.json: This is no model: it is not JSON. Give a file that `coterie cluster … --model FILE` has written"],
    ["{", "not JSON"],
    ["[]", "This is JSON, but not a model of Coterie."],
    ["null", "This is JSON, but not a model of Coterie."],
    ['{"format":"coterie-model"}', "This is JSON, but not a model of Coterie."],
    [spoilt(centres, ["formatVersion"], 2), "format 2 of a newer Coterie; this one reads 1. Update Coterie"],
    [saveModel(centres).slice(0, -20), "not JSON"],
  ])("%#", (text, message) => {
    expect(() => loadModel(text, "m.json")).toThrow(message);
  });
});

const nominalPoints = {
  n: 4,
  d: 2,
  x: Float64Array.of(0, 1, 1, 2, 0, 8, 1, 9),
  names: ["c", "x"],
  nominal: Uint8Array.of(1, 0),
  levels: [["a", "b"], null],
};
const levels = modelOf(nominalPoints, kmeans(nominalPoints, undefined, { k: 2 }), {
  algorithm: "kmeans",
  options: {},
  missing: "impute",
  fills: ["a", 5],
});
const several = modelOf(points, mpckMeans(points, none, { k: 2, metrics: "multiple" }), { algorithm: "mpck-means", options: {} });
const full = modelOf(points, mpckMeans(points, none, { k: 2, metrics: "multiple", matrix: "full" }), {
  algorithm: "mpck-means",
  options: {},
});
const scaled = { ...centres, scaling: { offset: [0, 0], factor: [1, 1] } };
const tooLarge = 1e200;

describe("a damaged model is rejected, and the error names the field", () => {
  test.each([
    [centres, ["k"], 3, "it has k = 3 clusters and 2 sizes"],
    [centres, ["k"], "2", "k is not what it should be"],
    [centres, ["k"], 1e9, "it has k = 1000000000 clusters and 2 sizes"],
    [centres, ["sizes", 0], 400, "sizes add up to 40"],
    [centres, ["sizes", 0], -1, "sizes.0"],
    [centres, ["sizes", 0], 1.5, "sizes.0"],
    [centres, ["data", "rows"], 0, "data.rows is not what it should be"],
    [centres, ["data", "rows"], 1e300, "data.rows is not what it should be"],
    [centres, ["reproduces"], 6, "reproduces is 6, data.rows is 5"],
    [centres, ["seed"], 0.5, "seed"],
    [centres, ["columns", 0, "kind"], "date", "columns.0.kind"],
    [centres, ["columns", 0, "name"], "y", "two columns have the same name"],
    [centres, ["columns", 0, "name"], "", "columns.0.name"],
    [levels, ["columns", 0, "levels"], [], "columns.0.levels"],
    [levels, ["columns", 0, "levels"], ["a", "a"], "columns.0.levels has a level twice"],
    [levels, ["columns", 0, "fill"], "z", "columns.0.fill is not one of its levels"],
    [levels, ["columns", 0, "levels"], ["a", "b", "c"], "rule.centres.0 has 3 numbers, and the columns make 4"],
    [centres, ["scaling"], { offset: [0], factor: [1, 1] }, "scaling.offset has 1 entries for 2 columns"],
    [centres, ["scaling"], { offset: [0, 0], factor: [1] }, "scaling.factor has 1 entries for 2 columns"],
    [scaled, ["scaling", "factor", 1], 0, "scaling.factor.1 is 0, and a spread is above 0"],
    [scaled, ["scaling", "factor", 1], -2, "scaling.factor.1 is -2, and a spread is above 0"],
    [scaled, ["scaling", "offset", 0], null, "scaling.offset.0"],
    [levels, ["scaling"], { offset: [1, 0], factor: [1, 1] }, "scaling.factor.0 scales a column of text"],
    [centres, ["rule", "centres"], [[1, 2]], "rule.centres has 1 rows for k = 2"],
    [centres, ["rule", "centres", 1], [1], "rule.centres.1 has 1 numbers, and the columns make 2"],
    [centres, ["rule", "centres", 1, 0], null, "rule.centres.1.0"],
    [centres, ["rule", "centres", 1, 0], tooLarge, "rule.centres.1.0 is 1e+200, too large"],
    [centres, ["rule", "preference"], [0, 0], "rule.preference does not name each cluster once"],
    [centres, ["rule", "preference"], [0, 2], "rule.preference does not name each cluster once"],
    [centres, ["extra"], 1, "is not what it should be"],
    [metrics, ["rule", "metric", "roots"], [[1]], "rule.metric.roots.0 has 1 numbers, and the columns make 2"],
    [metrics, ["rule", "metric", "roots"], [], "rule.metric.roots has 0 metrics for k = 2"],
    [metrics, ["rule", "metric", "logDets"], [], "rule.metric.logDets has 0 numbers for 1 metrics"],
    [metrics, ["rule", "metric", "roots", 0, 1], -3, "rule.metric.roots.0.1 is -3, and the root of a weight is not below 0"],
    [metrics, ["rule", "metric", "roots", 0, 1], tooLarge, "rule.metric.roots.0.1 is 1e+200, too large"],
    [metrics, ["rule", "metric", "kind"], "full", "rule.metric.roots.0 has 2 numbers, and the columns make 4"],
    [several, ["rule", "metric", "logDets", 1], 99, "rule.metric.logDets.1 is 99, but the determinant of its metric"],
    [several, ["rule", "metric", "roots", 1, 0], 0, "the determinant of its metric has the logarithm -Infinity"],
    [full, ["rule", "metric", "logDets", 0], -7.5, "rule.metric.logDets.0 is -7.5, but the determinant of its metric"],
    [tree, ["rule", "tree", "leaves"], 9, "rule.tree.leaves is 9, and there are 2"],
    [tree, ["rule", "tree", "root", "size"], 9, "splits 9 rows into"],
    [tree, ["sizes"], [4, 1], "sizes.0 is 4, and the leaves of that cluster have 2 rows"],
    [tree, ["data", "rows"], 6, "rule.tree.root.size is 5, data.rows is 6"],
    [tree, ["rule", "tree", "root", "test", "above"], null, "rule.tree.root"],
    [tree, ["rule", "tree", "root", "test", "column"], "z", 'rule.tree asks for a column "z" that the model does not have'],
    [
      tree,
      ["rule", "tree", "root", "test"],
      { column: "x", among: ["a"] },
      'a test of "x" in rule.tree does not fit that column',
    ],
    [tree, ["rule", "tree", "root", "test"], { column: "x", among: [] }, "rule.tree.root"],
    [tree, ["rule", "tree", "root", "yes", "cluster"], 7, "a leaf of rule.tree is in cluster 7 of 2"],
  ])("%#", (model, path, value, message) => {
    expect(() => loadModel(spoilt(model, path, value), "m.json")).toThrow(message);
    expect(() => loadModel(spoilt(model, path, value), "m.json")).toThrow("m.json: The model is damaged");
  });

  test("a tree without end does not end us", () => {
    const deep = `${'{"test":{"column":"x","above":1},"size":1,"no":{"cluster":0,"size":1},"yes":'.repeat(20_000)}{"cluster":0,"size":1}${"}".repeat(20_000)}`;
    const text = saveModel(tree).replace(/"root":.*?\}\}/, `"root":${deep}`);
    expect(() => loadModel(text, "m.json")).toThrow(/m\.json: /);
  });
});

const isLong = typeof process !== "undefined" && process.env.COTERIE_LONG === "1";

test("after any change of one value, a model is rejected on purpose or predicts existing clusters", () => {
  const pathsIn = (value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...pathsIn(inner, [...path, key])])
      : [];
  const models = [centres, metrics, tree, several, full].map((model) => JSON.parse(saveModel(model)));
  fc.assert(
    fc.property(fc.constantFrom(...models), fc.nat(), fc.jsonValue({ maxDepth: 1 }), (model, at, value) => {
      const paths = pathsIn(model);
      try {
        const loaded = loadModel(spoilt(model, paths[at % paths.length]!, value), "m.json");
        for (const label of predict(loaded, points).labels) expect(label >= 0 && label < loaded.k).toBe(true);
      } catch (error) {
        if (!(error instanceof CoterieError)) throw error;
        expect(error.problem.code).toBe("bad-input");
      }
    }),
    { numRuns: isLong ? 20_000 : 1000 },
  );
});
