/** The paper's claims about figures 2 to 7, each decided by paired tests over runs. */
import { evenCell, largestCell, pairedCell, testCell, weaker } from "../frame/cells.js";
import { at, compareCurves, found } from "../frame/curves.js";
import type { Claim } from "../frame/paper.js";
import { pairedTest } from "../frame/statistics.js";
import { above, curve, needsOf, RANGE, SOME, TITLES } from "./compare.js";
import { NEEDS } from "./sets.js";

const METRIC_SETS = ["Wine", "Protein", "Letters-IJL"];

const unified: Claim = {
  id: "figures-2-7.unified",
  quote: "the unified approach (MPCK-MEANS) outperforms individual seeding (PCK-MEANS) and metric learning (MK-MEANS)",
  section: "section 4.2",
  tested: RANGE,
  published: "on the presented datasets",
  about: "every",
  needs: NEEDS,
  judge: (seen) => ({
    cells: [...above(seen, { ours: "MPCK-S-D", other: "PCK" }), ...above(seen, { ours: "MPCK-S-D", other: "MK" })],
    because:
      "on Ionosphere one diagonal metric is worse than none: weights that shrink noisy columns shrink those that tell the classes apart.",
  }),
};

/** Each part alone against plain k-means: a row of its own for each. */
function improvesAlone(id: string, scheme: "PCK" | "MK", because: string): Claim {
  return {
    id,
    quote: "The two methods for semi-supervision individually improve clustering accuracy",
    section: "section 1, of section 4's experiments",
    tested: `${scheme === "PCK" ? "constraints in seeding and assignment alone" : "metric learning alone"}: ${scheme} with ${SOME} constraints and more less ${scheme} without any`,
    published: "improves",
    about: "every",
    needs: NEEDS,
    judge: (seen) => ({
      cells: TITLES.map((set) => {
        const own = curve(seen, set, scheme);
        const none = { ...own, values: own.values.map(() => own.values[0]!) };
        return testCell({ row: set, column: scheme }, compareCurves(own, none, SOME));
      }),
      because,
    }),
  };
}

const overKMeans: Claim = {
  id: "figures-2-7.unsupervised",
  quote: "Superiority of semi-supervised over unsupervised clustering",
  section: "section 4.2",
  tested: `${RANGE}, less k-means`,
  published: "superior",
  about: "every",
  needs: NEEDS,
  judge: (seen) => ({
    cells: ["MPCK-S-D", "PCK", "MK"].flatMap((ours) => above(seen, { ours, other: "k-means" })),
    because: "MK-means loses with constraints what its metric gains without (the next claims but one).",
  }),
};

const overSupervised: Claim = {
  id: "figures-2-7.supervised",
  quote:
    "Improvements of semi-supervised clustering over SUPERVISED-MEANS indicate that iterative refinement of centroids using both constraints and unlabeled data outperforms purely supervised assignment",
  section: "section 4.2",
  tested: `${RANGE}: MPCK-S-D less supervised means, on all sets but Ionosphere`,
  published: "on all sets but Ionosphere",
  about: "every",
  needs: needsOf(TITLES.filter((title) => title !== "Ionosphere")),
  judge: (seen) => ({
    cells: above(seen, { ours: "MPCK-S-D", other: "supervised", sets: TITLES.filter((title) => title !== "Ionosphere") }),
  }),
};

const withoutConstraints: Claim = {
  id: "figures-2-7.without",
  quote: "even in the absence of constraints, weighting features by their variance […] improves clustering accuracy",
  section: "section 4.2, of Wine, Protein and Letters",
  tested: "without constraints, MK less k-means (MPCK without constraints is MK from other first centres)",
  published: "improves",
  about: "every",
  needs: needsOf(METRIC_SETS),
  judge: (seen) => ({
    cells: METRIC_SETS.flatMap((set) =>
      ["MPCK-S-D", "MK"].map((scheme) =>
        pairedCell(
          { row: set, column: `${scheme} less k-means` },
          at(curve(seen, set, scheme), 0),
          at(curve(seen, set, "k-means"), 0),
        ),
      ),
    ),
  }),
};

