/** Figure 7: a network of regions in a brain slice, from a full set of geometric constraints and from a tenth of it. */
import {
  type ConstraintSet,
  closeConstraints,
  constraintGraph,
  constraints,
  copKMeans,
  fractionalColouring,
  type Instances,
  kMeans,
  type LpSolver,
  pruneConstraints,
  type Random,
  type Result,
  randomFrom,
} from "@coterie/core";
import { createLpSolver, createSimdKernels } from "@coterie/kernels";
import type { Figure, Finding } from "../experiment.js";
import { meanOf, withError } from "../statistics.js";
import { brainSlice, NOISE, type Slice } from "./brain.js";
import { labelsOf, METHODS, type Method, randomCentres } from "./methods.js";
import { pixelPicture } from "./pixel-picture.js";

const K = 2;
const STARTS = 20;
/** Pixels of a region closer than this are must-linked; pixels of a region and of its surroundings closer than this are kept apart. */
const NEAR = 1.5;
const AROUND = 2.3;
const KEPT = 0.1;

const SETS = ["no constraints", "all", "pruned to 10%", "10% at random"] as const;
type SetName = (typeof SETS)[number];

/** COP-k-means as it is in this library: placements that lead nowhere are mended. */
const MENDED = "cop-kmeans";

interface Outcome {
  readonly set: SetName;
  readonly method: Method | "k-means" | typeof MENDED;
  readonly results: readonly (Result | null)[];
}

export const figure7: Figure = {
  name: "figure-7",
  title: "Figure 7: a default mode network from geometric constraints, all of them and a tenth",
  async run(setting) {
    const slice = brainSlice(setting.seed);
    const all = geometric(slice);
    const solver = await createLpSolver();
    const count = statements(all);
    const keep = Math.round(KEPT * count);
    setting.log(`figure 7: ${count} constraints of ${slice.pixels.n} pixels`);
    const pruned = pruneConstraints(all, slice.pixels, { count: count - keep, solver }).set;
    const random = thinned(all, keep, randomFrom(setting.seed).split("thinned"));
    const sets: Record<Exclude<SetName, "no constraints">, ConstraintSet> = {
      all,
      "pruned to 10%": pruned,
      "10% at random": random,
    };
    const outcomes: Outcome[] = [
      { set: "no constraints", method: "k-means", results: plain(slice.pixels, setting.seed, setting.quick) },
    ];
    for (const [set, known] of Object.entries(sets) as [Exclude<SetName, "no constraints">, ConstraintSet][]) {
      for (const method of METHODS)
        outcomes.push({ set, method, results: runs(method, slice.pixels, known, setting.seed, setting.quick) });
      outcomes.push({ set, method: MENDED, results: mended(slice.pixels, known, setting.seed, setting.quick) });
      setting.log(`figure 7: ${set}`);
    }
    return {
      protocol: `A slice of ${slice.pixels.n} pixels with ${slice.pixels.d} measurements each, made by us: four regions share one signal, the rest follows three others of half its size (lowered after a first look, in which k-means parted the rest instead of finding the network), and noise is ${NOISE} times as large. Constraints from distances in the picture: pixels of one region less than ${NEAR} apart must be together (${all.mustLinks.a.length}), a pixel of a region and one of its surroundings less than ${AROUND} apart must not (${all.cannotLinks.a.length}). Pruning as in section 6.2 down to a tenth (${pruned.mustLinks.a.length} must-links and ${pruned.cannotLinks.a.length} cannot-links are left); beside it a tenth at random (${random.mustLinks.a.length} and ${random.cannotLinks.a.length}). k = 2, ${STARTS} random starts, the same for all.`,
      findings: findingsOf(outcomes, count, keep, solver, all),
      pictures: picturesOf(slice, outcomes, pruned),
      tables: [
        {
          title: "Rand index, mean ± standard error over the starts that ended with a clustering; best; starts without one",
          columns: ["constraints", "algorithm", "Rand index", "best", "starts without a clustering"],
          rows: outcomes.map(({ set, method, results }) => {
            const scores = randsOf(results);
            return [
              set,
              method,
              withError(meanOf(scores)),
              scores.length === 0 ? "–" : Math.max(...scores).toFixed(3),
              `${results.length - scores.length} of ${results.length}`,
            ];
          }),
        },
      ],
    };
  },
};

