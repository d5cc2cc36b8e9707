/** The tables of trials for figures 2 to 5. */

import {
  type ConstraintSet,
  emptyConstraints,
  informativeTripletsOfClasses,
  linkages,
  type Random,
  randomFrom,
  randomTriplets,
  recon,
  recutRecon,
} from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { type Line, repeated, seedFor } from "@coterie/workbench/trials";
import { type Labelled, load } from "../frame/data.js";
import type { TrialTable } from "../frame/paper.js";
import { timed } from "../frame/thread-time.js";
import { crossed } from "../grid.js";
import { clusterings, KEEPING, OUTLIERS, PRINTED, RECON, RECON_OURS, reconPrinted, SCHEMES } from "./schemes.js";
import { type DataSet, informativeCount, marksTo, SETS, setNamed } from "./sets.js";

const kernels = createSimdKernels();

function measureAll(points: Labelled, set: ConstraintSet, k: number, seed: number): Record<string, number> {
  const results = clusterings(points, set, k, seed);
  return {
    ...Object.fromEntries(SCHEMES.map((scheme) => [scheme, results[scheme].scores!.pairwiseF])),
    "broken, printed": results[RECON].violations.relative.length,
    "broken, keeping": results[RECON_OURS].violations.relative.length,
  };
}

const VALUES = [...SCHEMES, "broken, printed", "broken, keeping"];

function curvesTable(
  name: string,
  most: (set: DataSet) => number,
  draw: (points: Labelled, count: number, random: Random) => ConstraintSet,
): TrialTable {
  return {
    name,
    keys: ["set", "count", "run"],
    values: VALUES,
    trials: (size, seed) =>
      SETS.flatMap((set) =>
        marksTo(most(set), size).flatMap((count) =>
          repeated(set.runs[size], seed, `liu2011 ${name}, ${set.name}`, {
            key: { set: set.name, count },
            needs: [set.name],
            cost: 4 * set.cost,
          }),
        ),
      ),
    async measure({ key, seed }) {
      const { k } = setNamed(key.set as string);
      const points = await load(key.set as string);
      const set = draw(points, key.count as number, randomFrom(seed).split("statements", key.count as number));
      return measureAll(points, set, k, seed);
    },
  };
}

export const randomConstraints = curvesTable(
  "random-statements",
  ({ n }) => n,
  (points, count, random) => randomTriplets(points.truth, { count, random }),
);

export const informativeConstraints = curvesTable("informative-statements", informativeCount, someInformative);

export function someInformative(points: Labelled, count: number, random: Random): ConstraintSet {
  const { relative } = informativeTripletsOfClasses(points.truth);
  const picked = random.sample(relative.a.length, Math.min(count, relative.a.length)).sort();
  const column = (rows: Int32Array): Int32Array => picked.map((s) => rows[s]!);
  const weight = new Float64Array(picked.length).fill(1);
  const part = { a: column(relative.a), b: column(relative.b), c: column(relative.c), weight };
  return { ...emptyConstraints(points.n), relative: part };
}

export const asManyRandom: TrialTable = {
  name: "as-many-random",
  keys: ["set", "count", "run"],
  values: [RECON],
  trials: (size, seed) =>
    SETS.flatMap((set) =>
      marksTo(informativeCount(set), size)
        .slice(1)
        .flatMap((count) =>
          repeated(set.runs[size], seed, `liu2011 informative-statements, ${set.name}`, {
            key: { set: set.name, count },
            needs: [set.name],
            cost: set.cost,
          }),
        ),
    ),
  async measure({ key, seed }) {
    const { k } = setNamed(key.set as string);
    const points = await load(key.set as string);
    const count = key.count as number;
    const set = randomTriplets(points.truth, { count, random: randomFrom(seed).split("random statements", count) });
    return { [RECON]: reconPrinted(points, set, k).scores!.pairwiseF };
  },
};

export const CUTS: Readonly<Record<string, object>> = {
  "no threshold": {},
  "threshold 5%": { outliers: OUTLIERS },
  "threshold 12%": { outliers: "12%" },
  "largest branch first 5% (ours)": { cut: "largest", outliers: OUTLIERS },
  "largest branch first (ours)": { cut: "largest" },
  "by statements (ours)": { cut: "triplets" },
};

export const cuts: TrialTable = {
  name: "cuts",
  keys: ["set", "cut"],
  values: ["F"],
  trials: (_, seed) =>
    crossed(SETS, Object.keys(CUTS), ({ name, cost }, cut) => ({
      key: { set: name, cut },
      seed: seedFor(seed, "liu2011 cuts"),
      needs: [name],
      cost,
    })),
  async measure({ key }) {
    const { k } = setNamed(key.set as string);
    const points = await load(key.set as string);
    const all = someInformative(points, Number.POSITIVE_INFINITY, randomFrom(0));
    return { F: recon(points, all, { k, kernels, ...CUTS[key.cut as string] }).scores!.pairwiseF };
  },
};

/** The data sets of figure 5. The figure compares the time of ReCon with the time of plain centroid linkage on the same rows. */
export const TIMED: readonly string[] = ["letters-IJLT", "digits-389", "letters-3000", "digits-3000"];

const RECON_TIME = "ReCon, ms";
const LINKAGE_TIME = "centroid linkage, ms";
const CUT_TIME = "cut as printed, ms";
const KEEPING_TIME = "cut keeping (ours), ms";

export const times: TrialTable = {
  name: "times",
  keys: ["set", "count", "run"],
  values: [RECON_TIME, LINKAGE_TIME, CUT_TIME, KEEPING_TIME, "merges tested"],
  timed: [RECON_TIME, LINKAGE_TIME, CUT_TIME, KEEPING_TIME],
  trials: (size, seed) =>
    crossed(TIMED, marksTo(3000, size), (set, count) =>
      repeated({ quick: 2, full: 50 }[size], seed, `liu2011 times, ${set}`, { key: { set, count }, needs: [set], cost: 800 }),
    ).flat(),
  async measure({ key, seed }) {
    const points = await load(key.set as string);
    const k = points.truth.names.length;
    const set = randomTriplets(points.truth, { count: key.count as number, random: randomFrom(seed) });
    const plain = timed(() => linkages.centroid(points, undefined, { k, kernels }));
    const own = timed(() => reconPrinted(points, set, k));
    const cutAgain = (join: object): number =>
      timed(() => recutRecon(points, set, own.result.merges!, { k, kernels, ...join })).milliseconds;
    return {
      [RECON_TIME]: own.milliseconds,
      [LINKAGE_TIME]: plain.milliseconds,
      [CUT_TIME]: cutAgain(PRINTED),
      [KEEPING_TIME]: cutAgain(KEEPING),
      "merges tested": mergesTested(own.result.notices, key.count as number),
    };
  },
};

/** The number of merges that ReCon tested, which it reports only in a notice. Without constraints it tests none, and has no notice. */
export function mergesTested(notices: readonly string[], constraints: number): number {
  const tested = notices.map((notice) => /^(\d+) merges? w/.exec(notice)?.[1]).find((found) => found !== undefined);
  if (tested === undefined && constraints > 0) throw new Error("ReCon has no notice about the number of merges that it tested.");
  return Number(tested ?? 0);
}

/**
 * Time in milliseconds that a run would take with our rule, which keeps constraints: the total time, less the time of the printed cut, plus
 * the time of our cut.
 */
export function keepingTime(line: Line): number {
  const of = (column: string): number => line[column] as number;
  return of(RECON_TIME) - of(CUT_TIME) + of(KEEPING_TIME);
}
