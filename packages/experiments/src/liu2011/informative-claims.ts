/** What liu2011 says of figures 4 and 5, put to our trials. */
import { evenCell, factCell, testCell, welchCell } from "../frame/cells.js";
import { type Curve, compareCurves, found } from "../frame/curves.js";
import { titleOf } from "../frame/data.js";
import type { Claim, Line, Seen } from "../frame/paper.js";
import { deviationOf, deviationsTest, meanOf, pairedTest, withError } from "../frame/statistics.js";
import { distinct, numbersOf, where } from "../frame/trials.js";
import { curve, OVER_ALL } from "./compare.js";
import { KMEANS, KMEANS_SVM, RECON } from "./schemes.js";
import { NEEDS } from "./sets.js";
import { asManyRandom, cuts, informativeStatements, randomStatements, TIMED, times } from "./tables.js";

function cutF(seen: Seen, set: string, cut: string): number {
  return numbersOf(where(seen.lines(cuts), { set, cut }), "F")[0]!;
}

const perfect: Claim = {
  id: "figure-4.perfect",
  quote: "In the resulting k partition, we achieved 100% accuracy on all six datasets.",
  section: "section 5.2, with all informative constraints",
  tested: "pairwise F is 1, by the threshold of the outlier rule, which the paper does not state",
  published: "1 on six sets",
  about: "every",
  needs: NEEDS,
  judge: (seen) => ({
    cells: NEEDS.flatMap((set) =>
      ["threshold 5%", "threshold 12%"].map((cut) =>
        factCell({ row: titleOf(set), column: cut }, cutF(seen, set, cut) === 1, cutF(seen, set, cut).toFixed(3)),
      ),
    ),
    because:
      "on letters-IJLT the class T is two branches of 430 and 330 rows that join after J and L have: in merge order any threshold above 330 rows (10.8%) up to the smallest class gives 1, and none below it.",
  }),
};

const noThreshold: Claim = {
  id: "figure-4.no-threshold",
  section: "beyond the paper",
  tested: "a cut that needs no threshold, the k branches that settle the most statements (`--cut triplets`), gives F = 1",
  published: "–",
  about: "every",
  needs: NEEDS,
  judge: (seen) => ({
    cells: NEEDS.map((set) => {
      const f = cutF(seen, set, "by statements (ours)");
      return factCell({ row: titleOf(set), column: "F" }, f === 1, f.toFixed(3));
    }),
  }),
};

const embeds: Claim = {
  id: "figure-4.embeds",
  quote:
    "With all the constraints incorporated, ReCon always created a binary hierarchy that embeds the original two level hierarchy.",
  section: "section 5.2",
  tested:
    "with all informative statements, cutting in merge order without the outlier rule breaks no statement, and the k branches that settle the most are the classes",
  published: "always",
  about: "every",
  needs: NEEDS,
  judge: (seen) => ({
    cells: NEEDS.map((set) => {
      const f = cutF(seen, set, "by statements (ours)");
      return factCell({ row: titleOf(set), column: "classes are branches" }, f === 1, f === 1 ? "all" : "not all");
    }),
  }),
};

const informativeBetter: Claim = {
  id: "figure-4.better-than-random",
  quote:
    "In comparing with using randomly generated constraints of the same amount, ReCon attained significantly higher accuracy with informative constraints.",
  section: "section 5.2",
  tested: `${RECON}: ${OVER_ALL}, informative less random`,
  published: "all sets",
  about: "every",
  needs: NEEDS,
  judge: (seen) => ({
    cells: NEEDS.map((set) => {
      const informed = withoutFirst(curve(seen, informativeStatements, set, RECON));
      const test = compareCurves(informed, curve(seen, asManyRandom, set, RECON));
      return testCell({ row: titleOf(set), column: "informative less random" }, test);
    }),
    because: "on letters-IJLT the cut in merge order at 5% parts a class; other cuts find all.",
  }),
};

function withoutFirst({ counts, values }: Curve): Curve {
  return { counts: counts.slice(1), values: values.slice(1) };
}

const steadier: Claim = {
  id: "figure-4.steadier",
  quote:
    "The variance of the performance gain was also much smaller which indicates the steady informativeness of these constraints.",
  section: "section 5.2",
  tested: `${RECON}: the mean standard deviation of F over all numbers of statements but all of them is at most two thirds of that with random statements`,
  published: "much smaller",
  about: "every",
  needs: NEEDS,
  judge: (seen) => ({
    cells: NEEDS.map((set) => {
      const samples = (own: Curve): number[][] => own.values.slice(0, -1).map(found);
      const informed = samples(withoutFirst(curve(seen, informativeStatements, set, RECON)));
      const random = samples(curve(seen, asManyRandom, set, RECON));
      const words = [informed, random].map((all) => meanOf(all.map(deviationOf)).mean.toFixed(3)).join(" and ");
      return { ...testCell({ row: titleOf(set), column: "deviation" }, deviationsTest(random, informed, 2 / 3)), said: words };
    }),
  }),
};