/** Must-links between near pixels of a region, cannot-links between its pixels and near ones outside. */
function geometric({ pixels, x, y, region }: Slice): ConstraintSet {
  const mustLink: [number, number][] = [];
  const cannotLink: [number, number][] = [];
  for (let i = 0; i < pixels.n; i++) {
    for (let j = i + 1; j < pixels.n && y[j]! - y[i]! <= AROUND; j++) {
      const between = Math.hypot(x[i]! - x[j]!, y[i]! - y[j]!);
      if (region[i]! >= 0 && region[i] === region[j] && between < NEAR) mustLink.push([i, j]);
      else if (region[i]! >= 0 !== region[j]! >= 0 && between < AROUND) cannotLink.push([i, j]);
    }
  }
  return constraints(pixels, { mustLink, cannotLink });
}

function statements({ mustLinks, cannotLinks }: ConstraintSet): number {
  return mustLinks.a.length + cannotLinks.a.length;
}

function thinned(all: ConstraintSet, keep: number, random: Random): ConstraintSet {
  const must = all.mustLinks.a.length;
  const chosen = random.sample(statements(all), keep).sort();
  const pick = ({ a, b, weight }: ConstraintSet["mustLinks"], own: Int32Array) => ({
    a: own.map((s) => a[s]!),
    b: own.map((s) => b[s]!),
    weight: Float64Array.from(own, (s) => weight[s]!),
  });
  return {
    ...all,
    mustLinks: pick(
      all.mustLinks,
      chosen.filter((s) => s < must),
    ),
    cannotLinks: pick(
      all.cannotLinks,
      chosen.filter((s) => s >= must).map((s) => s - must),
    ),
  };
}

function starts(pixels: Instances, seed: number, quick: boolean): number[][][] {
  const own = randomFrom(seed).split("davidson2012 figure 7");
  return Array.from({ length: quick ? 5 : STARTS }, (_, s) => randomCentres(pixels, K, own.split("start", s)));
}

function plain(pixels: Instances, seed: number, quick: boolean): Result[] {
  const kernels = createSimdKernels();
  return starts(pixels, seed, quick).map((init) => kMeans(pixels, { k: K, init, kernels }));
}

function runs(method: Method, pixels: Instances, known: ConstraintSet, seed: number, quick: boolean): (Result | null)[] {
  return starts(pixels, seed, quick).map((init) => labelsOf(method, pixels, known, K, init));
}

function mended(pixels: Instances, known: ConstraintSet, seed: number, quick: boolean): Result[] {
  const kernels = createSimdKernels();
  return starts(pixels, seed, quick).map((init) => copKMeans(pixels, known, { k: K, init, kernels }));
}

function randsOf(results: readonly (Result | null)[]): number[] {
  return results.flatMap((result) => (result ? [result.scores!.rand] : []));
}

function findingsOf(outcomes: readonly Outcome[], count: number, keep: number, solver: LpSolver, all: ConstraintSet): Finding[] {
  const fcn = fractionalColouring(constraintGraph(closeConstraints(all)), { solver }).upper;
  const seen = seenIn(outcomes);
  return [...placingFindings(seen, count, keep, fcn), ...softFindings(seen)];
}

