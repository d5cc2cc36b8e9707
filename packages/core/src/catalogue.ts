/** The methods, by name: the only list of them. */
import { type Linkage, linkageOptions, linkageSteps } from "./algorithms/hierarchical/linkage.js";
import { IGNORES_ALL, type Method, type Treatments } from "./algorithms/method.js";
import { kMeansOptions, kMeansStarts, kMeansSteps } from "./algorithms/partition/kmeans.js";
import { mkMeansMethod, mkMeansOptions } from "./algorithms/partition/mk-means.js";
import { mpckMeansMethod, mpckMeansOptions } from "./algorithms/partition/mpck-means.js";
import { pckMeansMethod, pckMeansOptions } from "./algorithms/partition/pck-means.js";
import { rcaKMeansOptions, rcaKMeansStarts, rcaKMeansSteps } from "./algorithms/partition/rca-kmeans.js";
import { supervisedMeansOptions, supervisedMeansSteps } from "./algorithms/partition/supervised-means.js";

const BILENKO = "Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. 2004";
const SOFT: Treatments = { mustLink: "soft", cannotLink: "soft", relative: "ignored", labels: "soft", exclusive: "soft" };
const SOFT_TOGETHER: Treatments = { ...SOFT, cannotLink: "ignored", exclusive: "ignored" };
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
    options: linkageOptions,
    steps: linkageSteps(kind),
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
    options: kMeansOptions,
    steps: kMeansSteps,
    starts: kMeansStarts,
  },
  {
    name: "pck-means",
    title: "PCK-means",
    summary: "k-means with a price on every constraint that it breaks",
    paper: BILENKO,
    family: "partition",
    treats: SOFT,
    options: pckMeansOptions,
    ...pckMeansMethod,
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
    options: supervisedMeansOptions,
    steps: supervisedMeansSteps,
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
  linkageMethod("complete-link", "complete", "merges the two groups whose farthest rows are closest"),
  linkageMethod("single-link", "single", "merges the two groups whose nearest rows are closest"),
  linkageMethod("average-link", "average", "merges the two groups of least mean distance between their rows"),
  linkageMethod("weighted-link", "weighted", "like average-link, with the two halves of a group weighing the same"),
  linkageMethod("ward", "ward", "merges the two groups that add least to the variance within groups"),
  linkageMethod("centroid-link", "centroid", "merges the two groups whose means are closest"),
  linkageMethod("median-link", "median", "like centroid-link, with the two halves of a group weighing the same"),
];

export function findMethod(name: string): Method | undefined {
  return catalogue.find((method) => method.name === name);
}
