/** The k clusters of a finished hierarchy, by the rule that was asked for; soft outcomes become notices. */

import { type Closure, violationCount, violationsOf } from "../../../constraints/index.js";
import type { ConstraintSet, Triples } from "../../../model/constraint-set.js";
import type { Merge } from "../../../model/result.js";
import type { Step } from "../../../steps/index.js";
import { cutToK, labelsOfBranches } from "../cut/merges.js";
import type { Linkage } from "../linkage.js";
import { type DistancesFrom, distancesFor, type Ground } from "./branch-distances.js";
import { type Branches, cutAside, cutByTriplets } from "./cut.js";
import { type Aside, joinKeepingSteps, joinNearest, rowsByBranch } from "./outliers.js";

export interface Clusters {
  readonly labels: Int32Array;
  readonly notices: readonly string[];
}

export interface CutRequest {
  readonly k: number;
  readonly linkage: Linkage;
  readonly cut: "merges" | "largest" | "triplets";
  /** Branches of fewer rows are set aside. */
  readonly least: number;
  readonly outliersJoin: "keep" | "nearest";
}

/** A finished hierarchy, and what it is to keep: `given`, and all that follows from it. */
export interface Hierarchy {
  readonly merges: readonly Merge[];
  readonly closure: Closure;
  /** The triplets that the hierarchy induces. */
  readonly relative: Triples;
  readonly given: ConstraintSet;
}

export function* clusterSteps(hierarchy: Hierarchy, request: CutRequest, ground: Ground): Generator<Step, Clusters, void> {
  const { merges, closure } = hierarchy;
  const { n, componentCount } = closure;
  const k = Math.min(request.k, componentCount);
  const notices = k < request.k ? [fewerClusters(k, request.k)] : [];
  const plain = (more: readonly string[]): Clusters => ({ labels: cutToK(merges, n, k), notices: [...notices, ...more] });
  if (request.cut === "merges" && request.least <= 1) return plain([]);
  const cut = { ...request, k };
  const found =
    request.outliersJoin === "nearest"
      ? yield* nearestSteps(hierarchy, cut, ground)
      : yield* keepingSteps(hierarchy, cut, ground);
  if (found) return { ...found, notices: [...notices, ...found.notices] };
  return plain([`There are no ${k} branches of ${Math.ceil(request.least)} rows or more: outliers were not set aside.`]);
}

/** The paper's rule. Null if there are no k branches that are large enough. */
function* nearestSteps(hierarchy: Hierarchy, request: CutRequest, ground: Ground): Generator<Step, Clusters | null, void> {
  const branches = branchesOf(hierarchy, request, new Set());
  if (!branches) return null;
  const aside = yield* asideSteps(branches, hierarchy, distancesFor(request.linkage, ground));
  const labels = joinNearest(aside);
  const broken = violationCount(violationsOf({ ...hierarchy.given, relative: hierarchy.relative }, labels));
  return { labels, notices: aside.rows.length > 0 ? [`${setAside(aside)}${breaking(broken)}`] : [] };
}

/**
 * Branches that can join no cluster without breaking a constraint count in the cut, one after the other, the largest first; then the cut
 * stops earlier. Where there are many, an eighth of them at a time. Null if there are no k branches that are large enough.
 */
function* keepingSteps(hierarchy: Hierarchy, request: CutRequest, ground: Ground): Generator<Step, Clusters | null, void> {
  const { closure, relative } = hierarchy;
  const distances = distancesFor(request.linkage, ground);
  const counted = new Set<number>();
  let countedRows = 0;
  for (;;) {
    const branches = branchesOf(hierarchy, request, counted);
    if (!branches) return null;
    const aside = yield* asideSteps(branches, hierarchy, distances);
    const { labels, shutOut, detours } = yield* joinKeepingSteps(aside, closure, relative);
    if (shutOut.length === 0) {
      const joined = aside.rows.length > 0 ? [`${setAside(aside)}${keeping(detours)}`] : [];
      return { labels, notices: [...joined, ...gaveWay(counted.size, countedRows)] };
    }
    const sizeOf = (q: number): number => aside.rows[q]!.length;
    const largest = [...shutOut].sort((p, q) => sizeOf(q) - sizeOf(p) || branches.aside[q]! - branches.aside[p]!);
    for (const q of largest.slice(0, Math.max(1, Math.floor(largest.length / 8)))) {
      counted.add(branches.aside[q]!);
      countedRows += sizeOf(q);
    }
    yield { phase: "cutting", done: counted.size, total: null };
  }
}

function branchesOf(
  { merges, closure, relative }: Hierarchy,
  { cut, k, least }: CutRequest,
  counted: ReadonlySet<number>,
): Branches | null {
  const { n, componentCount } = closure;
  const [counting, firm] = [{ least, counted }, n - componentCount];
  return cut === "triplets"
    ? cutByTriplets(merges, n, k, counting, firm, relative)
    : cutAside(merges, n, k, counting, firm, cut === "largest" ? "largest" : "latest");
}

function fewerClusters(k: number, asked: number): string {
  return `The must-links and labels leave only ${k} groups of rows to tell apart: there are ${k} clusters instead of ${asked}.`;
}

function setAside({ rows }: Aside): string {
  const count = rows.reduce((sum, members) => sum + members.length, 0);
  return `Set aside while cutting: ${counted(count, "row", "rows")} in ${counted(rows.length, "small branch", "small branches")}.`;
}

function breaking(broken: number): string {
  const what = broken === 0 ? "no constraint" : counted(broken, "constraint", "constraints");
  return ` Each branch then joined its nearest cluster, which breaks ${what}.`;
}

function keeping(detours: number): string {
  if (detours === 0) return " Each branch then joined its nearest cluster.";
  return ` Each branch then joined the nearest cluster that keeps every constraint, which for ${detours} of them is not the nearest of all.`;
}

function gaveWay(branches: number, rows: number): string[] {
  if (branches === 0) return [];
  return [
    `${counted(branches, "small branch", "small branches")} of ${counted(rows, "row", "rows")} could join no cluster without breaking a constraint, and so counted in the cut (outliers-join nearest joins such branches too, and lists what that breaks).`,
  ];
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Branches whose distances take longer than this, in rows of theirs and of the table, are measured in several steps. */
const ROWS_PER_STEP = 100_000;

function* asideSteps(
  { clusters, aside }: Branches,
  { merges, closure: { n } }: Hierarchy,
  distancesFrom: DistancesFrom,
): Generator<Step, Aside, void> {
  const labels = labelsOfBranches(clusters, merges, n);
  const branch = labelsOfBranches(aside, merges, n);
  const rows = rowsByBranch(branch, aside.length);
  if (aside.length === 0) return { labels, branch, rows, distances: [] };
  const distancesTo = distancesFrom(rowsByBranch(labels, clusters.length));
  const distances: Float64Array[] = [];
  let pairs = 0;
  for (const members of rows) {
    pairs += members.length * n;
    if (pairs > ROWS_PER_STEP) {
      pairs = 0;
      yield { phase: "joining outliers", done: distances.length, total: rows.length };
    }
    distances.push(distancesTo(members));
  }
  return { labels, branch, rows, distances };
}
