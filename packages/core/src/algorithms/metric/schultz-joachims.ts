/**
 * A weight for each column, learned from relative constraints.
 *
 * Schultz, Joachims: Learning a distance metric from relative comparisons. NIPS 2004, with A = I. ab|c gives two comparisons, d(a,b) <
 * d(a,c) and d(a,b) < d(b,c). The vector z of a comparison holds, per column, the squared difference of the far pair minus the squared
 * difference of the close pair. Minimise ½‖w‖² + C Σ ξ subject to w·z ≥ 1 - ξ, ξ ≥ 0 and w ≥ 0.
 *
 * Departs from the paper: squared differences are divided by the median variance of the columns. So the proportions of the weights do not
 * depend on the unit of the columns. With `unit` 1, as published, they do. An interior-point method (below) solves the program instead of
 * SVM light, and enforces w ≥ 0.
 */

import { cholesky } from "../../linalg/symmetric.js";
import type { Triples } from "../../model/constraint-set.js";
import type { Points } from "../../model/points.js";
import type { Step } from "../../steps/index.js";

export interface LearnedWeights {
  /** One weight per column, at least 0; all 0 if nothing can be learned from the constraints. */
  readonly weights: Float64Array;
  /** Multipliers of the comparisons, from 0 to C: two for each constraint ab|c, first for d(a,b) < d(a,c), then d(a,b) < d(b,c). */
  readonly multipliers: Float64Array;
  /** `objective`: the value of ½‖w‖² + C Σ ξ. `bound`: a lower bound of its minimum, computed from the multipliers. */
  readonly objective: number;
  readonly bound: number;
  readonly iterations: number;
}

export interface WeightOptions {
  /** C: the penalty factor for comparisons that do not hold by a margin of 1. */
  readonly cost?: number;
  /** Unit of squared differences. With the median variance of the columns, C does not depend on the unit of the table. Default 1. */
  readonly unit?: number;
}

/** The vectors z of all comparisons: two rows of d numbers for each constraint. */
export function comparisons({ d, x }: Points, { a, b, c }: Pick<Triples, "a" | "b" | "c">): Float64Array {
  const z = new Float64Array(2 * a.length * d);
  for (let s = 0; s < a.length; s++) {
    for (let j = 0; j < d; j++) {
      const [xa, xb, xc] = [x[a[s]! * d + j]!, x[b[s]! * d + j]!, x[c[s]! * d + j]!];
      const close = (xa - xb) * (xa - xb);
      z[2 * s * d + j] = (xa - xc) * (xa - xc) - close;
      z[(2 * s + 1) * d + j] = (xb - xc) * (xb - xc) - close;
    }
  }
  return z;
}

export function* learnWeightsSteps(
  points: Points,
  relative: Pick<Triples, "a" | "b" | "c">,
  { cost = 1, unit = 1 }: WeightOptions = {},
): Generator<Step, LearnedWeights, void> {
  const { d } = points;
  if (relative.a.length === 0 || d === 0) {
    return { weights: new Float64Array(d), multipliers: new Float64Array(0), objective: 0, bound: 0, iterations: 0 };
  }
  const z = comparisons(points, relative).map((value) => value / unit);
  const learned = yield* solveMarginSteps(z, d, cost);
  return { ...learned, weights: learned.weights.map((weight) => weight / unit) };
}

/** Unit of the penalty of a violated constraint: the median variance of the columns, or 1 as in the paper. */
export const COST_SCALES = ["relative", "unit"] as const;
export type CostScale = (typeof COST_SCALES)[number];

/**
 * The unit of squared differences: the median variance of the columns, or 1 as in the paper. A mean would depend on columns of large
 * variance.
 */
export function unitOf({ n, d, x, rowWeights }: Points, scale: CostScale): number {
  if (scale === "unit" || n === 0) return 1;
  const variances = Array.from({ length: d }, (_, j) => columnVariance(x, n, d, j, rowWeights))
    .filter((variance) => variance > 0)
    .sort((a, b) => a - b);
  return variances[(variances.length - 1) >> 1] ?? 1;
}

