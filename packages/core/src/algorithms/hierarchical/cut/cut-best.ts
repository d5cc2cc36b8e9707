/** The best cut of a finished hierarchy as labels, with what speaks for it. */
import { groupBeyond } from "../../../constraints/index.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { Chosen, Found, Merge } from "../../../model/result.js";
import { counted } from "../../../model/wording.js";
import { type BestCut, bestCut, bestCuts } from "./best-cut.js";
import type { Condensing, Scale } from "./condensed-tree.js";
import { type KeptWeights, keptWeights } from "./kept-weights.js";
import { labelsOfBranches } from "./merges.js";

export interface BestCutRequest {
  /** So many clusters; any number if left out. */
  readonly k?: number | undefined;
  readonly minClusterSize?: number | undefined;
  readonly scale?: Scale;
  /** What would give more clusters, as the subject of a sentence. */
  readonly looser?: string;
  /** The first merges that are never undone. */
  readonly firm?: number;
  /** For branches below a forbidden merge, the height at which they would merge if nothing were forbidden. */
  readonly ends?: ReadonlyMap<number, number> | undefined;
}

interface Wanted extends Condensing {
  readonly looser: string;
}

/** Of HDBSCAN's package. */
export const USUAL_MIN_CLUSTER_SIZE = 5;

/** Cuts into more clusters are not compared with others. */
const MOST_COMPARED = 50;

export function cutBest(
  merges: readonly Merge[],
  constraints: ConstraintSet,
  { k, minClusterSize, scale = "lifetime", looser = "A smaller minimum cluster size", firm = 0, ends }: BestCutRequest,
): Pick<Found, "labels" | "notices" | "chosen"> {
  const { n } = constraints;
  const condensing: Wanted = {
    looser,
    minClusterSize: minClusterSize ?? usualMinClusterSize(constraints),
    scale,
    firm,
    ...(ends ? { ends } : {}),
  };
  const kept = keptWeights(merges, n, constraints);
  if (k !== undefined) return cutInto(merges, k, kept, condensing, n);
  const found = bestCut(merges, n, kept, condensing);
  const labels = labelsOfBranches(found.branches, merges, n);
  const chosen = { k: found.branches.length, by: wordsFor(kept), evidence: evidenceFor(merges, n, kept, condensing, found) };
  return { labels, chosen, notices: noiseNotices(labels, found, condensing) };
}

/**
 * Clusters of 5 rows, as in HDBSCAN's package. But an exclusive group of g rows needs g clusters, and any cut two: then no more than a
 * quarter of the rows that a cluster has on average at most, so that records of a few sources may be alone.
 */
function usualMinClusterSize(constraints: ConstraintSet): number {
  const clusters = Math.max(2, groupBeyond(constraints, 0)?.rows ?? 0);
  return Math.max(1, Math.min(USUAL_MIN_CLUSTER_SIZE, Math.floor(constraints.n / (4 * clusters))));
}

function cutInto(
  merges: readonly Merge[],
  k: number,
  kept: KeptWeights,
  condensing: Wanted,
  n: number,
): Pick<Found, "labels" | "notices"> {
  const cuts = bestCuts(merges, n, k, kept, condensing);
  const found = cuts.into(Math.min(k, cuts.most));
  const labels = labelsOfBranches(found.branches, merges, n);
  const fewer =
    cuts.most < k
      ? [
          `The hierarchy has no ${k} clusters of at least ${counted(condensing.minClusterSize, "row")} apart from each other: there are ${cuts.most}. ${condensing.looser} allows more.`,
        ]
      : [];
  return { labels, notices: [...fewer, ...noiseNotices(labels, found, condensing)] };
}

function wordsFor({ any }: KeptWeights): string {
  return any ? "best cut: constraint weight, then stability" : "best cut: stability";
}

/** The best cuts into fewer and more clusters, and how stable they are. */
function evidenceFor(
  merges: readonly Merge[],
  n: number,
  kept: KeptWeights,
  condensing: Condensing,
  found: BestCut,
): Chosen["evidence"] {
  const k = found.branches.length;
  if (k < 2 || 2 * k > MOST_COMPARED) return k === 0 ? [] : [{ k, score: found.stability }];
  const cuts = bestCuts(merges, n, Math.max(10, 2 * k), kept, condensing);
  const lost = (cut: BestCut) => (kept.any ? { lost: Math.max(0, found.weight - cut.weight) } : {});
  return Array.from({ length: cuts.most - 1 }, (_, at) => {
    const cut = cuts.into(at + 2);
    return { k: at + 2, score: cut.stability, ...lost(cut) };
  });
}

function noiseNotices(labels: Int32Array, { branches }: BestCut, { minClusterSize, looser }: Wanted): string[] {
  const noise = labels.reduce((sum, label) => sum + (label < 0 ? 1 : 0), 0);
  if (noise === 0) return [];
  const least = counted(minClusterSize, "row");
  if (branches.length === 0)
    return [
      `No part of the hierarchy splits into two clusters of at least ${least}: every row is noise. ${looser}, or a number of clusters, gives clusters.`,
    ];
  return [
    `${counted(noise, "row")} ${noise === 1 ? "is" : "are"} noise: clusters have at least ${least}. With the minimum cluster size 1 every row is in a cluster.`,
  ];
}
