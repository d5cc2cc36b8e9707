/** What the clusters of a run are: profiles, typical and doubtful rows, rules, what is broken and why, weights of columns. */
import { drive, explainSteps, featureWeights, type Instances, type Merge, NO_RULE, type Report } from "@coterie/core/internal";
import type { Said } from "../knowledge/constraint-set.js";
import type { Watch } from "../pool.js";
import type { Understanding } from "../protocol/runs.js";
import { everyTurn } from "../run.js";
import { brokenBy } from "./broken.js";
import type { Seat } from "./compute.js";
import type { Lettered } from "./letters.js";
import { doubtOf, marginsOf } from "./margins.js";
import { evenSample, partOf } from "./part.js";
import { columnProfiles } from "./profiles.js";

export interface UnderstandInput {
  readonly run: Lettered;
  readonly report: Pick<Report, "merges" | "metric">;
  readonly said: readonly Said[];
}

/** Words are to be read: a leaf has to be right about so large a share of the rows that the tree before was wrong about. */
const LEAF_COST = 0.02;

/** Limits of the rules that people read, for k clusters; the studio and the command line share them. */
export function shortRules(k: number): { readonly leafCost: number; readonly maxLeaves: number } {
  return { leafCost: LEAF_COST, maxLeaves: 2 * k + 2 };
}

const SHOWN = 5;
/** Rules are grown from so many cells at most; of more, from an even sample of the rows. */
const MOST_CELLS = 1_000_000;

export async function understandTask(
  seat: Seat,
  { run, report, said }: UnderstandInput,
  watch: Watch,
): Promise<Omit<Understanding, "run">> {
  const { instances } = seat.loaded;
  const k = run.letters.length;
  return {
    clusters: extremes(instances, run.labels, k),
    columns: columnProfiles(seat.loaded, run.labels, k),
    rules: await rulesOf(seat, run.labels, k, watch),
    broken: brokenBy(seat, said, run, mergesOf(report.merges)),
    weights: weightsOf(report, instances),
  };
}

/** A report has null for a merge that a constraint forbids. */
function mergesOf(merges: Report["merges"]): Merge[] | undefined {
  return merges?.map(([left, right, height, size]) => [left, right, height ?? Infinity, size] as const);
}

function extremes(points: Instances, labels: Int32Array, k: number): Understanding["clusters"] {
  const margins = marginsOf(points, labels, k);
  const members: number[][] = Array.from({ length: k }, () => []);
  labels.forEach((label, row) => {
    if (label >= 0) members[label]!.push(row);
  });
  return members.map((rows, cluster) => ({
    cluster,
    size: rows.length,
    typical: [...rows].sort((a, b) => margins.own[a]! - margins.own[b]! || a - b).slice(0, SHOWN),
    doubtful: k < 2 ? [] : [...rows].sort((a, b) => doubtOf(margins, b) - doubtOf(margins, a) || a - b).slice(0, SHOWN),
  }));
}

async function rulesOf(
  { loaded: { instances }, host }: Seat,
  labels: Int32Array,
  k: number,
  watch: Watch,
): Promise<Understanding["rules"]> {
  const most = Math.max(1_000, Math.floor(MOST_CELLS / Math.max(1, instances.d)));
  const rows = instances.n <= most ? null : evenSample(instances.n, most, []);
  const points = rows ? partOf(instances, rows) : instances;
  const here = rows ? rows.map((row) => labels[row]!) : labels;
  const none = { correct: 0, of: 0, tree: null, clusters: [] };
  // A tree asks every row about a column: rows with cells left out have no answer.
  if (instances.d === 0 || instances.holes || here.every((label) => label < 0)) return none;
  const found = await drive(explainSteps(points, here, shortRules(k)), { pause: host.pause, due: everyTurn(), ...watch });
  const clusters = found.clusters.slice(0, k).map(({ size, coverage }, cluster) => ({
    cluster,
    words: found.rules[cluster] ?? NO_RULE,
    correct: Math.round(coverage * size),
    of: size,
  }));
  const of = clusters.reduce((sum, each) => sum + each.of, 0);
  return { correct: clusters.reduce((sum, each) => sum + each.correct, 0), of, tree: found.tree, clusters };
}

function weightsOf({ metric }: Pick<Report, "metric">, instances: Instances): Understanding["weights"] {
  if (!metric) return null;
  const all = featureWeights(metric, instances);
  return all.flatMap((weights, at) =>
    weights.map(({ name, weight }) => ({ column: name, cluster: all.length === 1 ? null : at, weight })),
  );
}
