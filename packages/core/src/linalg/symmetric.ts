/** Symmetric matrices with a few dozen rows, stored row-major in one array. */

/** A pivot below this share of its own diagonal entry is a rounding error. */
const LEAST_PIVOT = 1e-13;

/** The lower triangle L with S = LLᵀ; null if S is not safely positive definite. Reads the lower triangle of S. */
export function cholesky(s: Float64Array, d: number): Float64Array | null {
  const lower = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j <= i; j++) {
      let rest = s[i * d + j]!;
      for (let m = 0; m < j; m++) rest -= lower[i * d + m]! * lower[j * d + m]!;
      if (i !== j) lower[i * d + j] = rest / lower[j * d + j]!;
      else if (rest > LEAST_PIVOT * s[i * d + i]!) lower[i * d + i] = Math.sqrt(rest);
      else return null;
    }
  }
  return lower;
}

/**
 * How close S is to singular. For each column, part of its diagonal entry is explained by the other columns. Returns the smallest share
 * that is not explained. Reads the lower triangle of S, whose diagonal must be positive.
 *
 * Computed by pivoted Cholesky: each step takes the column with the largest share, so the rounding error stays near 1e-15. In a fixed
 * order, small shares in earlier steps would enlarge the error.
 */
export function leastOwnShare(s: Float64Array, d: number): number {
  const share = new Float64Array(d).fill(1);
  const scale = Float64Array.from({ length: d }, (_, j) => 1 / Math.sqrt(s[j * d + j]!));
  const rows: Float64Array[] = []; // rows of the Cholesky triangle, in the order of the pivots
  const taken = new Uint8Array(d);
  for (let step = 0; step < d; step++) {
    let pivot = -1;
    for (let j = 0; j < d; j++) if (!taken[j] && (pivot < 0 || share[j]! > share[pivot]!)) pivot = j;
    const least = share[pivot]!;
    if (!(least > 0) || step === d - 1) return least;
    taken[pivot] = 1;
    const row = new Float64Array(d);
    for (let j = 0; j < d; j++) {
      if (taken[j]) continue;
      let rest = s[Math.max(j, pivot) * d + Math.min(j, pivot)]! * scale[j]! * scale[pivot]!;
      for (const before of rows) rest -= before[j]! * before[pivot]!;
      row[j] = rest / Math.sqrt(least);
      share[j]! -= row[j]! * row[j]!;
    }
    rows.push(row);
  }
  return 1;
}

export function invertLower(lower: Float64Array, d: number): Float64Array {
  const inverse = new Float64Array(d * d);
  for (let j = 0; j < d; j++) {
    inverse[j * d + j] = 1 / lower[j * d + j]!;
    for (let i = j + 1; i < d; i++) {
      let sum = 0;
      for (let m = j; m < i; m++) sum += lower[i * d + m]! * inverse[m * d + j]!;
      inverse[i * d + j] = -sum / lower[i * d + i]!;
    }
  }
  return inverse;
}

/**
 * Eigenvalues in ascending order, and their eigenvectors as the rows of a matrix. Reads the lower triangle; uses only + - * / and sqrt.
 *
 * Householder reflections make the matrix tridiagonal, and implicit QL iterations make the tridiagonal matrix diagonal: O(d³).
 * Martin, Reinsch, Wilkinson 1968 (tred2); Bowdler, Martin, Reinsch, Wilkinson 1968 (tql2).
 */
export function eigen(s: Float64Array, d: number): { readonly values: Float64Array; readonly vectors: Float64Array } {
  const vectors = new Float64Array(d * d);
  for (let i = 0; i < d; i++) for (let j = 0; j <= i; j++) vectors[i * d + j] = vectors[j * d + i] = s[i * d + j]!;
  const values = new Float64Array(d);
  const beside = new Float64Array(d);
  if (d > 0) {
    reflect(vectors, values, beside, d);
    collectReflections(vectors, values, d);
    iterateQl(vectors, values, beside.copyWithin(0, 1).fill(0, d - 1), d);
    sortEigen(vectors, values, d);
  }
  return { values, vectors };
}

