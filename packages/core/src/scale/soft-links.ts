/**
 * Soft placement of constrained rows (bilenko2004, equations 1 and 6): in random order, each row goes to the cluster with the
 * smallest sum of its distance and the penalties of the constraints it would violate, until nothing moves.
 *
 * To keep the number of links small, labelled rows are linked to the first row of their class, and the first rows of the classes
 * are cannot-linked.
 */
import { badInput } from "../errors.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { Random } from "../random/index.js";
import { squaredDistance } from "./pass.js";
import { type PassModel, workOf } from "./pass-model.js";
import { type Plan, rowBlocks } from "./requests.js";

/** Links of each row as compressed lists: the other row, the weight, and 1 for a must-link. */
export interface SoftLinks {
  readonly n: number;
  readonly start: Int32Array;
  readonly other: Int32Array;
  readonly weight: Float64Array;
  readonly must: Uint8Array;
}

interface Pair {
  readonly a: number;
  readonly b: number;
  readonly weight: number;
  readonly must: boolean;
}

export function softLinksOf(set: ConstraintSet): SoftLinks {
  const pairs = pairsOf(set);
  if (pairs.some(({ weight }) => weight === Infinity)) {
    throw badInput("A constraint of weight inf is hard; this method does not support hard constraints on an engine.", {
      remedy: "Give it a finite weight, or use cop-kmeans, which keeps them all.",
    });
  }
  const start = new Int32Array(set.n + 1);
  for (const { a, b } of pairs) {
    start[a + 1]!++;
    start[b + 1]!++;
  }
  for (let i = 0; i < set.n; i++) start[i + 1]! += start[i]!;
  const next = start.slice();
  const other = new Int32Array(2 * pairs.length);
  const weight = new Float64Array(2 * pairs.length);
  const must = new Uint8Array(2 * pairs.length);
  for (const pair of pairs) {
    for (const [from, to] of [
      [pair.a, pair.b],
      [pair.b, pair.a],
    ] as const) {
      const at = next[from]!++;
      other[at] = to;
      weight[at] = pair.weight;
      must[at] = pair.must ? 1 : 0;
    }
  }
  return { n: set.n, start, other, weight, must };
}

function pairsOf({ mustLinks, cannotLinks, labels }: ConstraintSet): Pair[] {
  const pairs: Pair[] = [];
  mustLinks.a.forEach((a, s) => {
    pairs.push({ a, b: mustLinks.b[s]!, weight: mustLinks.weight[s]!, must: true });
  });
  cannotLinks.a.forEach((a, s) => {
    pairs.push({ a, b: cannotLinks.b[s]!, weight: cannotLinks.weight[s]!, must: false });
  });
  const first = new Map<number, { readonly row: number; readonly weight: number }>();
  labels.row.forEach((row, s) => {
    const code = labels.code[s]!;
    const weight = labels.weight[s]!;
    const head = first.get(code);
    if (head) pairs.push({ a: head.row, b: row, weight: Math.min(weight, head.weight), must: true });
    else first.set(code, { row, weight });
  });
  const heads = [...first.values()];
  heads.forEach((one, i) => {
    for (const two of heads.slice(0, i)) {
      pairs.push({ a: two.row, b: one.row, weight: Math.min(one.weight, two.weight), must: false });
    }
  });
  return pairs;
}

/** Penalties of violated links. */
export interface Penalties {
  /** True: penalty by the learned metric. False: `unit` times the weight, for every pair. */
  readonly byMetric: boolean;
  readonly unit: number;
  /** For each metric, an upper bound of the squared distance of any two rows. */
  readonly farthest: Float64Array;
}

/** Maximum number of rounds; greedy moves usually stop after a few. */
const MOST_ROUNDS = 20;

