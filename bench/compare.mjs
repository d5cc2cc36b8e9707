/** Compares answers: each function returns a sentence about the difference, or undefined. */

/**
 * Whether two lists of numbers are equal within `relative` times the largest size of a number in them.
 * @param {string} what
 * @param {ArrayLike<number>} ours
 * @param {ArrayLike<number>} theirs
 * @param {number} relative
 * @returns {string | undefined}
 */
export function numbersDiffer(what, ours, theirs, relative) {
  if (ours.length !== theirs.length) return `${what}: ${ours.length} numbers, the peer has ${theirs.length}`;
  let largest = 0;
  for (let i = 0; i < theirs.length; i++) largest = Math.max(largest, Math.abs(/** @type {number} */ (theirs[i])));
  for (let i = 0; i < ours.length; i++) {
    // Not `>`, so that NaN counts as a difference.
    if (!(Math.abs(/** @type {number} */ (ours[i]) - /** @type {number} */ (theirs[i])) <= relative * largest)) {
      return `${what}: number ${i} is ${ours[i]}, the peer's is ${theirs[i]}`;
    }
  }
  return undefined;
}

/**
 * The share of rows on which two clusterings with the same number of clusters agree, when each cluster of the first is named
 * after the cluster of the second that holds most of its rows.
 * @param {Int32Array} ours
 * @param {Int32Array} theirs
 * @param {number} k
 */
export function shareOfEqualLabels(ours, theirs, k) {
  const table = new Int32Array(k * k);
  for (let i = 0; i < ours.length; i++) {
    const cell = /** @type {number} */ (ours[i]) * k + /** @type {number} */ (theirs[i]);
    table[cell] = /** @type {number} */ (table[cell]) + 1;
  }
  let equal = 0;
  for (let c = 0; c < k; c++) equal += Math.max(...table.subarray(c * k, (c + 1) * k));
  return equal / ours.length;
}
