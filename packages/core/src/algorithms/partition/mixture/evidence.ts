/**
 * Converts constraints to factors between units. Computes the memberships of rows from the factors, by the mean-field method.
 *
 * A unit is a constrained row, or several rows that are certainly in one cluster. Each class of labels is a unit without rows. A labelled
 * row has a must-link to the unit of its class, and no two classes share a cluster. So no pairs of labelled rows are listed.
 *
 *   row 3 ── must-link, may be wrong ── row 8          row 4 ── label ── class "a"
 *   row 3 ── cannot-link, may be wrong ── row 5                             ╳  never together
 *   rows 7, 9, 12 ── exclusive group, certain          row 6 ── label ── class "b"
 *
 * With scores L (log share · density), the membership q_u of unit u satisfies
 *
 *   log q_uc = Σ_rows of u L_ic + Σ_must-links uv w log(ε + (1 - 2ε) q_vc) + Σ_cannot-links uv w log(1 - ε - (1 - 2ε) q_vc) + constant
 *
 * where ε is the share of wrong constraints and w the weight. The equations are solved by repeated substitution for all units at once.
 * Each new membership is the average of the old value and the substituted value. Cost: sweeps × (constraints + members of groups) × k.
 *
 * Shental, Bar-Hillel, Hertz, Weinshall: Computing Gaussian Mixture Models with EM Using Equivalence Constraints. NIPS 2003 (certain
 * must-links as units). Lu, Leen: Semi-supervised Learning with Penalized Probabilistic Clustering. NIPS 2004 (constraints that may be
 * wrong, by mean field).
 */
import { closeConstraints, emptyConstraints } from "../../../constraints/index.js";
import { entriesWhere } from "../../../constraints/sets.js";
import { exp, log } from "../../../linalg/elementary.js";
import type { ConstraintSet, KnownLabels, Links } from "../../../model/constraint-set.js";
import { type Lists, listsByKey } from "../../../structures/components.js";

export interface Evidence {
  readonly rows: Lists;
  readonly units: number;
  /** The factors of unit u are entries start[u] … start[u + 1] - 1. A factor is a constraint between u and the unit `other`. */
  readonly start: Int32Array;
  readonly other: Int32Array;
  /** Weight of a factor: positive for must-links, negative for cannot-links. */
  readonly weight: Float64Array;
  /** The probability that the constraint of a factor is wrong. */
  readonly error: Float64Array;
  /** Sets of units in which no two units can share a cluster. `cliquesOf`: for each unit, its sets. */
  readonly cliques: Lists;
  readonly cliquesOf: Lists;
}

/** Error rate used for certain constraints. It is above 0, so that no logarithm is infinite. */
const CERTAIN = 1e-4;
const SWEEPS = 10;

/**
 * Converts a constraint set to units and factors. Null if there are no constraints. A constraint is certain if `errorRate` is 0, or if its
 * weight is Infinity.
 */
export function evidenceOf(set: ConstraintSet, errorRate: number): Evidence | null {
  const isCertain = (weight: number): boolean => errorRate === 0 || weight === Infinity;
  const certain = <List extends Links | KnownLabels>(list: List): List => entriesWhere(list, (s) => isCertain(list.weight[s]!));
  const closure = closeConstraints({
    ...emptyConstraints(set.n),
    mustLinks: certain(set.mustLinks),
    cannotLinks: certain(set.cannotLinks),
    labels: certain(set.labels),
    exclusive: set.exclusive,
  });
  const unitOf = new Int32Array(closure.componentCount).fill(-1);
  let units = 0;
  const take = (component: number): number => {
    if (unitOf[component]! < 0) unitOf[component] = units++;
    return unitOf[component]!;
  };
  for (let c = 0; c < closure.componentCount; c++) if (closure.sizes[c]! > 1) take(c);
  const factors = openFactors();
  const unitOfRow = (row: number): number => take(closure.component[row]!);
  const { edges, cliques } = closure;
  for (let c = 0; c < closure.componentCount; c++) {
    for (let e = edges.start[c]!; e < edges.start[c + 1]!; e++)
      if (edges.other[e]! > c) factors.add(take(c), take(edges.other[e]!), -1, CERTAIN);
  }
  const sets: number[][] = [];
  for (let q = 0; q < cliques.count; q++) {
    const members = cliques.items.subarray(cliques.start[q]!, cliques.start[q + 1]!);
    if (members.length > 1) sets.push(Array.from(members, take));
  }
  const uncertain = (weight: number): boolean => !isCertain(weight);
  const addLinks = ({ a, b, weight }: Links, sign: number): void => {
    for (let s = 0; s < a.length; s++) {
      if (!uncertain(weight[s]!) || closure.component[a[s]!] === closure.component[b[s]!]) continue;
      factors.add(unitOfRow(a[s]!), unitOfRow(b[s]!), sign * weight[s]!, errorRate);
    }
  };
  addLinks(set.mustLinks, 1);
  addLinks(set.cannotLinks, -1);
  const { row, code, weight } = set.labels;
  const classUnit = new Map<number, number>();
  for (let s = 0; s < row.length; s++) {
    if (!uncertain(weight[s]!)) continue;
    const unit = classUnit.get(code[s]!) ?? units++;
    classUnit.set(code[s]!, unit);
    factors.add(unitOfRow(row[s]!), unit, weight[s]!, errorRate);
  }
  if (classUnit.size > 1) sets.push([...classUnit.values()]);
  if (units === 0) return null;
  const keyOfRow = closure.component.map((component) => unitOf[component]!);
  return { units, rows: listsByKey(keyOfRow, units), ...factors.lists(units), ...cliqueLists(sets, units) };
}

