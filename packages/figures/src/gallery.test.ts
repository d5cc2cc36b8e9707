/** Golden pictures of every figure: a change of a figure shows as a change of a file. `npm run gallery` puts them on one page. */
import { type ClusterTree, type ConstraintLists, constraints, diagnose, pointsFromRows } from "@coterie/core/internal";
import { expect, test } from "vitest";
import type { MergeRow } from "./layout/dendrogram.js";
import { barsFigure } from "./marks/bars.js";
import { clusterSizesFigure } from "./marks/cluster-sizes.js";
import { clusterTreeFigure } from "./marks/cluster-tree.js";
import { conflictGraphFigure } from "./marks/conflict-graph.js";
import { contradictionChains } from "./marks/contradiction-chains.js";
import { curvesFigure } from "./marks/curves.js";
import { dendrogramFigure } from "./marks/dendrogram.js";
import { markedRows } from "./marks/dendrogram-marks.js";
import { featureMeansFigure } from "./marks/feature-means.js";
import { featureWeightsFigure } from "./marks/feature-weights.js";
import { historyFigure } from "./marks/history.js";
import { metricMatrixFigure } from "./marks/metric-matrix.js";
import { scatterFigure } from "./marks/scatter.js";
import { blobs, constraintSet, grown, leaf, randomFrom } from "./testing/samples.js";

const THREE = blobs(90, 4, 3, 5);
const known = constraintSet(90, {
  mustLink: [
    [0, 3],
    [5, 9],
    [20, 41],
  ],
  cannotLink: [
    [1, 30],
    [12, 77],
    [8, 60],
  ],
  relative: [[2, 11, 50]],
  labels: [
    [4, 0],
    [6, 1],
  ],
});
const violations = { mustLink: [[20, 41]], cannotLink: [[8, 60]], relative: [], labels: [], exclusive: [] } as const;

/** Merges of the nearest clusters by the middles of n rows on a line, with the labels of its last k clusters. */
function joined(n: number, k: number): { merges: MergeRow[]; labels: Int32Array } {
  const random = randomFrom(n);
  const open = Array.from({ length: n }, (_, row) => ({ node: row, at: random() * random() * 100, size: 1, rows: [row] }));
  open.sort((a, b) => a.at - b.at);
  const merges: MergeRow[] = [];
  const labels = new Int32Array(n);
  while (open.length > 1) {
    if (open.length === k) for (const [cluster, { rows }] of open.entries()) for (const row of rows) labels[row] = cluster;
    const gaps = open.slice(1).map(({ at }, i) => at - open[i]!.at);
    const i = gaps.indexOf(Math.min(...gaps));
    const [a, b] = open.splice(i, 2) as [(typeof open)[number], (typeof open)[number]];
    const size = a.size + b.size;
    merges.push([a.node, b.node, Number((gaps[i]! ** 1.5 + (merges.at(-1)?.[2] ?? 0) * 0.6).toPrecision(4)), size]);
    const at = (a.at * a.size + b.at * b.size) / size;
    open.splice(i, 0, { node: n + merges.length - 1, at, size, rows: [...a.rows, ...b.rows] });
  }
  // Heights of a tree never fall.
  const heights = merges.map(([, , height]) => height!).sort((a, b) => a - b);
  return { merges: merges.map(([left, right, , size], m) => [left, right, heights[m]!, size]), labels };
}

const penguins: ClusterTree = {
  leaves: 4,
  root: {
    test: { column: "flipper_length_mm", above: 206.5 },
    size: 344,
    yes: leaf(2, 123),
    no: {
      test: { column: "bill_length_mm", above: 43.35 },
      size: 221,
      yes: { test: { column: "island", among: ["Dream", "Biscoe"] }, size: 70, yes: leaf(1, 64), no: leaf(0, 6) },
      no: leaf(0, 151),
    },
  },
};

function diagnosed(lists: ConstraintLists, k: number) {
  const ids = ["ann", "bob", "cay", "dan", "eve", "fay"];
  const set = constraints({ n: ids.length, ids }, lists);
  return { diagnosis: diagnose(set, { k, ids }), constraints: set, ids };
}
const ring: ConstraintLists = { cannotLink: [0, 1, 2, 3, 4].map((i) => [i, (i + 1) % 5] as const), mustLink: [[0, 5]] };

const full = (d: number) => {
  const random = randomFrom(3);
  const rows = Array.from({ length: d }, () => Array.from({ length: d }, () => random() - 0.5));
  return rows.map((row) => rows.map((other) => row.reduce((sum, value, j) => sum + value * other[j]!, 0)));
};