/** New clusters of the constrained rows (n x d, scaled), from their previous clusters; -1 for none yet. */
export function* placeSoftly(
  links: SoftLinks,
  x: Float64Array,
  model: PassModel,
  penalties: Penalties,
  before: Int32Array,
  random: Random,
): Plan<Int32Array> {
  const { d, k } = model;
  const labels = before.slice();
  const order = new Int32Array(links.n).map((_, i) => i);
  const own = new Float64Array(links.n * k);
  const blocks = [...rowBlocks(links.n, workOf(model))];
  for (const { from, to } of blocks) {
    for (let i = from; i < to; i++) {
      const row = x.subarray(i * d, (i + 1) * d);
      for (let c = 0; c < k; c++) own[i * k + c] = squaredDistance(model, row, c) + model.bias[c]!;
    }
    yield { ask: "pause" };
  }
  for (let round = 0; round < MOST_ROUNDS; round++) {
    random.shuffle(order);
    let moved = 0;
    for (const { from, to } of blocks) {
      for (const i of order.subarray(from, to)) {
        let best = 0;
        let least = Infinity;
        for (let c = 0; c < k; c++) {
          const cost = own[i * k + c]! + penaltyAt(links, x, model, penalties, labels, i, c);
          if (cost < least) {
            least = cost;
            best = c;
          }
        }
        if (labels[i] !== best) moved++;
        labels[i] = best;
      }
      yield { ask: "pause" };
    }
    if (moved === 0) break;
  }
  return labels;
}

/** The penalty of the links of row i that are violated if it is in cluster c. */
function penaltyAt(
  links: SoftLinks,
  x: Float64Array,
  model: PassModel,
  penalties: Penalties,
  labels: Int32Array,
  i: number,
  c: number,
): number {
  let sum = 0;
  for (let e = links.start[i]!; e < links.start[i + 1]!; e++) {
    const j = links.other[e]!;
    const other = labels[j]!;
    if (other < 0 || (other === c) === (links.must[e] === 1)) continue;
    sum += penaltyOfPair(model, penalties, x, i, j, c, other, links.weight[e]!, links.must[e] === 1);
  }
  return sum;
}

function penaltyOfPair(
  model: PassModel,
  { byMetric, unit, farthest }: Penalties,
  x: Float64Array,
  i: number,
  j: number,
  c: number,
  other: number,
  weight: number,
  must: boolean,
): number {
  if (!byMetric) return weight * unit;
  if (!must) return weight * (farthest[model.several ? c : 0]! - pairSquare(model, x, i, j, c));
  if (!model.several) return weight * pairSquare(model, x, i, j, c);
  return (weight / 2) * (pairSquare(model, x, i, j, c) + pairSquare(model, x, i, j, other));
}

/** ‖x_i - x_j‖² under the metric of cluster c. */
function pairSquare({ d, metric, maps, several }: PassModel, x: Float64Array, i: number, j: number, c: number): number {
  const g = several ? c : 0;
  let sum = 0;
  for (let e = 0; e < d; e++) {
    const t = x[i * d + e]! - x[j * d + e]!;
    if (metric === "plain") sum += t * t;
    else if (metric === "diagonal") sum += t * t * maps[g * d + e]!;
    else {
      let part = 0;
      for (let f = 0; f < d; f++) part += maps[(g * d + e) * d + f]! * (x[i * d + f]! - x[j * d + f]!);
      sum += part * part;
    }
  }
  return sum;
}

/** The total penalty of all violated links, each counted once. */
export function penaltyOf(links: SoftLinks, x: Float64Array, model: PassModel, penalties: Penalties, labels: Int32Array): number {
  let sum = 0;
  for (let i = 0; i < links.n; i++) {
    for (let e = links.start[i]!; e < links.start[i + 1]!; e++) {
      const j = links.other[e]!;
      if (j < i || (labels[i] === labels[j]) === (links.must[e] === 1)) continue;
      sum += penaltyOfPair(model, penalties, x, i, j, labels[i]!, labels[j]!, links.weight[e]!, links.must[e] === 1);
    }
  }
  return sum;
}
