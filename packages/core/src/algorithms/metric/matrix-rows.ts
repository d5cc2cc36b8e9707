/** A square row-major matrix as an array of rows, the form that reports contain. */
export function matrixRows(flat: Float64Array): number[][] {
  const d = Math.round(Math.sqrt(flat.length));
  return Array.from({ length: d }, (_, i) => Array.from(flat.subarray(i * d, (i + 1) * d)));
}