function columnVariance(x: Points["x"], n: number, d: number, j: number, rowWeights: Points["rowWeights"]): number {
  const first = x[j]!;
  const all = rowWeights ? rowWeights.reduce((sum, weight) => sum + weight, 0) : n;
  let [mean, total] = [0, 0];
  for (let i = 0; i < n; i++) mean += ((rowWeights?.[i] ?? 1) * (x[i * d + j]! - first)) / all;
  for (let i = 0; i < n; i++) total += ((rowWeights?.[i] ?? 1) * (x[i * d + j]! - first - mean) ** 2) / all;
  return total;
}

export function weightColumns({ n, d, x, names, rowWeights }: Points, weights: Float64Array): Points {
  const roots = weights.map(Math.sqrt);
  const weighted = new Float64Array(n * d);
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) weighted[i * d + j] = roots[j]! * x[i * d + j]!;
  return { n, d, x: weighted, underMetric: true, ...(names ? { names } : {}), ...(rowWeights ? { rowWeights } : {}) };
}

/*
 * Solves the quadratic program of a soft margin with weights of at least 0: minimise ½‖w‖² + C Σ ξ subject to w·z_t + ξ_t ≥ 1, ξ ≥ 0 and w
 * ≥ 0, for m vectors z of d numbers. m or d must be small.
 *
 * Its dual: maximise Σ α - ½‖(Σ α z)₊‖² over 0 ≤ α ≤ C. The solver is a primal-dual interior-point method with Mehrotra's predictor and
 * corrector (1992). It drives all products of a slack and its multiplier to 0 together. The multipliers and slacks of the comparisons are
 * eliminated from Newton's equations. This leaves d unknowns, with m·d² work per step and 20 to 40 steps. If m < d, the equations are
 * solved in m unknowns (Woodbury), with m²·d work per step. Coordinate ascent on the dual is too slow if columns differ in scale: on the
 * wine data, 4,000 sweeps closed only half of the gap.
 */

/**
 * A point of the interior-point method. Each comparison has a slack s with multiplier α, and ξ with multiplier η = C - α. Each column has a
 * weight w with multiplier μ.
 */
interface Iterate {
  readonly w: Float64Array;
  readonly mu: Float64Array;
  readonly s: Float64Array;
  readonly alpha: Float64Array;
  readonly xi: Float64Array;
  readonly eta: Float64Array;
}

interface Program {
  readonly z: Float64Array;
  readonly d: number;
  readonly m: number;
  readonly cost: number;
}

const MOST_ITERATIONS = 200;
/**
 * On columns of very different scales, predictor and corrector can cycle (Cartis 2009). After PREDICTED steps, or when no further step is
 * possible, the method checks the relative gap between primal and dual. If the gap is above STUCK, the method restarts without predictor.
 * It then reduces the products of slacks and multipliers by the factor STEADY in each step.
 */
const PREDICTED = 60;
const STUCK = 1e-6;
/** The relative gap between primal and dual at which the method stops. */
const TOLERANCE = 1e-9;

function* solveMarginSteps(z: Float64Array, d: number, cost: number): Generator<Step, LearnedWeights, void> {
  const program: Program = { z, d, m: z.length / d, cost };
  let at = firstIterate(program);
  let predicts = true;
  let best = outcomeOf(program, at, 0);
  for (let iteration = 1; iteration <= MOST_ITERATIONS; iteration++) {
    yield { phase: "learning a metric", done: iteration, total: null, objective: best.objective };
    const moved = yield* improveSteps(program, at, predicts);
    const next = outcomeOf(program, at, iteration);
    if (next.objective <= best.objective || next.bound > best.bound) best = better(best, next);
    const gap = best.objective - best.bound;
    if (predicts && gap > STUCK * best.objective && (!moved || iteration >= PREDICTED)) {
      predicts = false;
      at = firstIterate(program);
    } else if (!moved || gap <= TOLERANCE * best.objective) break;
  }
  return best;
}

