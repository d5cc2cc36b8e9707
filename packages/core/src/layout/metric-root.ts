/**
 * A metric A as a map R with A = RᵀR: Euclidean distances of the rows R x are the learned distances. A report contains only A. Any R with
 * A = RᵀR can be used, because two such maps differ only by a rotation.
 */

export interface MetricRoot {
  /** R C Rᵀ: the covariance of the mapped rows. */
  around(covariance: Float64Array): Float64Array;
  /** Rᵀv. The dot product of a row with this vector is the score of the mapped row along v. */
  back(v: Float64Array): Float64Array;
  /** R v: the image of the vector v under the map. */
  into(v: Float64Array): Float64Array;
}

/** A pivot below this share of its diagonal entry is a rounding error. The metric has no extent in that direction. */
const LEAST_PIVOT = 1e-12;

export function diagonalRoot(weights: ArrayLike<number>): MetricRoot {
  const factors = Float64Array.from(weights, (weight) => Math.sqrt(Math.max(0, weight)));
  const d = factors.length;
  const scaled = (v: Float64Array) => v.map((value, j) => value * factors[j]!);
  return {
    around: (covariance) => covariance.map((value, at) => value * factors[Math.floor(at / d)]! * factors[at % d]!),
    back: scaled,
    into: scaled,
  };
}

/** The root of a full metric, d x d, row-major: A = LLᵀ, so R = Lᵀ. */
export function fullRoot(matrix: Float64Array, d: number): MetricRoot {
  const lower = semidefiniteCholesky(matrix, d);
  const back = (v: Float64Array): Float64Array => {
    const image = new Float64Array(d);
    for (let i = 0; i < d; i++) for (let j = 0; j <= i; j++) image[i]! += lower[i * d + j]! * v[j]!;
    return image;
  };
  const into = (v: Float64Array): Float64Array => {
    const image = new Float64Array(d);
    for (let i = 0; i < d; i++) for (let j = 0; j <= i; j++) image[j]! += lower[i * d + j]! * v[i]!;
    return image;
  };
  return { around: (covariance) => mappedBoth(covariance, into, d), back, into };
}

/** R C Rᵀ: applies R to the rows of C, transposes, and applies R again. */
function mappedBoth(covariance: Float64Array, into: MetricRoot["into"], d: number): Float64Array {
  const once = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    const image = into(covariance.subarray(i * d, (i + 1) * d));
    for (let j = 0; j < d; j++) once[j * d + i] = image[j]!;
  }
  const twice = new Float64Array(d * d);
  for (let i = 0; i < d; i++) twice.set(into(once.subarray(i * d, (i + 1) * d)), i * d);
  return twice;
}

function semidefiniteCholesky(matrix: Float64Array, d: number): Float64Array {
  const lower = new Float64Array(d * d);
  for (let j = 0; j < d; j++) {
    let own = matrix[j * d + j]!;
    for (let m = 0; m < j; m++) own -= lower[j * d + m]! ** 2;
    if (!(own > LEAST_PIVOT * matrix[j * d + j]!)) continue;
    const pivot = Math.sqrt(own);
    lower[j * d + j] = pivot;
    for (let i = j + 1; i < d; i++) {
      let rest = matrix[i * d + j]!;
      for (let m = 0; m < j; m++) rest -= lower[i * d + m]! * lower[j * d + m]!;
      lower[i * d + j] = rest / pivot;
    }
  }
  return lower;
}
