/** The claims of liu2011 about figures 2 and 3. */
import { evenCell, largestCell, pairedCell, testCell } from "../frame/cells.js";
import { at, compareCurves, curveOf, found } from "../frame/curves.js";
import { titleOf } from "../frame/data.js";
import type { Claim, PageData } from "../frame/paper.js";
import { deviationOf, deviationsTest, meanOf, pairedTest, testOf } from "../frame/statistics.js";
import { where } from "../frame/trials.js";
import { above, curve, LARGE, OVER_ALL } from "./compare.js";
import { KMEANS, KMEANS_SVM, PLAIN, RECON, RECON_OURS, RECON_SVM } from "./schemes.js";
import { NEEDS } from "./sets.js";
import { randomConstraints } from "./tables.js";

/** Smallest difference of pairwise F that counts as a “large margin”. */
const MARGIN = 0.05;
const BUT_IRIS = NEEDS.filter((set) => titleOf(set) !== "iris");

const svmHelps: Claim = {
  id: "figure-2.svm-helps",
  quote:
    "In most experiments, incorporating SVM Metric in K-Means performed significantly better than its baseline (K-Means + Euclidean Metric).",
  section: "section 5.1",
  tested: OVER_ALL,
  published: "in most experiments",
  about: "most",
  needs: NEEDS,
  judge: (seen) => ({
    cells: above(seen, randomConstraints, KMEANS_SVM, KMEANS, NEEDS),
    because: "one weight per column helps only where some columns mislead.",
  }),
};

const flat: Claim = {
  id: "figure-2.flat",
  quote: "the accuracy curves of K-Means + SVM Metric are relatively flat",
  section: "section 5.1",
  tested: "F with the most constraints and with the first number above none are alike within 0.05",
  published: "relatively flat",
  about: "every",
  needs: NEEDS,
  judge: (seen) => ({
    cells: NEEDS.map((set) => {
      const own = curve(seen, randomConstraints, set, KMEANS_SVM);
      return evenCell(
        { row: titleOf(set), column: KMEANS_SVM },
        pairedTest(found(own.values.at(-1)!), found(own.values[1]!)),
        0.05,
      );
    }),
  }),
};

const outperforms: Claim = {
  id: "figure-2.outperforms",
  quote:
    "Our algorithm ReCon, incorporating either of the metrics, outperformed K-Means + SVM Metric by large margins in all but one experiments. The only exception is Iris.",
  section: "section 5.1",
  tested: `${OVER_ALL}; at least ${MARGIN}`,
  published: "five of six sets",
  about: "every",
  needs: BUT_IRIS,
  judge: (seen) => ({
    cells: [RECON, RECON_SVM].flatMap((scheme) => above(seen, randomConstraints, scheme, KMEANS_SVM, BUT_IRIS, MARGIN)),
    because:
      "learned weights bring K-Means far on wine, whose raw columns differ in scale; and a cut in merge order misses classes that are several branches (see figure 4).",
  }),
};

const euclideanBetter: Claim = {
  id: "figure-2.euclidean",
  quote: "ReCon + Euclidean Metric generally performed better than ReCon + SVM Metric",
  section: "section 5.1",
  tested: OVER_ALL,
  published: "generally",
  about: "most",
  needs: NEEDS,
  judge: (seen) => ({
    cells: above(seen, randomConstraints, RECON, RECON_SVM, NEEDS),
    because: "where columns differ in scale the learned weights help ReCon too.",
  }),
};

const improves: Claim = {
  id: "figure-2.improves",
  quote:
    "The advantage of our method on the remaining five datasets was generally obvious with a small amount of constraints regardless of the baseline accuracies (without constraints).",
  section: "section 5.1",
  tested: `with the fewest constraints above none (a quarter as many as rows, in a quick run half), ${RECON} less ${PLAIN}`,
  published: "generally obvious",
  about: "most",
  needs: BUT_IRIS,
  judge: (seen) => ({
    cells: BUT_IRIS.map((set) => {
      const [own, plain] = [curve(seen, randomConstraints, set, RECON), curve(seen, randomConstraints, set, PLAIN)];
      const few = own.counts[1]!;
      return pairedCell({ row: titleOf(set), column: `${RECON} less ${PLAIN}` }, at(own, few), at(plain, few));
    }),
    because: "few random constraints leave the cut in merge order where it was.",
  }),
};