/**
 * Combines two solutions of the same program: the weights with the lower objective, and the higher lower bound. Both lower bounds are valid
 * for the program.
 */
function better(first: LearnedWeights, second: LearnedWeights): LearnedWeights {
  const upper = second.objective <= first.objective ? second : first;
  const lower = second.bound >= first.bound ? second : first;
  return { ...upper, multipliers: lower.multipliers, bound: lower.bound, iterations: second.iterations };
}

function firstIterate({ z, d, m, cost }: Program): Iterate {
  const size = new Float64Array(d).fill(Number.MIN_VALUE);
  for (let p = 0; p < z.length; p++) size[p % d] = Math.max(size[p % d]!, Math.abs(z[p]!));
  // If all differences of a column are 0, its weight can start at any value.
  const scale = size.map((value) => (value > Number.MIN_VALUE ? value : 1));
  const of = (value: number): Float64Array => new Float64Array(m).fill(value);
  return {
    w: scale.map((value) => 1 / (d * value)),
    mu: scale.map((value) => cost * value),
    s: of(1),
    alpha: of(cost / 2),
    xi: of(1),
    eta: of(cost / 2),
  };
}

const STEADY = 0.3;
const KEYS = ["w", "mu", "s", "alpha", "xi", "eta"] as const satisfies readonly (keyof Iterate)[];

/** One step of the interior-point method. Changes `at`. Returns false if no further progress is possible. */
function* improveSteps(program: Program, at: Iterate, predicts: boolean): Generator<Step, boolean, void> {
  const { d, m } = program;
  const weight = at.s.map((s, t) => 1 / (at.xi[t]! / at.eta[t]! + s / at.alpha[t]!));
  const solve = yield* newtonSteps(program, at, weight);
  if (solve === null) return false;
  const gap = products(at);
  const plain = predicts ? direction(program, at, weight, solve, 0, null) : null;
  const left = plain ? productsAfter(at, plain, longest(at, plain)) / gap : 0;
  const sigma = plain ? left * left * left : STEADY;
  const move = direction(program, at, weight, solve, (sigma * gap) / (2 * m + d), plain);
  const length = Math.min(1, 0.995 * longest(at, move));
  if (!(length > 1e-10)) return false;
  for (const key of KEYS) for (let i = 0; i < at[key].length; i++) at[key][i]! += length * move[key][i]!;
  return true;
}

type Solve = (right: Float64Array) => Float64Array;

/**
 * Prepares the solution of Newton's equations N x = right. N = D + Zᵀ diag(weight) Z, and D = diag(1 + μ/w). Null if N is not positive
 * definite.
 */
function* newtonSteps({ z, d, m }: Program, { w, mu }: Iterate, weight: Float64Array): Generator<Step, Solve | null, void> {
  const diagonal = w.map((value, j) => 1 + mu[j]! / value);
  if (m >= d) {
    const normal = yield* gramSteps(transposed(z, m, d), d, m, weight);
    for (let j = 0; j < d; j++) normal[j * d + j]! += diagonal[j]!;
    return factored(normal, d);
  }
  // The Woodbury formula: N⁻¹ = D⁻¹ - D⁻¹Zᵀ (diag(weight)⁻¹ + Z D⁻¹ Zᵀ)⁻¹ Z D⁻¹.
  const inner = yield* gramSteps(
    z,
    m,
    d,
    diagonal.map((value) => 1 / value),
  );
  for (let t = 0; t < m; t++) inner[t * m + t]! += 1 / weight[t]!;
  const solveInner = factored(inner, m);
  if (solveInner === null) return null;
  const solveOnce: Solve = (right) => {
    const scaled = right.map((value, j) => value / diagonal[j]!);
    const pulls = solveInner(rowsTimes(z, m, d, scaled));
    const back = timesRows(z, m, d, pulls);
    return scaled.map((value, j) => value - back[j]! / diagonal[j]!);
  };
  // If few columns matter, the subtraction in the Woodbury formula loses digits. One step of iterative refinement restores them.
  return (right) => {
    const first = solveOnce(right);
    const bent = timesRows(
      z,
      m,
      d,
      rowsTimes(z, m, d, first).map((value, t) => value * weight[t]!),
    );
    const rest = solveOnce(right.map((value, j) => value - diagonal[j]! * first[j]! - bent[j]!));
    return first.map((value, j) => value + rest[j]!);
  };
}