/** The Rand indices of a method with a set, in words, and their mean. */
function seenIn(outcomes: readonly Outcome[]) {
  const of = (set: SetName, method: Outcome["method"]): readonly (Result | null)[] =>
    outcomes.find((outcome) => outcome.set === set && outcome.method === method)!.results;
  return {
    tried: of("all", "CKM").length,
    ended: (set: SetName, method: Outcome["method"] = "CKM"): number => randsOf(of(set, method)).length,
    text: (set: SetName, method: Outcome["method"]): string => withError(meanOf(randsOf(of(set, method))), 2),
    mean: (set: SetName, method: Outcome["method"]): number => meanOf(randsOf(of(set, method))).mean,
  };
}

type Seen = ReturnType<typeof seenIn>;

/** Of the methods that place row by row and break nothing. */
function placingFindings({ tried, ended, text, mean }: Seen, count: number, keep: number, fcn: number): Finding[] {
  return [
    {
      claim: "All constraints can be kept and help, if placements are mended (cop-kmeans as it is here; our extension)",
      published: "not published",
      ours: `a clustering in ${ended("all", MENDED)} of ${tried} starts, Rand ${text("all", MENDED)}; pruned ${text("pruned to 10%", MENDED)}, at random ${text("10% at random", MENDED)}, k-means without constraints ${text("no constraints", "k-means")}`,
      verdict:
        ended("all", MENDED) === tried && mean("all", MENDED) > mean("no constraints", "k-means") ? "holds" : "does not hold",
    },
    {
      claim: "With all constraints COP-k-means does not converge, being over-constrained (section 6.3)",
      published: "did not converge in all experiments",
      ours: `no clustering in ${tried - ended("all")} of ${tried} starts with all ${count}; yet the set is feasible for two clusters (fractional chromatic number ${fcn})`,
      verdict: ended("all") === 0 ? "holds" : ended("all") < tried / 2 ? "holds in part" : "does not hold",
      because: "it places row by row and never takes a placement back: the set is not too hard, the method is too short-sighted",
    },
    {
      claim: `With the ${keep} constraints that pruning leaves COP-k-means finds a clustering (section 6.3)`,
      published: "the network is found",
      ours: `a clustering in ${ended("pruned to 10%")} of ${tried} starts, Rand ${text("pruned to 10%", "CKM")}; with as many at random in ${ended("10% at random")}, Rand ${text("10% at random", "CKM")}`,
      verdict:
        ended("pruned to 10%") >= 0.9 * tried
          ? "holds"
          : ended("pruned to 10%") > ended("all")
            ? "holds in part"
            : "does not hold",
      ...(ended("pruned to 10%") >= 0.9 * tried
        ? {}
        : {
            because:
              "with two clusters any row kept apart from two others is a trap for a method that places row by row; a tenth of the constraints has enough of them",
          }),
    },
  ];
}

function softFindings({ text, mean }: Seen): Finding[] {
  const network = Math.max(mean("pruned to 10%", "PKM"), mean("pruned to 10%", "MPKM"), mean("pruned to 10%", "MKM"));
  return [
    {
      claim: "With all constraints the metric learners return poor results (section 6.3)",
      published: "poor",
      ours: `Rand ${text("all", "MKM")} for MKM and ${text("all", "MPKM")} for MPKM; without constraints ${text("no constraints", "k-means")} for k-means`,
      verdict:
        mean("all", "MKM") < mean("no constraints", "k-means") && mean("all", "MPKM") < mean("no constraints", "k-means")
          ? "holds"
          : mean("all", "MKM") < 0.75
            ? "holds in part"
            : "does not hold",
    },
    {
      claim: "From the pruned set the network is found as one cluster (figure 7, right)",
      published: "a picture",
      ours: `best mean Rand of the soft algorithms ${network.toFixed(2)}; MKM ${text("pruned to 10%", "MKM")}, PKM ${text("pruned to 10%", "PKM")}, MPKM ${text("pruned to 10%", "MPKM")}`,
      verdict: network > 0.9 ? "holds" : network > mean("no constraints", "k-means") ? "holds in part" : "does not hold",
      ...(network > 0.9
        ? {}
        : {
            because:
              "the four regions are in one cluster, with pixels that the noise makes look like them; all constraints leave fewer of these",
          }),
    },
  ];
}

