/** The methods, by name: the only list of them. */
import { cclOptions, cclSteps } from "./algorithms/hierarchical/ccl.js";
import { type Linkage, linkageOptions, linkageSteps } from "./algorithms/hierarchical/linkage.js";
import { reconMethod } from "./algorithms/hierarchical/recon.js";
import { IGNORES_ALL, type Method, type Treatments } from "./algorithms/method.js";
import { withLearnedMetric } from "./algorithms/metric/learned.js";
import { copKMeansOptions, copKMeansStarts, copKMeansSteps } from "./algorithms/partition/cop-kmeans.js";
import { kMeansOptions, kMeansStarts, kMeansSteps } from "./algorithms/partition/kmeans.js";
import { mkMeansMethod, mkMeansOptions } from "./algorithms/partition/mk-means.js";
import { mpckMeansMethod, mpckMeansOptions } from "./algorithms/partition/mpck-means.js";
import { pckMeansMethod, pckMeansOptions } from "./algorithms/partition/pck-means.js";
import { rcaKMeansOptions, rcaKMeansStarts, rcaKMeansSteps } from "./algorithms/partition/rca-kmeans.js";
import { supervisedMeansOptions, supervisedMeansSteps } from "./algorithms/partition/supervised-means.js";
import { svmKMeansOptions, svmKMeansSteps } from "./algorithms/partition/svm-kmeans.js";
import { clusilcOptions, clusilcSteps } from "./algorithms/tree/clusilc.js";

const BILENKO = "Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. 2004";
const SOFT: Treatments = { mustLink: "soft", cannotLink: "soft", relative: "ignored", labels: "soft", exclusive: "soft" };
const SOFT_TOGETHER: Treatments = { ...SOFT, cannotLink: "hard-only", exclusive: "ignored" };
const MUELLNER = "Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011";

function linkageMethod(name: string, kind: Linkage, summary: string): Method {
  const title = `${kind[0]!.toUpperCase()}${kind.slice(1)} linkage`;
  return {
    name,
    title,
    summary,
    paper: MUELLNER,
    family: "hierarchy",
    treats: IGNORES_ALL,
    ...withLearnedMetric({ options: linkageOptions, steps: linkageSteps(kind) }),
  };
}

export const catalogue: readonly Method[] = [
  {
    name: "kmeans",
    title: "k-means",
    summary: "k groups around their means; looks at no constraint",
    paper: "Lloyd: Least squares quantization in PCM. 1982",
    family: "partition",
    treats: IGNORES_ALL,
    ...withLearnedMetric({ options: kMeansOptions, steps: kMeansSteps, starts: kMeansStarts }),
  },
  {
    name: "cop-kmeans",
    title: "COP-k-means",
    summary: "k-means that keeps every constraint, and clusters within size bounds; says so if none can",
    paper: "Wagstaff, Cardie, Rogers, Schroedl: Constrained K-means Clustering with Background Knowledge. 2001",
    family: "partition",
    treats: { mustLink: "hard", cannotLink: "hard", relative: "ignored", labels: "hard", exclusive: "hard" },
    ...withLearnedMetric({ options: copKMeansOptions, steps: copKMeansSteps, starts: copKMeansStarts }),
  },
  {
    name: "pck-means",
    title: "PCK-means",
    summary: "k-means with a price on every constraint that it breaks",
    paper: BILENKO,
    family: "partition",
    treats: SOFT,
    ...withLearnedMetric({ options: pckMeansOptions, ...pckMeansMethod }),
  },
  {
    name: "mk-means",
    title: "MK-means",
    summary: "k-means with a learned metric; constraints shape the metric alone",
    paper: BILENKO,
    family: "partition",
    treats: SOFT,
    options: mkMeansOptions,
    ...mkMeansMethod,
  },
  {
    name: "mpck-means",
    title: "MPCK-means",
    summary: "k-means with a price on broken constraints and a metric learned from them, or one for each cluster",
    paper: BILENKO,
    family: "partition",
    treats: SOFT,
    options: mpckMeansOptions,
    ...mpckMeansMethod,
  },
  {
    name: "supervised-means",
    title: "Supervised means",
    summary: "each row goes to the nearest centroid of must-linked rows, once",
    paper: BILENKO,
    family: "partition",
    treats: SOFT_TOGETHER,
    ...withLearnedMetric({ options: supervisedMeansOptions, steps: supervisedMeansSteps }),
  },
  {
    name: "rca-kmeans",
    title: "RCA and k-means",
    summary: "k-means under a metric in which must-linked rows are close",
    paper: `Bar-Hillel, Hertz, Shental, Weinshall: Learning Distance Functions using Equivalence Relations. 2003; ${BILENKO}`,
    family: "partition",
    treats: SOFT_TOGETHER,
    options: rcaKMeansOptions,
    steps: rcaKMeansSteps,
    starts: rcaKMeansStarts,
  },
  {
    name: "svm-kmeans",
    title: "k-means with a metric from relative constraints",
    summary: "k-means with a weight for each column, learned from relative constraints",
    paper: "Schultz, Joachims: Learning a Distance Metric from Relative Comparisons. 2004",
    family: "partition",
    treats: { ...IGNORES_ALL, relative: "soft" },
    options: svmKMeansOptions,
    steps: svmKMeansSteps,
  },
  {
    name: "recon",
    title: "ReCon",
    summary: "a hierarchy that induces every relative constraint, and keeps all others",
    paper: "Liu, Zhang, Wang: Clustering with Relative Constraints. 2011",
    family: "hierarchy",
    treats: { mustLink: "hard", cannotLink: "hard", relative: "hard", labels: "hard", exclusive: "hard" },
    ...reconMethod,
  },
  {
    name: "ccl",
    title: "Constrained complete linkage",
    titleWith: ({ linkage }) => `Constrained ${linkage === "ward" ? "Ward" : (linkage ?? "complete")} linkage`,
    summary:
      "constraints change the distances, the linkage does the rest; keeps must-links, and cannot-links where k clusters can",
    paper: "Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. 2002",
    family: "hierarchy",
    treats: { mustLink: "hard", cannotLink: "soft", relative: "ignored", labels: "soft", exclusive: "soft" },
    ...withLearnedMetric({ options: cclOptions, steps: cclSteps }),
  },
  linkageMethod("complete-link", "complete", "merges the two groups whose farthest rows are closest"),
  linkageMethod("single-link", "single", "merges the two groups whose nearest rows are closest"),
  linkageMethod("average-link", "average", "merges the two groups of least mean distance between their rows"),
  linkageMethod("weighted-link", "weighted", "like average-link, with the two halves of a group weighing the same"),
  linkageMethod("ward", "ward", "merges the two groups that add least to the variance within groups"),
  linkageMethod("centroid-link", "centroid", "merges the two groups whose means are closest"),
  linkageMethod("median-link", "median", "like centroid-link, with the two halves of a group weighing the same"),
  {
    name: "clusilc",
    title: "ClusILC",
    summary: "a tree under constraints that says each cluster as a rule",
    paper: "Struyf, Džeroski: Clustering Trees with Instance Level Constraints. 2007",
    family: "tree",
    treats: SOFT,
    options: clusilcOptions,
    steps: clusilcSteps,
  },
];

export function findMethod(name: string): Method | undefined {
  return catalogue.find((method) => method.name === name);
}