/**
 * Reduces the symmetric matrix v to tridiagonal form by Householder reflections. Afterwards:
 *
 * - the rows of v contain the reflections, and the diagonal of v is the diagonal of the tridiagonal matrix,
 * - `beside` contains the entries next to the diagonal,
 * - `values` contains half the squared norms of the reflections.
 */
function reflect(v: Float64Array, values: Float64Array, beside: Float64Array, d: number): void {
  for (let j = 0; j < d; j++) values[j] = v[j * d + d - 1]!;
  for (let i = d - 1; i > 0; i--) {
    let scale = 0;
    for (let k = 0; k < i; k++) scale += Math.abs(values[k]!);
    if (scale === 0) {
      beside[i] = values[i - 1]!;
      for (let j = 0; j < i; j++) {
        values[j] = v[j * d + i - 1]!;
        v[j * d + i] = v[i * d + j] = 0;
      }
      values[i] = 0;
      continue;
    }
    let h = 0;
    for (let k = 0; k < i; k++) {
      values[k]! /= scale;
      h += values[k]! * values[k]!;
    }
    const last = values[i - 1]!;
    const root = last > 0 ? -Math.sqrt(h) : Math.sqrt(h);
    beside[i] = scale * root;
    h -= last * root;
    values[i - 1] = last - root;
    applyReflection(v, values, beside, d, i, h);
    values[i] = h;
  }
}

/** Applies the reflection along the vector in `values` (squared norm 2h) to both sides of the leading i × i part of v. */
function applyReflection(v: Float64Array, values: Float64Array, beside: Float64Array, d: number, i: number, h: number): void {
  beside.fill(0, 0, i);
  for (let j = 0; j < i; j++) {
    const f = values[j]!;
    v[i * d + j] = f;
    let g = beside[j]! + v[j * d + j]! * f;
    for (let k = j + 1; k < i; k++) {
      g += v[j * d + k]! * values[k]!;
      beside[k]! += v[j * d + k]! * f;
    }
    beside[j] = g;
  }
  let dot = 0;
  for (let j = 0; j < i; j++) {
    beside[j]! /= h;
    dot += beside[j]! * values[j]!;
  }
  const share = dot / (h + h);
  for (let j = 0; j < i; j++) beside[j]! -= share * values[j]!;
  for (let j = 0; j < i; j++) {
    const [f, g] = [values[j]!, beside[j]!];
    for (let k = j; k < i; k++) v[j * d + k]! -= f * beside[k]! + g * values[k]!;
    values[j] = v[j * d + i - 1]!;
    v[j * d + i] = 0;
  }
}

/** Multiplies all reflections: v becomes the transposed transformation. `values` becomes the diagonal of the tridiagonal matrix. */
function collectReflections(v: Float64Array, values: Float64Array, d: number): void {
  for (let i = 0; i < d - 1; i++) {
    v[i * d + d - 1] = v[i * d + i]!;
    v[i * d + i] = 1;
    const next = (i + 1) * d;
    const h = values[i + 1]!;
    if (h !== 0) {
      for (let k = 0; k <= i; k++) values[k] = v[next + k]! / h;
      for (let j = 0; j <= i; j++) {
        let g = 0;
        for (let k = 0; k <= i; k++) g += v[next + k]! * v[j * d + k]!;
        for (let k = 0; k <= i; k++) v[j * d + k]! -= g * values[k]!;
      }
    }
    v.fill(0, next, next + i + 1);
  }
  for (let j = 0; j < d; j++) {
    values[j] = v[j * d + d - 1]!;
    v[j * d + d - 1] = 0;
  }
  v[d * d - 1] = 1;
}

