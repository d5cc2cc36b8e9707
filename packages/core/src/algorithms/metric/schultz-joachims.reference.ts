/**
 * Reference for tests: the quadratic program of schultz-joachims.ts, solved by projected subgradients. It is slow, but accurate enough
 * after many steps.
 */

export function objectiveAt(z: Float64Array, w: Float64Array, cost: number): number {
  const d = w.length;
  let objective = w.reduce((sum, value) => sum + 0.5 * value * value, 0);
  for (let t = 0; t < z.length / d; t++) {
    objective += cost * Math.max(0, 1 - w.reduce((sum, value, j) => sum + value * z[t * d + j]!, 0));
  }
  return objective;
}

export function slowWeights(z: Float64Array, d: number, cost: number, steps: number): Float64Array {
  const w = new Float64Array(d);
  let best = w.slice();
  for (let step = 1; step <= steps; step++) {
    const slope = w.slice();
    for (let t = 0; t < z.length / d; t++) {
      const margin = w.reduce((sum, value, j) => sum + value * z[t * d + j]!, 0);
      if (margin < 1) for (let j = 0; j < d; j++) slope[j]! -= cost * z[t * d + j]!;
    }
    for (let j = 0; j < d; j++) w[j] = Math.max(0, w[j]! - slope[j]! / step);
    if (objectiveAt(z, w, cost) < objectiveAt(z, best, cost)) best = w.slice();
  }
  return best;
}