/** The product Z x: one number per comparison. */
function rowsTimes(z: Float64Array, m: number, d: number, x: Float64Array): Float64Array {
  return Float64Array.from({ length: m }, (_, t) => dot(z, t * d, x));
}

function timesRows(z: Float64Array, m: number, d: number, y: Float64Array): Float64Array {
  const sums = new Float64Array(d);
  for (let t = 0; t < m; t++) for (let j = 0; j < d; j++) sums[j]! += y[t]! * z[t * d + j]!;
  return sums;
}

/** Multiplications in one step; after each step the generator yields. */
const WORK_PER_STEP = 8_000_000;

/** The lower triangle of X diag(weight) Xᵀ, where X has `count` rows of `length` numbers. */
function* gramSteps(x: Float64Array, count: number, length: number, weight: Float64Array): Generator<Step, Float64Array, void> {
  const product = new Float64Array(count * count);
  const weighted = new Float64Array(length);
  let work = 0;
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < length; j++) weighted[j] = weight[j]! * x[i * length + j]!;
    for (let other = 0; other <= i; other++) product[i * count + other] = dot(x, other * length, weighted);
    work += (i + 1) * length;
    if (work < WORK_PER_STEP) continue;
    work = 0;
    yield { phase: "learning a metric", done: 0, total: null };
  }
  return product;
}

function transposed(z: Float64Array, m: number, d: number): Float64Array {
  const columns = new Float64Array(m * d);
  for (let t = 0; t < m; t++) for (let j = 0; j < d; j++) columns[j * m + t] = z[t * d + j]!;
  return columns;
}

/**
 * Returns a function that solves equations with a symmetric matrix. The matrix is given by its lower triangle, and is scaled to diagonal 1
 * first. Null if the matrix is not positive definite.
 */
function factored(normal: Float64Array, d: number): Solve | null {
  const scale = Float64Array.from({ length: d }, (_, j) => 1 / Math.sqrt(normal[j * d + j]!));
  const scaled = normal.map((value, p) => value * scale[Math.floor(p / d)]! * scale[p % d]!);
  for (let j = 0; j < d; j++) scaled[j * d + j]! += 1e-12;
  const lower = cholesky(scaled, d);
  if (lower === null) return null;
  return (right) => {
    const x = right.map((value, j) => value * scale[j]!);
    for (let i = 0; i < d; i++) {
      for (let j = 0; j < i; j++) x[i]! -= lower[i * d + j]! * x[j]!;
      x[i]! /= lower[i * d + i]!;
    }
    for (let i = d - 1; i >= 0; i--) {
      for (let j = i + 1; j < d; j++) x[i]! -= lower[j * d + i]! * x[j]!;
      x[i]! /= lower[i * d + i]!;
    }
    return x.map((value, j) => value * scale[j]!);
  };
}

/**
 * Newton's direction. Its target is the point where every product of a slack and its multiplier equals `tau`. plain: the direction of the
 * predictor, for second-order corrections; null without predictor.
 */