const overSvm: Claim = {
  id: "figure-4.over-svm",
  quote: "ReCon showed significant improvements over using SVM Metric alone in all experiments (including Iris this time)",
  section: "section 5.2",
  tested: `with all informative statements, ${RECON} less ${KMEANS_SVM}`,
  published: "six of six",
  about: "every",
  needs: NEEDS,
  judge: (seen) => ({
    cells: NEEDS.map((set) => {
      const side = (scheme: string): number[] => found(curve(seen, informativeStatements, set, scheme).values.at(-1)!);
      return welchCell({ row: titleOf(set), column: "F" }, side(RECON), side(KMEANS_SVM));
    }),
  }),
};

const limited: Claim = {
  id: "figure-4.limited",
  quote: "But the overall accuracy gain in all experiments was very limited",
  section: "section 5.2, of K-Means + SVM with informative constraints",
  tested: `${KMEANS_SVM} with all informative statements less with the first number of random ones above none; alike within 0.05`,
  published: "very limited",
  about: "every",
  needs: NEEDS,
  judge: (seen) => ({
    cells: NEEDS.map((set) => {
      const informed = found(curve(seen, informativeStatements, set, KMEANS_SVM).values.at(-1)!);
      const random = found(curve(seen, randomStatements, set, KMEANS_SVM).values[1]!);
      return evenCell({ row: titleOf(set), column: "F" }, pairedTest(informed, random), 0.05);
    }),
  }),
};

const worseIonosphere: Claim = {
  id: "figure-4.ionosphere",
  quote: "and the clustering results became worse in Ionosphere",
  section: "section 5.2, of K-Means + SVM",
  tested: `${KMEANS} less ${KMEANS_SVM} with all informative statements`,
  published: "worse",
  about: "every",
  needs: ["ionosphere"],
  judge: (seen) => {
    const side = (scheme: string): number[] => found(curve(seen, informativeStatements, "ionosphere", scheme).values.at(-1)!);
    return { cells: [welchCell({ row: "ionosphere", column: "F" }, side(KMEANS), side(KMEANS_SVM))] };
  },
};

export const FIGURE_4: readonly Claim[] = [
  perfect,
  embeds,
  informativeBetter,
  steadier,
  overSvm,
  limited,
  worseIonosphere,
  noThreshold,
];

/** The median of ReCon's time over that of plain linkage. */
export function medianOf(lines: readonly Line[]): number {
  const ratios = lines
    .map((line) => (line["ReCon, ms"] as number) / (line["centroid linkage, ms"] as number))
    .sort((a, b) => a - b);
  return ratios[ratios.length >> 1]!;
}

const minutes: Claim = {
  id: "figure-5.minutes",
  quote: "In most experiments we conducted with the UCI datasets, our algorithm completed clustering within a few minutes.",
  section: "section 5.3",
  tested: "the longest run takes at most three minutes",
  published:
    "axes: 15 to 40 s on letters-IJLT, 18 to 23 s on digits-389, to 400 s on letters-3000, 19 to 24 s on digits-3000 (2.6 GHz, 2011)",
  about: "every",
  needs: TIMED,
  judge: (seen) => ({
    cells: TIMED.map((set) => {
      const longest = Math.max(...numbersOf(where(seen.lines(times), { set }), "ReCon, ms")) / 1000;
      const most = where(seen.lines(times), { set, count: 3000 });
      const words = `longest ${longest.toFixed(2)} s; with 3,000 statements ${withError(meanOf(numbersOf(most, "ReCon, ms").map((ms) => ms / 1000)), 2)} s`;
      return factCell({ row: set, column: "seconds" }, longest <= 180, words);
    }),
  }),
};

const depends: Claim = {
  id: "figure-5.depends",
  quote: "The running time largely depends on the distribution of the data and the constraints selected.",
  section: "section 5.3, figure 5",
  tested: "from none to 3,000 statements the time grows most on letters-3000, and less on the digits than on letters-IJLT",
  published: "by the axes: letters-IJLT at most × 2.7, digits × 1.3, letters-3000 × 20",
  about: "every",
  needs: TIMED,
  judge: (seen) => {
    const growth = Object.fromEntries(
      TIMED.map((set) => {
        const lines = where(seen.lines(times), { set });
        const counts = distinct<number>(lines, "count");
        return [set, medianOf(where(lines, { count: counts.at(-1)! })) / medianOf(where(lines, { count: 0 }))];
      }),
    );
    const words = (set: string): string => `× ${growth[set]!.toFixed(1)}`;
    const most = TIMED.every((set) => growth[set]! <= growth["letters-3000"]!);
    return {
      cells: [
        factCell({ row: "letters-3000", column: "grows most" }, most, words("letters-3000")),
        ...["digits-389", "digits-3000"].map((set) =>
          factCell(
            { row: set, column: "less than letters-IJLT" },
            growth[set]! < growth["letters-IJLT"]!,
            `${words(set)} and ${words("letters-IJLT")}`,
          ),
        ),
      ],
      because:
        "without a statement ours is the plain linkage kernel, so the first statement costs most on every set; tests themselves have become cheap.",
    };
  },
};

export const FIGURE_5: readonly Claim[] = [minutes, depends];