const wineFlat: Claim = {
  id: "figures-2-7.wine",
  quote: "For the Wine dataset, additional constraints provide an insubstantial improvement in cluster quality",
  section: "section 4.2",
  tested: "MPCK-S-D with the most constraints less without; alike within 0.05",
  published: "insubstantial",
  about: "every",
  needs: ["wine"],
  judge: (seen) => {
    const own = curve(seen, "Wine", "MPCK-S-D");
    return {
      cells: [evenCell({ row: "Wine", column: "MPCK-S-D" }, pairedTest(found(own.values.at(-1)!), found(own.values[0]!)), 0.05)],
      because: "from one random start without constraints the first clusters are often poor, so that seeding has much to mend.",
    };
  },
};

const dip: Claim = {
  id: "figures-2-7.dip",
  quote:
    "Some of the metric learning curves display a characteristic “dip”, where clustering accuracy decreases when initial constraints are provided, but after a certain point starts to increase and eventually rises above the initial point",
  section: "section 4.2",
  tested: "at some number of constraints F is below its start, and at the last it is above; both certainly",
  published: "some curves",
  about: "some",
  needs: NEEDS,
  judge: (seen) => ({
    cells: TITLES.flatMap((set) =>
      ["MPCK-S-D", "MK"].map((scheme) => {
        const { values } = curve(seen, set, scheme);
        const start = found(values[0]!);
        const falls = values.slice(1).map((own) => pairedTest(found(own), start));
        const lowest = falls.reduce((least, fall) => (fall.p < least.p && fall.difference < 0 ? fall : least), {
          ...falls[0]!,
          p: 1,
        });
        const end = falls.at(-1)!;
        const fallen = falls.length * lowest.p < 0.05;
        const words = fallen ? (end.difference > 0 ? "falls, ends above" : "falls and stays below") : "does not fall";
        const place = { row: set, column: scheme };
        const fall = largestCell(place, { ...lowest, difference: Math.abs(lowest.difference) }, falls.length, words);
        return weaker(fall, { ...testCell(place, end), said: words });
      }),
    ),
    because:
      "MK-means breaks most cannot-links, and each broken one, given or entailed, adds the farthest pair's squared difference to the sum that is inverted: the features that separate lose weight, and more constraints make it worse.",
  }),
};

function seeding(id: string, what: "at once" | "little more", quote: string): Claim {
  return {
    id,
    quote,
    section: "section 4.2, of PCK-means",
    tested:
      what === "at once"
        ? `F of PCK with ${SOME} constraints less without`
        : `what PCK gains from ${SOME} constraints to the most is less than what it gains up to ${SOME}`,
    published: what === "at once" ? "immediate positive effect" : "diminishing returns",
    about: "every",
    needs: NEEDS,
    judge: (seen) => ({
      cells: TITLES.map((set) => {
        const own = curve(seen, set, "PCK");
        const place = { row: set, column: "PCK" };
        const early = at(own, SOME).map((value, run) => value! - own.values[0]![run]!);
        if (what === "at once") return pairedCell(place, at(own, SOME), own.values[0]!);
        const late = own.values.at(-1)!.map((value, run) => value! - at(own, SOME)[run]!);
        return pairedCell(place, early, late);
      }),
      because:
        "unit costs are small beside squared distances on sets with large numbers, so that only the first centres know of the constraints.",
    }),
  };
}

export const ABLATION_CLAIMS: readonly Claim[] = [
  unified,
  overKMeans,
  improvesAlone(
    "figures-2-7.seeding-alone",
    "PCK",
    "unit costs change nothing on sets with large numbers, and seeds from few constraints may mislead.",
  ),
  improvesAlone(
    "figures-2-7.metric-alone",
    "MK",
    "MK-means takes no notice of constraints when it assigns rows, breaks most cannot-links, and each broken one adds the farthest pair's squared difference to the sum that is inverted: separating features lose weight, and the closure multiplies it.",
  ),
  overSupervised,
  withoutConstraints,
  wineFlat,
  dip,
  seeding(
    "figures-2-7.seeding-early",
    "at once",
    "seeding the clusters with a small number of pairwise constraints has an immediate positive effect on the final cluster quality",
  ),
  seeding(
    "figures-2-7.seeding-late",
    "little more",
    "providing more pairwise constraints has diminishing returns, i.e., PCK-MEANS learning curves rise slowly",
  ),
];
