/**
 * Finds rules for a clustering from any method. A tree separates the clusters by tests on the columns. The search is the same as in
 * clusilc, with one difference: only the variance (Gini index) of the cluster number counts. Each leaf gets the cluster that has the most
 * rows in it.
 */

import { closeConstraints, emptyConstraints } from "../../constraints/index.js";
import { badInput } from "../../errors.js";
import { gatherRows, type Instances, type Rows } from "../../model/points.js";
import type { ClusterTree } from "../../model/tree.js";
import { asPoints } from "../../rows.js";
import { drain, type Steps } from "../../steps/index.js";
import { wholeRows } from "../encode.js";
import { type ClusterFidelity, clusterFidelities } from "./fidelity.js";
import { grow } from "./grow/grow.js";
import type { Split } from "./grow/growing-tree.js";
import { pairCosts } from "./grow/label-rules.js";
import { buildTree, replay, splitCountByCost } from "./grow/prune.js";

import { spaceSteps, untestedNotices } from "./grow/space.js";
import { predictRows } from "./rules/predict.js";
import { type Rule, rulesSteps, ruleText } from "./rules/rules.js";

export interface ExplainOptions {
  readonly maxLeaves?: number;
  /** Minimum number of rows in a leaf. Default 1. */
  readonly minLeaf?: number;
  /**
   * Pruning: the least decrease of the Gini index for each leaf, as a share of the Gini index of the clustering. A larger value gives
   * shorter rules. Default 0.005.
   */
  readonly leafCost?: number;
  /** Columns that rules can use. Default all. */
  readonly describe?: readonly string[];
}

export interface Explanation {
  readonly tree: ClusterTree;
  /** The rule of each cluster, by cluster number: as text, and as conditions. */
  readonly rules: readonly string[];
  readonly conditions: readonly Rule[];
  /** The cluster of each row by the rules, also for rows that are in no cluster. */
  readonly labels: Int32Array;
  /** Share of the rows to which the rules give the right cluster. Rows in no cluster are ignored. */
  readonly fidelity: number;
  readonly clusters: readonly ClusterFidelity[];
  /** Sentences about columns that were left out. */
  readonly notices: readonly string[];
}

/**
 * Rules that describe clusters 0, 1, 2, … by conditions on the columns, and how exact they are. Rows with label -1 are in no cluster.
 *
 * ```ts
 * const { rules, fidelity } = explainLabels(points, result.labels);
 * ```
 */
export function explainLabels(points: Instances | Rows, labels: Int32Array, options: ExplainOptions = {}): Explanation {
  return drain(explainSteps(asPoints(points), labels, options));
}

export function* explainSteps(table: Instances, labels: Int32Array, options: ExplainOptions = {}): Steps<Explanation> {
  const { maxLeaves = Infinity, minLeaf = 1, leafCost = 0.005, describe } = options;
  if (labels.length !== table.n) throw badInput(`There are ${labels.length} labels for ${table.n} rows.`);
  const { points } = wholeRows(table);
  const rows = Int32Array.from(labels.keys()).filter((i) => labels[i]! >= 0);
  if (rows.length === 0) throw badInput("No row is in a cluster: there is nothing to explain.");
  const known = rowsWhere(points, rows);
  const codes = rows.map((i) => labels[i]!);
  const count = codes.reduce((most, code) => Math.max(most, code), 0) + 1;
  const space = { ...(yield* spaceSteps(known, { describe, variance: [] })), levels: [{ codes, count }] };
  const costs = pairCosts(closeConstraints(emptyConstraints(known.n)));
  const search = { k: Infinity, gamma: 0, minLeaf, labelRule: "any", maxLeaves, beam: 1 } as const;
  const grown = yield* grow(space, costs, search);
  const main = (slot: Int32Array) => mainCluster(slot, codes, count);
  const isPresent = new Set(codes);
  const hasAll = (splits: readonly Split[]) => new Set(replay(space, splits).map(main)).size === isPresent.size;
  const worth = splitCountByCost(grown, leafCost);
  const splits = grown.splits.slice(0, splitsForAll(grown.splits, worth, hasAll));
  const slots = replay(space, splits);
  const tree = buildTree(known, space, splits, slots, (slot) => main(slots[slot]!));
  const conditions = yield* rulesSteps(tree);
  const given = predictRows(tree, points);
  const right = rows.reduce((sum, i) => sum + (given[i] === labels[i] ? 1 : 0), 0);
  return {
    tree,
    conditions,
    rules: Array.from({ length: count }, (_, cluster) => ruleText(conditions[cluster] ?? [], tree.notations)),
    labels: given,
    fidelity: right / rows.length,
    clusters: clusterFidelities(labels, given, count),
    notices: untestedNotices(space),
  };
}

/** Maximum number of splits added to the pruned tree to give each cluster a leaf. */
const MOST_MORE = 64;

/**
 * The least number of splits after which each cluster has a leaf: at least `worth`, at most `worth` + MOST_MORE. If this is not possible,
 * `worth`.
 */
function splitsForAll(splits: readonly Split[], worth: number, hasAll: (splits: readonly Split[]) => boolean): number {
  const most = Math.min(splits.length, worth + MOST_MORE);
  if (worth === most || !hasAll(splits.slice(0, most))) return worth;
  for (let count = worth; count < most; count++) if (hasAll(splits.slice(0, count))) return count;
  return most;
}

/** The cluster that contains the most of these rows, the lowest number on ties. */
function mainCluster(rows: Int32Array, codes: Int32Array, count: number): number {
  const counts = new Int32Array(count);
  for (const row of rows) counts[codes[row]!]!++;
  return counts.reduce((best, rowsHere, cluster) => (rowsHere > counts[best]! ? cluster : best), 0);
}

function rowsWhere(points: Instances, rows: Int32Array): Instances {
  const { d } = points;
  const { nominal, names, levels, notations, scaling } = points;
  return {
    n: rows.length,
    d,
    x: gatherRows(points.x, d, rows),
    ...(nominal ? { nominal } : {}),
    ...(names ? { names } : {}),
    ...(levels ? { levels } : {}),
    ...(notations ? { notations } : {}),
    ...(scaling ? { scaling } : {}),
    ...(points.file === undefined ? {} : { file: points.file }),
  };
}