/** Our claim: the constraints that the printed rule breaks, and the accuracy that keeping them costs. */
const keeping: Claim = {
  id: "figure-2.keeping",
  section: "section 4.2.1",
  tested: `joining only where every constraint is kept costs accuracy: ${OVER_ALL}, ${RECON} with the outlier rule as printed less the keeping one (ours)`,
  published: "–",
  about: "most",
  needs: NEEDS,
  judge: (seen) => ({
    cells: NEEDS.map((set) => {
      const lines = where(seen.lines(randomConstraints), { set });
      const [printed, own] = [curveOf(lines, RECON), curveOf(lines, RECON_OURS)];
      const cell = testCell({ row: titleOf(set), column: "printed less keeping" }, compareCurves(printed, own));
      const broken = (how: string): string => meanOf(found(curveOf(lines, `broken, ${how}`).values.at(-1)!)).mean.toFixed(1);
      return {
        ...cell,
        said: `${cell.said}; with most constraints ${broken("printed")} broken, ${broken("keeping")} when keeping`,
      };
    }),
  }),
};

export const FIGURE_2: readonly Claim[] = [svmHelps, flat, outperforms, euclideanBetter, improves, keeping];

function samples(seen: PageData, set: string, scheme: string): number[][] {
  return curve(seen, randomConstraints, set, scheme).values.slice(1).map(found);
}

const varies: Claim = {
  id: "figure-3.varies",
  quote:
    "the clustering quality in individual runs could vary considerably when applying different sets of randomly sampled relative constraints",
  section: "section 5.1, figure 3",
  tested: "the largest standard deviation over the numbers of constraints is at least 0.03",
  published: "axes of the deviations: to 0.2 on letters-IJLT, to 0.1 on digits-389",
  about: "every",
  needs: LARGE,
  judge: (seen) => ({
    cells: LARGE.map((set) => {
      const all = samples(seen, set, RECON).map(deviationOf);
      const most = Math.max(...all);
      // The standard error of a standard deviation of n values is about its 1/√(2n - 2).
      const freedom = curve(seen, randomConstraints, set, RECON).values[0]!.length - 1;
      const test = testOf(most - 0.03, most / Math.sqrt(2 * freedom), freedom);
      return largestCell({ row: set, column: "largest deviation" }, test, all.length, most.toFixed(3));
    }),
    because: "where every run finds nearly all classes from the first number of constraints on, nothing is left to vary.",
  }),
};

const svmSteadier: Claim = {
  id: "figure-3.svm-steadier",
  quote:
    "the variance of using SVM Metric alone is lower due to its “saturation” behavior. But this is at the cost of having much lower overall accuracy.",
  section: "section 5.1",
  tested: "the mean standard deviation over the numbers of constraints is lower, and so is the mean F",
  published: "lower, and lower",
  about: "every",
  needs: LARGE,
  judge: (seen) => ({
    cells: LARGE.flatMap((set) => {
      const [own, svm] = [samples(seen, set, RECON), samples(seen, set, KMEANS_SVM)];
      const words = [svm, own].map((all) => meanOf(all.map(deviationOf)).mean.toFixed(3)).join(" and ");
      const lower = { ...testCell({ row: set, column: "deviation" }, deviationsTest(own, svm)), said: words };
      const test = compareCurves(curve(seen, randomConstraints, set, RECON), curve(seen, randomConstraints, set, KMEANS_SVM));
      return [lower, testCell({ row: set, column: "F, ReCon less K-Means + SVM" }, test)];
    }),
  }),
};

export const FIGURE_3: readonly Claim[] = [varies, svmSteadier];
