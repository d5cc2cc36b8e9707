/**
 * The baselines on known data, against figures that other programs give: before a constraint can be said to help, the method
 * without it must stand where everybody's stands.
 */
import { kMeans, type Linkage, linkage } from "@coterie/core";
import { readTable } from "@coterie/data";
import { createSimdKernels } from "@coterie/kernels";
import type { Figure, Finding, Paper, Setting } from "../experiment.js";

interface Case {
  readonly data: string;
  readonly k: number;
  readonly method: "k-means" | Linkage;
  /** Adjusted Rand index of scikit-learn 1.9.1 (10 starts) or SciPy 1.17.1 on the same table. */
  readonly published: number;
}

const CASES: readonly Case[] = [
  { data: "iris-fisher", k: 3, method: "k-means", published: 0.73 },
  { data: "iris-fisher", k: 3, method: "complete", published: 0.642 },
  { data: "iris-fisher", k: 3, method: "ward", published: 0.731 },
  { data: "wine", k: 3, method: "k-means", published: 0.371 },
  { data: "wine", k: 3, method: "average", published: 0.293 },
  { data: "digits", k: 10, method: "complete", published: 0.429 },
  { data: "digits", k: 10, method: "ward", published: 0.794 },
];

const agreement: Figure = {
  name: "agreement",
  title: "Adjusted Rand index of the unconstrained methods, beside scikit-learn's and SciPy's",
  async run(setting) {
    const findings: Finding[] = [];
    for (const item of setting.quick ? CASES.slice(0, 3) : CASES) findings.push(await compare(item, setting));
    return { findings };
  },
};

async function compare({ data, k, method, published }: Case, { seed, log }: Setting): Promise<Finding> {
  const instances = await readTable(data, { truth: "class" });
  const kernels = createSimdKernels();
  const result =
    method === "k-means" ? kMeans(instances, { k, seed, kernels }) : linkage(instances, { linkage: method, k, kernels });
  const ours = result.scores!.adjustedRand;
  log(`${data}, ${method}: ${ours.toFixed(3)}`);
  return {
    claim: `${method} on ${data} with k = ${k}`,
    published: published.toFixed(3),
    ours: ours.toFixed(3),
    verdict: Math.abs(ours - published) < 0.0015 ? "holds" : "does not hold",
  };
}

export const baselines: Paper = {
  name: "baselines",
  title: "Unconstrained k-means and linkage, beside scikit-learn and SciPy",
  figures: [agreement],
};