function openFactors() {
  const from: number[] = [];
  const to: number[] = [];
  const weights: number[] = [];
  const errors: number[] = [];
  return {
    add(u: number, v: number, weight: number, error: number): void {
      from.push(u, v);
      to.push(v, u);
      weights.push(weight, weight);
      errors.push(error, error);
    },
    lists(units: number): Pick<Evidence, "start" | "other" | "weight" | "error"> {
      const { start, items } = listsByKey(Int32Array.from(from), units);
      return {
        start,
        other: items.map((e) => to[e]!),
        weight: Float64Array.from(items, (e) => weights[e]!),
        error: Float64Array.from(items, (e) => errors[e]!),
      };
    },
  };
}

function cliqueLists(sets: readonly number[][], units: number): Pick<Evidence, "cliques" | "cliquesOf"> {
  const items = Int32Array.from(sets.flat());
  const start = new Int32Array(sets.length + 1);
  const ofSet = new Int32Array(items.length);
  sets.forEach((members, q) => {
    start[q + 1] = start[q]! + members.length;
    ofSet.fill(q, start[q], start[q + 1]);
  });
  const byUnit = listsByKey(items, units);
  return { cliques: { start, items }, cliquesOf: { start: byUnit.start, items: byUnit.items.map((p) => ofSet[p]!) } };
}

/** Memberships from scores alone, n × k: the exponential of each score divided by the sum of its row. */
export function softmax(scores: Float64Array, k: number): Float64Array {
  const found = new Float64Array(scores.length);
  for (let p = 0; p < scores.length; p += k) softmaxInto(scores, p, k, found);
  return found;
}

function softmaxInto(scores: Float64Array, p: number, k: number, out: Float64Array): void {
  let most = -Infinity;
  for (let c = 0; c < k; c++) if (scores[p + c]! > most) most = scores[p + c]!;
  let sum = 0;
  for (let c = 0; c < k; c++) {
    const away = scores[p + c]! - most;
    // exp(-40) is negligible compared with 1, the exponential of the largest score.
    const value = away < -40 ? 0 : exp(away);
    out[p + c] = value;
    sum += value;
  }
  for (let c = 0; c < k; c++) out[p + c]! /= sum;
}

/**
 * The weighted mean over rows of log Σ_c exp(score of the row in cluster c). With log(share · density) as scores, this is the mean log
 * density of a row.
 */
export function meanLogSum(scores: Float64Array, k: number, weights: Float64Array): number {
  let [total, all] = [0, 0];
  for (let i = 0, p = 0; i < weights.length; i++, p += k) {
    let most = -Infinity;
    for (let c = 0; c < k; c++) if (scores[p + c]! > most) most = scores[p + c]!;
    let sum = 0;
    for (let c = 0; c < k; c++) if (scores[p + c]! - most > -40) sum += exp(scores[p + c]! - most);
    total += weights[i]! * (most + log(sum));
    all += weights[i]!;
  }
  return total / all;
}

/** Updates the memberships of constrained rows, n × k: from scores only to scores and constraints. */
export function applyEvidence(evidence: Evidence, scores: Float64Array, k: number, memberships: Float64Array): void {
  const { rows, units } = evidence;
  const own = new Float64Array(units * k);
  for (let u = 0; u < units; u++)
    for (let p = rows.start[u]!; p < rows.start[u + 1]!; p++)
      for (let c = 0; c < k; c++) own[u * k + c]! += scores[rows.items[p]! * k + c]!;
  let q = softmax(own, k);
  const sum = new Float64Array(units * k);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    sum.set(own);
    addFactors(evidence, q, k, sum);
    addCliques(evidence, q, k, sum);
    const next = softmax(sum, k);
    for (let p = 0; p < q.length; p++) next[p] = (next[p]! + q[p]!) / 2;
    q = next;
  }
  for (let u = 0; u < units; u++)
    for (let p = rows.start[u]!; p < rows.start[u + 1]!; p++) memberships.set(q.subarray(u * k, (u + 1) * k), rows.items[p]! * k);
}

function addFactors({ units, start, other, weight, error }: Evidence, q: Float64Array, k: number, sum: Float64Array): void {
  for (let u = 0; u < units; u++) {
    for (let e = start[u]!; e < start[u + 1]!; e++) {
      const w = weight[e]!;
      const wrong = error[e]!;
      const right = 1 - 2 * wrong;
      for (let c = 0, v = other[e]! * k; c < k; c++, v++) {
        const likely = wrong + right * q[v]!;
        sum[u * k + c]! += w > 0 ? w * log(likely) : -w * log(1 - likely);
      }
    }
  }
}

/** Adds the cliques to `sum`. A clique is a set of units in which every pair has a certain cannot-link. */
function addCliques({ cliques, cliquesOf, units }: Evidence, q: Float64Array, k: number, sum: Float64Array): void {
  const count = cliques.start.length - 1;
  if (count === 0) return;
  const apart = (u: number, c: number): number => log(Math.max(1 - q[u * k + c]!, CERTAIN));
  const all = new Float64Array(count * k);
  for (let s = 0; s < count; s++)
    for (let p = cliques.start[s]!; p < cliques.start[s + 1]!; p++)
      for (let c = 0; c < k; c++) all[s * k + c]! += apart(cliques.items[p]!, c);
  for (let u = 0; u < units; u++)
    for (let p = cliquesOf.start[u]!; p < cliquesOf.start[u + 1]!; p++)
      for (let c = 0; c < k; c++) sum[u * k + c]! += all[cliquesOf.items[p]! * k + c]! - apart(u, c);
}
