/** The methods, by name: the only list of them. */
import { type Linkage, linkageOptions, linkageSteps } from "./algorithms/hierarchical/linkage.js";
import { IGNORES_ALL, type Method } from "./algorithms/method.js";
import { kMeansOptions, kMeansStarts, kMeansSteps } from "./algorithms/partition/kmeans.js";

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
