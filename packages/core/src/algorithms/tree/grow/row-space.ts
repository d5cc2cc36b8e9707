/**
 * Rows of many columns in fewer: n rows of d > n numbers lie in at most n dimensions. The result has n numbers a row and the same
 * inner products between rows, up to rounding, so that sums of squares of any weighted sums of rows stay what they are.
 *
 * Gram-Schmidt, each row against the directions of the rows before it, twice: once more takes away what rounding left.
 * Cost: 2·n²·d products.
 */
import type { Steps } from "../../../steps/index.js";

/** A row whose rest is below this share of its length lies in the directions that are there already. */
const NO_REST = 1e-12;
/** Products between two pauses. */
const WORK_PER_STEP = 8_000_000;

export function* rowSpaceSteps(y: Float64Array, n: number, d: number): Steps<Float64Array> {
  const coordinates = new Float64Array(n * n);
  const directions: Float64Array[] = [];
  let work = 0;
  for (let i = 0; i < n; i++) {
    const rest = y.slice(i * d, (i + 1) * d);
    const length = Math.sqrt(dot(rest, rest));
    for (let pass = 0; pass < 2; pass++) {
      for (const [e, direction] of directions.entries()) {
        const along = dot(rest, direction);
        coordinates[i * n + e]! += along;
        for (let j = 0; j < d; j++) rest[j]! -= along * direction[j]!;
        work += 2 * d;
        if (work < WORK_PER_STEP) continue;
        work = 0;
        yield { phase: "fewer dimensions", done: i, total: n };
      }
    }
    const left = Math.sqrt(dot(rest, rest));
    if (!(left > NO_REST * length)) continue;
    coordinates[i * n + directions.length] = left;
    directions.push(rest.map((value) => value / left));
  }
  return coordinates;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!;
  return sum;
}
