import { expect, test } from "vitest";
import type { Instances } from "../../model/points.js";
import { randomFrom } from "../../random/index.js";
import { pointsFromRows } from "../../rows.js";
import { explainLabels } from "./explain.js";
import { predictTree } from "./rules/predict.js";
import { holds, NO_RULE } from "./rules/rules.js";

const random = randomFrom(4);
const points: Instances = {
  ...pointsFromRows(
    Array.from({ length: 300 }, () => [random.unit(), 10 * random.unit(), random.int(3)]),
    ["width", "height", "kind"],
  ),
  nominal: Uint8Array.of(0, 0, 1),
  levels: [null, null, ["oak", "ash", "elm"]],
};
const at = (i: number, j: number): number => points.x[i * 3 + j]!;
const boxes = Int32Array.from({ length: 300 }, (_, i) => (at(i, 2) === 1 ? 0 : at(i, 1) > 6 ? 2 : at(i, 0) > 0.5 ? 1 : 2));

test("clusters that are boxes are described exactly, in the notation of the data", () => {
  const { rules, fidelity, labels, conditions, tree } = explainLabels(points, boxes);
  expect(fidelity).toBe(1);
  expect(labels).toEqual(boxes);
  expect(rules[0]).toBe("kind = ash");
  expect(rules[1]).toMatch(/^(?=.*width > 0\.5)(?=.*height ≤ [56](\.\d+)?)(?=.*kind ≠ ash)/);
  for (let i = 0; i < 300; i++) {
    const row = { width: at(i, 0), height: at(i, 1), kind: points.levels![2]![at(i, 2)]! };
    expect(predictTree(tree, row)).toBe(boxes[i]);
    expect(conditions.findIndex((rule) => holds(rule, (column) => row[column as "kind"]))).toBe(boxes[i]);
  }
});

test("fidelity cluster by cluster: who is caught, and how many of them rightly", () => {
  const some = boxes.map((cluster, i) => (i % 7 === 0 ? -1 : cluster));
  const { clusters, labels, fidelity } = explainLabels(points, some, { maxLeaves: 2 });
  clusters.forEach(({ size, caught, coverage, precision }, cluster) => {
    const own = [...some.keys()].filter((i) => some[i] === cluster);
    const held = [...some.keys()].filter((i) => some[i]! >= 0 && labels[i] === cluster);
    const right = own.filter((i) => labels[i] === cluster).length;
    expect([size, caught, coverage]).toEqual([own.length, held.length, right / own.length]);
    expect(precision).toBe(held.length > 0 ? right / held.length : 0);
  });
  const rows = clusters.reduce((sum, { size }) => sum + size, 0);
  expect(clusters.reduce((sum, { size, coverage }) => sum + size * coverage, 0) / rows).toBeCloseTo(fidelity, 12);
});

test("rows in no cluster are not learned from, yet the rules place them", () => {
  const some = boxes.map((cluster, i) => (i % 7 === 0 ? -1 : cluster));
  const { labels, fidelity } = explainLabels(points, some);
  expect(fidelity).toBe(1);
  expect(labels.includes(-1)).toBe(false);
});

test("fewer leaves and other columns lower the fidelity, which is the share of rows in their cluster", () => {
  const full = explainLabels(points, boxes);
  const short = explainLabels(points, boxes, { maxLeaves: 2 });
  expect(short.tree.leaves).toBe(2);
  expect(short.fidelity).toBeLessThan(full.fidelity);
  expect(short.fidelity).toBe(boxes.filter((cluster, i) => cluster === short.labels[i]).length / 300);
  const blind = explainLabels(points, boxes, { describe: ["width"] });
  expect(JSON.stringify(blind.tree)).not.toMatch(/height|kind/);
  expect(blind.fidelity).toBeLessThan(full.fidelity);
});

test("a cost per leaf keeps noise out of the rules", () => {
  const noisy = boxes.map((cluster, i) => (i % 29 === 0 ? (cluster + 1) % 3 : cluster));
  const dear = explainLabels(points, noisy, { leafCost: 0.02 });
  const free = explainLabels(points, noisy, { leafCost: 0 });
  expect(free.fidelity).toBe(1);
  expect(dear.tree.leaves).toBeLessThanOrEqual(5);
  expect(free.tree.leaves).toBeGreaterThan(dear.tree.leaves);
});

test("wrong shapes are refused", () => {
  expect(() => explainLabels(points, boxes.slice(1))).toThrow("There are 299 labels for 300 rows.");
  expect(() =>
    explainLabels(
      points,
      boxes.map(() => -1),
    ),
  ).toThrow("No row is in a cluster: there is nothing to explain.");
});

test("a cluster of one row has a rule, also where a leaf for it alone does not pay", () => {
  const rows = Array.from({ length: 200 }, (_, i) => [i, (i * 37) % 101]);
  const labels = Int32Array.from(rows, (_, i) => (i === 150 ? 2 : i < 100 ? 0 : 1));
  const { rules, tree, clusters } = explainLabels(rows, labels, { leafCost: 0.02, maxLeaves: 8 });
  expect(rules).not.toContain(NO_RULE);
  expect(clusters[2]).toMatchObject({ size: 1, caught: 1, coverage: 1, precision: 1 });
  expect(tree.leaves).toBeLessThanOrEqual(4);
  // Two leaves cannot separate three clusters: the tree stays as short as without the small cluster.
  expect(explainLabels(rows, labels, { leafCost: 0.02, maxLeaves: 2 }).rules[2]).toBe(
    "no rule separates this cluster from the others",
  );
});
