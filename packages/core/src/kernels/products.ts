/**
 * Sums of products of columns, and products of rows with vectors, in plain TypeScript: the reference that the faster kernels match
 * bit by bit.
 */
import type { Arena, ProductSums } from "./kernels.js";

export function plainProducts(d: number, _arena: Arena, together: 1 | 4 = 4): ProductSums {
  const sums = new Float64Array(d);
  const products = new Float64Array(d * d);
  const none = new Float64Array(d);
  return {
    add: (rows, n) => {
      const row = (i: number) => (i < n ? rows.subarray(i * d, (i + 1) * d) : none);
      for (let i = 0; together === 1 && i < n; i++) addOne(row(i), d, sums, products);
      for (let i = 0; together === 4 && i < n; i += 4) addFour(row(i), row(i + 1), row(i + 2), row(i + 3), d, sums, products);
    },
    sums: () => sums.slice(),
    products: () => products.slice(),
  };
}

/** Adds a row to the sums and to the lower half of the products. */
function addOne(p: Float64Array, d: number, sums: Float64Array, products: Float64Array): void {
  for (let a = 0, at = 0; a < d; a++, at += d) {
    const pa = p[a]!;
    sums[a]! += pa;
    for (let b = 0; b <= a; b++) products[at + b]! += pa * p[b]!;
  }
}

/** Adds four rows to the sums and to the lower half of the products. */
function addFour(
  p: Float64Array,
  q: Float64Array,
  r: Float64Array,
  s: Float64Array,
  d: number,
  sums: Float64Array,
  products: Float64Array,
): void {
  for (let a = 0, at = 0; a < d; a++, at += d) {
    const pa = p[a]!;
    const qa = q[a]!;
    const ra = r[a]!;
    const sa = s[a]!;
    sums[a]! += pa + qa + ra + sa;
    for (let b = 0; b <= a; b++) products[at + b]! += pa * p[b]! + qa * q[b]! + ra * r[b]! + sa * s[b]!;
  }
}

/** Four vectors at a time, because independent sums run in parallel in the processor. */
export function plainProjections(rows: Float64Array, n: number, lines: Float64Array, k: number, d: number): Float64Array {
  const found = new Float64Array(n * k);
  const whole = k - (k % 4);
  for (let i = 0; i < n; i++) {
    const row = i * d;
    for (let c = 0; c < whole; c += 4) withFour(rows, row, lines, c * d, d, found, i * k + c);
    for (let c = whole; c < k; c++) {
      let sum = 0;
      for (let f = 0; f < d; f++) sum += rows[row + f]! * lines[c * d + f]!;
      found[i * k + c] = sum;
    }
  }
  return found;
}

function withFour(
  rows: Float64Array,
  row: number,
  lines: Float64Array,
  line: number,
  d: number,
  found: Float64Array,
  at: number,
): void {
  let a = 0;
  let b = 0;
  let c = 0;
  let e = 0;
  for (let f = 0; f < d; f++) {
    const value = rows[row + f]!;
    a += value * lines[line + f]!;
    b += value * lines[line + d + f]!;
    c += value * lines[line + 2 * d + f]!;
    e += value * lines[line + 3 * d + f]!;
  }
  found[at] = a;
  found[at + 1] = b;
  found[at + 2] = c;
  found[at + 3] = e;
}
