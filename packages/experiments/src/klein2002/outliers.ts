/**
 * Figures 1 and 12: what constraints do to the rows around them. COP-k-means is said to satisfy a constraint by making an outlier
 * of its row, in clusters that stay as they were; CCL carries it to the neighbours.
 */
import {
  adjustedRandIndex,
  type ConstraintSet,
  constrainedCompleteLink,
  contingency,
  copKMeans,
  emptyConstraints,
  generateConstraints,
  type Instances,
  pairCounts,
  type Result,
  randomFrom,
} from "@coterie/core";
import { scatterFigure } from "@coterie/figures";
import { createSimdKernels } from "@coterie/kernels";
import type { Figure, Picture, Setting } from "../experiment.js";
import { meanOf, pairedTest, withError } from "../statistics.js";
import { type DataSet, realSets, syntheticSets } from "./data-sets.js";
import { CERTAIN, claimOf, shortP } from "./judge.js";

const COUNT = 40;
const RUNS = 30;
const QUICK_RUNS = 4;
const NEIGHBOURS = 5;
const PICTURED = ["circles", "stormclouds"];
const kernels = createSimdKernels();

type Cluster = (rows: Instances, known: ConstraintSet, k: number) => Result;
const ccl: Cluster = (rows, known, k) => constrainedCompleteLink(rows, known, { k, lookahead: false, kernels });
const cop: Cluster = (rows, known, k) => copKMeans(rows, known, { k, restarts: 5, kernels });

/** What a method makes of one set of constraints. */
interface Effect {
  /** Share of the constrained rows whose free neighbours are mostly in another cluster. */
  readonly outliers: number;
  /** Adjusted Rand index of the free rows' clusters with and without constraints. */
  readonly unchanged: number;
}

function effectOf(rows: Instances, known: ConstraintSet, k: number, cluster: Cluster): Effect {
  const { labels } = cluster(rows, known, k);
  const before = cluster(rows, emptyConstraints(rows.n), k).labels;
  const { mustLinks, cannotLinks } = known;
  const constrained = new Set([...mustLinks.a, ...mustLinks.b, ...cannotLinks.a, ...cannotLinks.b]);
  const free = Array.from({ length: rows.n }, (_, row) => row).filter((row) => !constrained.has(row));
  const alone = [...constrained].filter((row) => {
    const near = nearestOf(rows, row, free);
    return 2 * near.filter((other) => labels[other] === labels[row]).length < near.length;
  });
  const of = (all: Int32Array): Int32Array => Int32Array.from(free, (row) => all[row]!);
  return {
    outliers: alone.length / constrained.size,
    unchanged: adjustedRandIndex(pairCounts(contingency(of(labels), of(before)))),
  };
}

function nearestOf({ d, x }: Instances, row: number, among: readonly number[]): number[] {
  const distance = (other: number): number => {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += (x[row * d + j]! - x[other * d + j]!) ** 2;
    return sum;
  };
  return [...among].sort((a, b) => distance(a) - distance(b) || a - b).slice(0, NEIGHBOURS);
}

function drawnFor(set: DataSet, run: number, seed: number): { readonly rows: Instances; readonly known: ConstraintSet } {
  const random = randomFrom(seed).split(set.name, run);
  const rows = set.rows(random.split("rows"));
  return { rows, known: generateConstraints(rows.truth!, { count: COUNT, random: random.split("constraints", COUNT) }) };
}

function effects(set: DataSet, runs: number, seed: number): { readonly ccl: Effect[]; readonly cop: Effect[] } {
  const all = Array.from({ length: runs }, (_, run) => drawnFor(set, run, seed));
  const by = (cluster: Cluster): Effect[] => all.map(({ rows, known }) => effectOf(rows, known, set.k, cluster));
  return { ccl: by(ccl), cop: by(cop) };
}

export const figure12: Figure = {
  name: "figure-12",
  title: "What constraints do to the rows around them",
  async run(setting) {
    const runs = setting.quick ? QUICK_RUNS : RUNS;
    const { sets } = await realSets();
    const numeric = [...syntheticSets, ...sets.filter(({ name }) => name !== "soybean-562")];
    const seen = numeric.map((set) => {
      setting.log(set.name);
      return { data: set.name, ...effects(set, runs, setting.seed) };
    });
    const compare = (which: keyof Effect) =>
      seen.map(({ data, ccl: linked, cop: moved }) => {
        const [ours, theirs] = [linked.map((effect) => effect[which]), moved.map((effect) => effect[which])];
        const { difference, p } = pairedTest(theirs, ours);
        return {
          data,
          holds: difference > 0 && p < CERTAIN,
          said: `COP-k-means ${withError(meanOf(theirs))}, CCL ${withError(meanOf(ours))} (${shortP(p)})`,
        };
      });
    return {
      protocol: [
        `${COUNT} random constraints, ${runs} runs; the CCL of the paper, the repairing COP-k-means with the best of 5 starts.`,
        `A constrained row is an outlier if most of its ${NEIGHBOURS} nearest rows without constraints are in another cluster. Clusters are compared with`,
        "those of the same method without constraints by the adjusted Rand index over rows without constraints: 1 is no change.",
      ].join("\n"),
      findings: [
        claimOf(
          {
            claim:
              "COP-k-means satisfies constraints by making outliers of constrained rows, CCL does not (sections 2 and 5.2, figures 1 and 12)",
            published: "single outliers against qualitative changes of the clusters; share of constrained rows that are outliers",
            because: (failed) => `no certain difference on ${failed.join(", ")}`,
          },
          compare("outliers"),
        ),
        claimOf(
          {
            claim: "COP-k-means leaves the clusters as they were, CCL changes them (section 5.2, figure 12)",
            published: "outliers in the middle of qualitatively unchanged clusters; likeness to the clusters without constraints",
            because: (failed) => `not on ${failed.join(", ")}`,
          },
          compare("unchanged"),
        ),
      ],
      pictures: syntheticSets.filter(({ name }) => PICTURED.includes(name)).flatMap((set) => picturesOf(set, setting)),
    };
  },
};

function picturesOf(set: DataSet, { seed }: Setting): Picture[] {
  const { rows, known } = drawnFor(set, 0, seed);
  const draw = (name: string, method: string, { labels, violations }: Result): Picture => ({
    name: `${set.name}-${name}`,
    caption: `${set.name}: ${method} with ${COUNT} random constraints`,
    svg: scatterFigure({ points: rows, labels, constraints: known, violations, width: 720, height: 560 }),
  });
  return [
    draw("cop-kmeans", "COP-k-means", cop(rows, known, set.k)),
    draw("ccl", "constrained complete linkage", ccl(rows, known, set.k)),
  ];
}
