/** Synthetic points. */

/** @typedef {import("@coterie/core/internal").Random} Random */

/** Standard normal rows, without any structure. @param {Random} random @param {number} n @param {number} d */
export function normalRows(random, n, d) {
  const x = new Float64Array(n * d);
  for (let p = 0; p < x.length; p++) x[p] = random.normal();
  return x;
}

/**
 * Rows from k normal clouds of deviation 1 whose centres have deviation `spread`: in 16 columns, neighbouring clouds overlap
 * below a spread of about 1.
 * @param {Random} random @param {number} n @param {number} d @param {number} k @param {number} spread
 */
export function mixtureRows(random, n, d, k, spread) {
  return cloudRows(random, n, d, k, spread).x;
}

/** Like `mixtureRows`, with the cloud of each row. @param {Random} random @param {number} n @param {number} d @param {number} k @param {number} spread */
export function cloudRows(random, n, d, k, spread) {
  const centres = normalRows(random.split("centres"), k, d);
  const x = normalRows(random.split("rows"), n, d);
  const clouds = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const cloud = random.int(k);
    clouds[i] = cloud;
    for (let j = 0; j < d; j++) {
      x[i * d + j] = /** @type {number} */ (x[i * d + j]) + spread * /** @type {number} */ (centres[cloud * d + j]);
    }
  }
  return { x, cloud: clouds };
}

/** Rows of whole numbers below `levels`, like the codes of nominal columns. @param {Random} random @param {number} n @param {number} d @param {number} levels */
export function nominalRows(random, n, d, levels) {
  return Float64Array.from({ length: n * d }, () => random.int(levels));
}
