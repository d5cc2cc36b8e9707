/** The k clusters of a finished hierarchy, by the rule that was asked for; soft outcomes become notices. */

import { listsByKey } from "../../constraints/components.js";
import type { Closure } from "../../constraints/index.js";
import type { Arena, F32, F64, Kernels } from "../../kernels/index.js";
import type { Triples } from "../../model/constraint-set.js";
import type { Merge } from "../../model/result.js";
import { columnRanges } from "../distance.js";
import type { Linkage, PreparedLinkage } from "./linkage.js";
import { cutToK } from "./merges.js";
import { type Branches, cutAside, cutByStatements, labelsOfBranches } from "./recon-cut.js";
import { type DistancesTo, placeBranches } from "./recon-outliers.js";

export interface Clusters {
  readonly labels: Int32Array;
  readonly notices: readonly string[];
}

export interface CutRequest {
  readonly k: number;
  readonly linkage: Linkage;
  readonly cut: "merges" | "largest" | "statements";
  /** Branches of fewer rows are set aside. */
  readonly least: number;
}

/** What distances are made of. */
export interface Ground {
  readonly prepared: PreparedLinkage;
  /** An n × n block, free to be written to. */
  readonly matrix: F64 | F32;
  readonly kernels: Kernels;
  readonly arena: Arena;
}

/** `relative`: the statements that the hierarchy induces. */
export function clustersOf(
  merges: readonly Merge[],
  closure: Closure,
  relative: Triples,
  request: CutRequest,
  ground: Ground,
): Clusters {
  const { n, componentCount } = closure;
  const k = Math.min(request.k, componentCount);
  const notices = k < request.k ? [fewerClusters(k, request.k)] : [];
  const firm = n - componentCount;
  const plain = (more: readonly string[]): Clusters => ({ labels: cutToK(merges, n, k), notices: [...notices, ...more] });
  if (request.cut === "merges" && request.least <= 1) return plain([]);
  const branches =
    request.cut === "statements"
      ? cutByStatements(merges, n, k, request.least, firm, relative)
      : cutAside(merges, n, k, request.least, firm, request.cut === "largest" ? "largest" : "latest");
  if (!branches)
    return plain([`There are no ${k} branches of ${Math.ceil(request.least)} rows or more: outliers were not set aside.`]);
  const labels = withOutliers(branches, merges, closure, relative, request.linkage, ground);
  if (!labels) return plain(["The outliers could not join a cluster without breaking a constraint: they were not set aside."]);
  const outliers = branches.aside.reduce((sum, node) => sum + (node < n ? 1 : merges[node - n]![3]), 0);
  return { labels, notices: outliers > 0 ? [...notices, setAside(outliers, branches.aside.length)] : notices };
}

function fewerClusters(k: number, asked: number): string {
  return `The must-links and labels leave only ${k} groups of rows to tell apart: there are ${k} clusters instead of ${asked}.`;
}

function setAside(rows: number, branches: number): string {
  return `${rows} ${rows === 1 ? "row" : "rows"} in ${branches} small ${branches === 1 ? "branch" : "branches"} were set aside while cutting, and then joined their nearest cluster.`;
}

function withOutliers(
  { clusters, aside }: Branches,
  merges: readonly Merge[],
  closure: Closure,
  relative: Triples,
  linkage: Linkage,
  ground: Ground,
): Int32Array | null {
  const labels = labelsOfBranches(clusters, merges, closure.n);
  const branch = labelsOfBranches(aside, merges, closure.n);
  if (aside.length === 0) return labels;
  const rows = listsByKey(labels, clusters.length);
  const members = clusters.map((_, g) => rows.items.subarray(rows.start[g]!, rows.start[g + 1]!));
  const usesMeans = linkage === "centroid" || linkage === "median" || linkage === "ward";
  const distancesTo = usesMeans ? distancesOfMeans(ground, members, linkage) : distancesOfRows(ground, members, linkage);
  return placeBranches(labels, branch, aside.length, clusters.length, closure, relative, distancesTo) ? labels : null;
}

/** Squared distances between means; for Ward's linkage times the sizes' harmonic part, as it adds to the variance. */
function distancesOfMeans({ prepared: { points } }: Ground, members: readonly Int32Array[], linkage: Linkage): DistancesTo {
  const { d, x } = points;
  const meanOf = (rows: Int32Array): Float64Array => {
    const mean = new Float64Array(d);
    for (const row of rows) for (let j = 0; j < d; j++) mean[j]! += x[row * d + j]! / rows.length;
    return mean;
  };
  const means = members.map(meanOf);
  return (rows) => {
    const own = meanOf(rows);
    return Float64Array.from(means, (mean, g) => {
      const square = mean.reduce((sum, value, j) => sum + (value - own[j]!) * (value - own[j]!), 0);
      const size = members[g]!.length;
      return linkage === "ward" ? (square * size * rows.length) / (size + rows.length) : square;
    });
  };
}

/** The least, greatest or mean distance between rows, by the linkage; the rows' distances are computed anew. */
function distancesOfRows(
  { prepared, matrix, kernels, arena }: Ground,
  members: readonly Int32Array[],
  linkage: Linkage,
): DistancesTo {
  const { n, d } = prepared.points;
  const x = arena.f64(n * d);
  x.view().set(prepared.points.x.subarray(0, n * d));
  const ranges = prepared.metric === "gower" ? columnRanges(prepared.points, arena) : null;
  return (rows) => {
    for (const row of rows) kernels.distances(prepared.metric, x, n, d, ranges, row, row + 1, matrix);
    const view = matrix.view();
    return Float64Array.from(members, (others) => {
      const state = { least: Infinity, most: 0, sum: 0 };
      for (const row of rows) {
        for (const other of others) {
          const value = view[row * n + other]!;
          state.least = Math.min(state.least, value);
          state.most = Math.max(state.most, value);
          state.sum += value;
        }
      }
      if (linkage === "single") return state.least;
      return linkage === "complete" ? state.most : state.sum / (rows.length * others.length);
    });
  };
}
