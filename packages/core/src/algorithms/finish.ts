/** Turns a method's outcome into the final result: clusters numbered by first appearance, violations, scores. */
import { closeConstraints, groupBeyond, violationsOf } from "../constraints/index.js";
import { groupNeeds } from "../errors.js";
import { nothingToScore, scoresOf, scoresOverClustered } from "../measures/index.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { GaussianMixture, LearnedMetrics, Result } from "../model/result.js";
import type { Input, Outcome } from "./method.js";

const BEYOND_NUMBERS =
  "The objective is larger than any number that can be stored, so it is not reported: weights or values are too large. Divide all weights by the same number.";

export function finish({ points, constraints }: Input, outcome: Outcome): Result {
  const { labels, names } = renumber(outcome.labels);
  const sizes = new Array<number>(names.length).fill(0);
  for (let i = 0; i < labels.length; i++) if (labels[i]! >= 0) sizes[labels[i]!]!++;
  const { centres, merges, metric, probabilities, gaussians, labels: _, ...rest } = outcome;
  const unscored = points.truth && nothingToScore(points.truth.codes);
  const group = groupBeyond(constraints, names.length);
  const notices = [
    ...outcome.notices,
    ...(Number.isFinite(outcome.objective ?? 0) ? [] : [BEYOND_NUMBERS]),
    ...(group ? [groupNeeds(group)] : []),
    ...(unscored === undefined ? [] : [unscored]),
  ];
  return {
    ...rest,
    notices,
    labels,
    k: names.length,
    sizes,
    noise: labels.length - sizes.reduce((sum, size) => sum + size, 0),
    violations: violationsOf(constraints, labels, merges),
    ...(points.truth && unscored === undefined ? scoredBoth(labels, points.truth.codes, constraints) : {}),
    ...(merges ? { merges } : {}),
    ...(centres ? { centres: names.map((name) => centres[name]!), preference: preferenceOf(names) } : {}),
    ...(metric ? { metric: inOrder(metric, names) } : {}),
    ...(gaussians ? { gaussians: mixtureInOrder(gaussians, names) } : {}),
    ...(probabilities ? { probabilities: byName(probabilities, names, labels.length) } : {}),
  };
}

/** Scores over all rows, and, if there are noise rows, scores without noise rows. */
export function scoredBoth(
  labels: Int32Array,
  truth: Int32Array,
  constraints: ConstraintSet,
): Pick<Result, "scores" | "scoresOverClustered"> {
  const closure = closeConstraints(constraints);
  const clustered = scoresOverClustered(labels, truth, closure);
  return { scores: scoresOf(labels, truth, closure), ...(clustered ? { scoresOverClustered: clustered } : {}) };
}

function mixtureInOrder(mixture: GaussianMixture, names: readonly number[]): GaussianMixture {
  const { means, roots, offsets } = mixture;
  return {
    ...mixture,
    means: names.map((name) => means[name]!),
    roots: roots.length === 1 ? roots : names.map((name) => roots[name]!),
    offsets: names.map((name) => offsets[name]!),
  };
}

function byName(probabilities: Float64Array, names: readonly number[], n: number): Float64Array {
  const k = probabilities.length / n;
  const ordered = new Float64Array(n * names.length);
  for (let i = 0, p = 0; i < n; i++) for (const name of names) ordered[p++] = probabilities[i * k + name]!;
  return ordered;
}

function inOrder(metric: LearnedMetrics, names: readonly number[]): LearnedMetrics {
  const { kind, matrices, roots, logDets } = metric;
  if (matrices.length === 1) return metric;
  const ordered = <Item>(items: readonly Item[]): Item[] => names.map((name) => items[name]!);
  return { kind, matrices: ordered(matrices), roots: ordered(roots), logDets: ordered(logDets) };
}

/**
 * Lists the new cluster numbers in the order of the method's own numbers. Predictions for new rows use this order: if two clusters are
 * equally near, the earlier cluster wins, as in the method.
 */
function preferenceOf(names: readonly number[]): number[] {
  return [...names.keys()].sort((a, b) => names[a]! - names[b]!);
}

/** Renumbers clusters from 0 in order of first appearance. `names[c]`: the old number of cluster c. */
export function renumber(labels: Int32Array): { readonly labels: Int32Array; readonly names: readonly number[] } {
  let most = -1;
  for (let i = 0; i < labels.length; i++) if (labels[i]! > most) most = labels[i]!;
  const numbers = new Int32Array(most + 1).fill(-1);
  const names: number[] = [];
  const renumbered = new Int32Array(labels.length).fill(-1);
  for (let i = 0; i < labels.length; i++) {
    const name = labels[i]!;
    if (name < 0) continue;
    if (numbers[name] === -1) numbers[name] = names.push(name) - 1;
    renumbered[i] = numbers[name]!;
  }
  return { labels: renumbered, names };
}