function direction(
  program: Program,
  at: Iterate,
  weight: Float64Array,
  solve: Solve,
  tau: number,
  plain: Iterate | null,
): Iterate {
  const { z, d, m } = program;
  const { w, mu, s, alpha, xi, eta } = at;
  const aimOf = (p: Float64Array, q: Float64Array, dp: Float64Array | undefined, dq: Float64Array | undefined) =>
    p.map((value, i) => tau - value * q[i]! - (dp && dq ? dp[i]! * dq[i]! : 0));
  const aimS = aimOf(s, alpha, plain?.s, plain?.alpha);
  const aimXi = aimOf(xi, eta, plain?.xi, plain?.eta);
  const aimW = aimOf(w, mu, plain?.w, plain?.mu);
  const right = aimW.map((aim, j) => aim / w[j]! - w[j]! + mu[j]!);
  const q = new Float64Array(m);
  for (let t = 0; t < m; t++) {
    const residual = dot(z, t * d, w) + xi[t]! - 1 - s[t]!;
    q[t] = aimS[t]! / alpha[t]! - aimXi[t]! / eta[t]! - residual;
    const factor = weight[t]! * q[t]!;
    for (let j = 0; j < d; j++) right[j]! += (alpha[t]! + factor) * z[t * d + j]!;
  }
  const dw = solve(right);
  const dAlpha = q.map((value, t) => weight[t]! * (value - dot(z, t * d, dw)));
  return {
    w: dw,
    mu: aimW.map((aim, j) => (aim - mu[j]! * dw[j]!) / w[j]!),
    alpha: dAlpha,
    eta: dAlpha.map((value) => -value),
    s: aimS.map((aim, t) => (aim - s[t]! * dAlpha[t]!) / alpha[t]!),
    xi: aimXi.map((aim, t) => (aim + xi[t]! * dAlpha[t]!) / eta[t]!),
  };
}

function dot(z: Float64Array, row: number, w: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < w.length; j++) sum += z[row + j]! * w[j]!;
  return sum;
}

function products({ w, mu, s, alpha, xi, eta }: Iterate): number {
  let sum = 0;
  for (let j = 0; j < w.length; j++) sum += w[j]! * mu[j]!;
  for (let t = 0; t < s.length; t++) sum += s[t]! * alpha[t]! + xi[t]! * eta[t]!;
  return sum;
}

function productsAfter(at: Iterate, move: Iterate, length: number): number {
  const moved = (key: keyof Iterate): Float64Array => at[key].map((value, i) => value + length * move[key][i]!);
  return products({ w: moved("w"), mu: moved("mu"), s: moved("s"), alpha: moved("alpha"), xi: moved("xi"), eta: moved("eta") });
}

/** The length of the longest step in direction `move` that keeps all numbers positive, at most 1. */
function longest(at: Iterate, move: Iterate): number {
  let length = 1;
  for (const key of KEYS) {
    for (let i = 0; i < at[key].length; i++) if (move[key][i]! < 0) length = Math.min(length, -at[key][i]! / move[key][i]!);
  }
  return length;
}

/**
 * The result of an iteration: weights, objective, and the lower bound from the multipliers. Weights near 0 become 0 if this hardly changes
 * the objective.
 */
function outcomeOf(program: Program, { w, mu, alpha }: Iterate, iterations: number): LearnedWeights {
  const { z, d, m, cost } = program;
  const size = Math.max(...w);
  const trimmed = w.map((value, j) => (value < mu[j]! && value < 1e-6 * size ? 0 : value));
  const [objective, untrimmed] = [objectiveOf(program, trimmed), objectiveOf(program, w)];
  const trims = objective <= untrimmed * (1 + TOLERANCE / 2);
  const multipliers = alpha.map((value) => Math.min(cost, Math.max(0, value)));
  const pull = new Float64Array(d);
  let bound = 0;
  for (let t = 0; t < m; t++) {
    bound += multipliers[t]!;
    for (let j = 0; j < d; j++) pull[j]! += multipliers[t]! * z[t * d + j]!;
  }
  for (const value of pull) if (value > 0) bound -= 0.5 * value * value;
  return { weights: trims ? trimmed : w.slice(), multipliers, objective: trims ? objective : untrimmed, bound, iterations };
}

function objectiveOf({ z, d, m, cost }: Program, weights: Float64Array): number {
  let objective = 0;
  for (let t = 0; t < m; t++) objective += cost * Math.max(0, 1 - dot(z, t * d, weights));
  for (const weight of weights) objective += 0.5 * weight * weight;
  return objective;
}