const COLOURS = { background: "#f2f2ee", network: "#8ec4e8", named: "#1f4e79", apart: "#b35806", missing: "#ffffff" } as const;

function picturesOf(slice: Slice, outcomes: readonly Outcome[], pruned: ConstraintSet) {
  return [
    {
      name: "slice",
      caption:
        "The slice: the four regions of the network; one moment of the measurements; the pixels that the pruned set speaks of.",
      svg: slicePicture(slice, pruned),
    },
    {
      name: "segmentations",
      caption: "What the algorithms make of it, the start of middle score of each; empty where no start ended with a clustering.",
      svg: segmentationsPicture(slice, outcomes),
    },
  ];
}

function slicePicture(slice: Slice, pruned: ConstraintSet): string {
  const { pixels } = slice;
  const truth = pixels.truth!.codes;
  const named = new Set([...pruned.mustLinks.a, ...pruned.mustLinks.b, ...pruned.cannotLinks.a, ...pruned.cannotLinks.b]);
  const plain = (row: number): string => (truth[row] === 1 ? COLOURS.network : COLOURS.background);
  const strong = (row: number): string => (truth[row] === 1 ? COLOURS.named : COLOURS.apart);
  return pixelPicture(
    slice,
    "The slice that we make",
    [
      panelOf("the network", truth, truth),
      { title: "one moment", fill: (row) => grey(pixels.x[row * pixels.d + 10]!) },
      { title: "pixels of the pruned set", fill: (row) => (named.has(row) ? strong(row) : plain(row)) },
    ],
    [
      [COLOURS.network, "network"],
      [COLOURS.background, "background"],
      [COLOURS.named, "constrained, in the network"],
      [COLOURS.apart, "constrained, outside"],
    ],
  );
}

function segmentationsPicture(slice: Slice, outcomes: readonly Outcome[]): string {
  const truth = slice.pixels.truth!.codes;
  const shown = (set: SetName, method: Outcome["method"]) => {
    const labels = usual(outcomes.find((outcome) => outcome.set === set && outcome.method === method)!);
    return panelOf(labels ? `${method}, ${set}` : `${method}, ${set}: none`, labels, truth);
  };
  return pixelPicture(
    slice,
    "Segmentations",
    [
      shown("no constraints", "k-means"),
      shown("all", "CKM"),
      shown("pruned to 10%", "CKM"),
      shown("all", MENDED),
      shown("pruned to 10%", "MPKM"),
    ],
    [
      [COLOURS.network, "cluster that holds most of the network"],
      [COLOURS.background, "other cluster"],
    ],
  );
}

/** The start with the middle score, so that the picture shows what is usual; null where no start ended with a clustering. */
function usual({ results }: Outcome): Int32Array | null {
  const done = results.flatMap((result) => (result ? [result] : []));
  return done.sort((a, b) => a.scores!.rand - b.scores!.rand)[done.length >> 1]?.labels ?? null;
}

function panelOf(title: string, labels: Int32Array | null, truth: Int32Array) {
  return {
    title,
    fill: (row: number): string => {
      if (labels === null) return COLOURS.missing;
      return labels[row] === networkLabel(labels, truth) ? COLOURS.network : COLOURS.background;
    },
  };
}

/** The label that most pixels of the network have. */
function networkLabel(labels: Int32Array, truth: Int32Array): number {
  let ones = 0;
  let all = 0;
  labels.forEach((label, row) => {
    if (truth[row] !== 1) return;
    all++;
    ones += label;
  });
  return 2 * ones > all ? 1 : 0;
}

function grey(value: number): string {
  const level = Math.round(255 * Math.min(1, Math.max(0, 0.5 + value / 8)));
  return `rgb(${level},${level},${level})`;
}