/** Makes the tridiagonal matrix diagonal. `values` then contains the eigenvalues, and the rows of v are the eigenvectors. */
function iterateQl(v: Float64Array, values: Float64Array, beside: Float64Array, d: number): void {
  let shift = 0;
  let largest = 0;
  for (let l = 0; l < d; l++) {
    largest = Math.max(largest, Math.abs(values[l]!) + Math.abs(beside[l]!));
    const isSmall = (m: number): boolean => Math.abs(beside[m]!) <= Number.EPSILON * largest;
    let m = l;
    while (m < d && !isSmall(m)) m++;
    if (m > l) {
      do {
        const g = values[l]!;
        const p = (values[l + 1]! - g) / (2 * beside[l]!);
        const r = p < 0 ? -hypotenuse(p, 1) : hypotenuse(p, 1);
        values[l] = beside[l]! / (p + r);
        values[l + 1] = beside[l]! * (p + r);
        const h = g - values[l]!;
        for (let i = l + 2; i < d; i++) values[i]! -= h;
        shift += h;
        rotateUp(v, values, beside, d, l, m);
      } while (Math.abs(beside[l]!) > Number.EPSILON * largest);
    }
    values[l]! += shift;
    beside[l] = 0;
  }
}

/** One QL sweep: rotations of the rows m-1 and m, then m-2 and m-1, up to l and l+1. */
function rotateUp(v: Float64Array, values: Float64Array, beside: Float64Array, d: number, l: number, m: number): void {
  const next = values[l + 1]!;
  const besideNext = beside[l + 1]!;
  let p = values[m]!;
  let [c, c2, c3, s, s2] = [1, 1, 1, 0, 0];
  for (let i = m - 1; i >= l; i--) {
    c3 = c2;
    c2 = c;
    s2 = s;
    const g = c * beside[i]!;
    const h = c * p;
    const r = hypotenuse(p, beside[i]!);
    beside[i + 1] = s * r;
    s = beside[i]! / r;
    c = p / r;
    p = c * values[i]! - s * g;
    values[i + 1] = h + s * (c * g + s * values[i]!);
    for (let low = i * d, high = low + d, k = 0; k < d; k++) {
      const [below, above] = [v[low + k]!, v[high + k]!];
      v[high + k] = s * below + c * above;
      v[low + k] = c * below - s * above;
    }
  }
  p = (-s * s2 * c3 * besideNext * beside[l]!) / next;
  beside[l] = s * p;
  values[l] = c * p;
}

function sortEigen(v: Float64Array, values: Float64Array, d: number): void {
  for (let i = 0; i < d - 1; i++) {
    let least = i;
    for (let j = i + 1; j < d; j++) if (values[j]! < values[least]!) least = j;
    if (least === i) continue;
    [values[i], values[least]] = [values[least]!, values[i]!];
    const row = v.slice(i * d, (i + 1) * d);
    v.copyWithin(i * d, least * d, (least + 1) * d);
    v.set(row, least * d);
  }
}

/** √(a² + b²) without overflow. It rounds differently from `hypot`, and results of methods depend on these exact bits. */
function hypotenuse(a: number, b: number): number {
  const [larger, smaller] = Math.abs(a) > Math.abs(b) ? [a, b] : [b, a];
  if (larger === 0) return 0;
  const ratio = smaller / larger;
  return Math.abs(larger) * Math.sqrt(1 + ratio * ratio);
}

/** RᵀR as a full matrix, for an m x d matrix R. */
export function gram(r: Float64Array, m: number, d: number): Float64Array {
  const product = new Float64Array(d * d);
  for (let row = 0; row < m; row++) {
    for (let i = 0; i < d; i++) {
      const factor = r[row * d + i]!;
      if (factor === 0) continue;
      for (let j = 0; j <= i; j++) product[i * d + j]! += factor * r[row * d + j]!;
    }
  }
  for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) product[j * d + i] = product[i * d + j]!;
  return product;
}