const mixed = {
  ...pointsFromRows(
    Array.from({ length: 90 }, (_, i) => [THREE.points.x[4 * i]! * 1000, i % 3, THREE.points.x[4 * i + 1]!]),
    ["body_mass_g", "island", "bill_depth_mm"],
  ),
  nominal: Uint8Array.of(0, 1, 0),
  levels: [null, ["Torgersen", "Dream", "Biscoe"], null],
};
const series = (at: number) => ({
  name: ["MPCK-means", "PCK-means", "k-means"][at]!,
  points: Array.from({ length: 6 }, (_, i) => ({ x: 100 * i, y: 0.5 + at * 0.1 + 0.05 * Math.sqrt(i), error: 0.01 })),
});
const eleven = joined(30, 11);
const small = joined(24, 3);
const wordy = joined(60, 4);
const leafNames = (n: number) => Array.from({ length: n }, (_, row) => `sample_${row}_of_the_north_station`);
const forbidden = small.merges.map((merge, m): MergeRow => (m >= 21 ? [merge[0], merge[1], null, merge[3]] : merge));

const FIGURES: Readonly<Record<string, () => string | null>> = {
  map: () =>
    scatterFigure({ ...THREE, constraints: known, violations: { ...violations, mustLink: [[20, 41]], cannotLink: [[8, 60]] } }),
  "map-of-names": () =>
    scatterFigure({ ...blobs(120, 2, 6, 8), names: ["oak", "ash", "", "a tree with a long name", "elm", "yew"], theme: "dark" }),
  "map-of-24-clusters": () => scatterFigure(blobs(240, 2, 24, 3)),
  "map-of-one-column": () => scatterFigure({ ...blobs(60, 1, 2, 4), width: 700 }),
  dendrogram: () => dendrogramFigure({ ...small, k: 3, names: ["oak", "", "elm"] }),
  "dendrogram-beside": () => dendrogramFigure({ ...wordy, k: 4, leafNames: leafNames(60) }),
  "dendrogram-cut-short": () => dendrogramFigure({ ...joined(300, 5), k: 5 }),
  "dendrogram-of-11-clusters": () => dendrogramFigure({ ...eleven, k: 11 }),
  "dendrogram-forbidden": () =>
    dendrogramFigure({
      merges: forbidden,
      labels: small.labels,
      k: 3,
      marks: markedRows(24, constraintSet(24, { mustLink: [[0, 3]], cannotLink: [[1, 9]], relative: [[2, 4, 20]] })),
    }),
  tree: () => clusterTreeFigure({ tree: penguins, names: ["Adelie", "", "Gentoo"] }),
  "tree-folded": () => clusterTreeFigure({ tree: grown(30), most: 14 }),
  sizes: () => clusterSizesFigure({ sizes: [153, 68, 12_345, 7, 30, 81, 2, 64, 5], none: 3, names: ["Adelie"] }),
  "sizes-of-60-clusters": () => clusterSizesFigure({ sizes: Array.from({ length: 60 }, (_, i) => 1 + ((7 * i) % 23)), none: 4 }),
  means: () => featureMeansFigure({ points: mixed, labels: THREE.labels, names: ["Adelie"] }),
  weights: () =>
    featureWeightsFigure({
      metric: {
        kind: "diagonal",
        matrices: [
          [3, 1, 0.5, 0.01],
          [1, 1, 2, 4],
          [0, 2, 0, 9],
        ],
      },
      points: THREE.points,
    }),
  matrix: () => metricMatrixFigure({ metric: { kind: "full", matrices: [full(4)] }, points: THREE.points }),
  conflicts: () => conflictGraphFigure(diagnosed(ring, 2)),
  "conflicts-coloured": () => conflictGraphFigure(diagnosed(ring, 3)),
  contradictions: () =>
    contradictionChains(
      diagnosed(
        {
          mustLink: [
            [0, 1],
            [1, 2],
            [3, 4],
          ],
          cannotLink: [
            [0, 2],
            [3, 4],
          ],
        },
        3,
      ).diagnosis,
    ),
  curves: () =>
    curvesFigure({
      title: "Agreement",
      xLabel: "constraints",
      yLabel: "pairwise F",
      panels: ["Iris", "Wine"].map((title) => ({ title, series: [0, 1, 2].map(series) })),
    }),
  bars: () =>
    barsFigure({
      title: "Agreement",
      yLabel: "score",
      panels: [
        {
          title: "Iris",
          groups: ["without", "with"].map((name, g) => ({
            name,
            bars: [0, 1].map((at) => ({ name: series(at).name, value: 0.4 + 0.2 * g + 0.1 * at, error: 0.05 })),
          })),
        },
      ],
    }),
  history: () => historyFigure({ history: [152.4, 98.1, 80.2, 78.9, 78.85, 78.84] }),
};

test.each(Object.entries(FIGURES))("%s", async (name, draw) => {
  await expect(draw()!.replaceAll("><", ">\n<")).toMatchFileSnapshot(`../../../docs/images/gallery/figures/${name}.svg`);
});
