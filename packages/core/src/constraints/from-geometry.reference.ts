/** Geometric constraints by comparing every pair of rows. */
import type { Points } from "../model/points.js";

export interface NaivePairs {
  readonly near: readonly (readonly [number, number])[];
  readonly far: readonly (readonly [number, number])[];
}

export function pairsByLooking({ n, d, x }: Points, separation: number, diameter: number): NaivePairs {
  const near: [number, number][] = [];
  const far: [number, number][] = [];
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      let sum = 0;
      for (let f = 0; f < d; f++) sum += (x[i * d + f]! - x[j * d + f]!) ** 2;
      if (sum < separation * separation) near.push([i, j]);
      if (sum > diameter * diameter) far.push([i, j]);
    }
  }
  return { near, far };
}
