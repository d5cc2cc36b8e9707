import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kMeans } from "../algorithms/partition/kmeans.js";
import { mpckMeans } from "../algorithms/partition/mpck-means.js";
import { clusilc } from "../algorithms/tree/clusilc.js";
import { emptyConstraints } from "../constraints/index.js";
import { CoterieError } from "../errors.js";
import { pointsFromRows } from "../model/points.js";
import { loadModel, modelOf, predict, saveModel } from "./index.js";

const points = pointsFromRows(
  [
    [0, 1],
    [1, 0],
    [9, 8],
    [8, 9],
    [9, 9],
  ],
  ["x", "y"],
);
const none = emptyConstraints(5);
const centres = modelOf(points, kMeans(points, { k: 2 }), { algorithm: "kmeans", options: {} });
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
  for (const model of [centres, metrics, tree]) expect(loadModel(saveModel(model))).toEqual(JSON.parse(saveModel(model)));
});

describe("what is no model is refused, with the file and a remedy", () => {
  test.each([
    ["", "m.json: This is no model: it is not JSON. Give a file that `coterie cluster … --model FILE` has written"],
    ["{", "not JSON"],
    ["[]", "This is JSON, but no model of Coterie's."],
    ["null", "This is JSON, but no model of Coterie's."],
    ['{"format":"coterie-model"}', "This is JSON, but no model of Coterie's."],
    [spoilt(centres, ["formatVersion"], 2), "format 2 of a newer Coterie; this one reads 1. Update Coterie"],
    [saveModel(centres).slice(0, -20), "not JSON"],
  ])("%#", (text, message) => {
    expect(() => loadModel(text, "m.json")).toThrow(message);
  });
});

describe("a damaged model is refused, and says where", () => {
  test.each([
    [centres, ["k"], 3, "it has 3 clusters and 2 sizes"],
    [centres, ["k"], "2", "k is not what it should be"],
    [centres, ["columns", 0, "kind"], "date", "columns.0.kind"],
    [centres, ["columns", 0, "name"], "y", "two columns have the same name"],
    [centres, ["scaling"], { offset: [0], factor: [1] }, "its scaling does not fit its columns"],
    [centres, ["scaling"], { offset: [0, 0], factor: [1, 0] }, "a column is divided by 0"],
    [centres, ["rule", "centres", 1], [1], "its centres are not 2 rows of 2"],
    [centres, ["rule", "centres", 1, 0], null, "rule.centres.1.0"],
    [centres, ["rule", "preference"], [0, 0], "its order of clusters"],
    [centres, ["extra"], 1, "is not what it should be"],
    [metrics, ["rule", "metric", "roots"], [[1]], "a metric does not fit its columns"],
    [metrics, ["rule", "metric", "logDets"], [], "its metrics do not fit its clusters"],
    [tree, ["rule", "tree", "root", "test", "column"], "z", 'a column "z" that it does not have'],
    [tree, ["rule", "tree", "root", "test"], { column: "x", among: ["a"] }, 'a test of "x" does not fit that column'],
    [tree, ["rule", "tree", "root", "yes"], { cluster: 7, size: 1 }, "a leaf is in cluster 7 of 2"],
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

test("whatever is done to one value, a model is refused on purpose or predicts clusters that it has", () => {
  const pathsIn = (value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...pathsIn(inner, [...path, key])])
      : [];
  const models = [centres, metrics, tree].map((model) => JSON.parse(saveModel(model)));
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
    { numRuns: 1000 },
  );
});
