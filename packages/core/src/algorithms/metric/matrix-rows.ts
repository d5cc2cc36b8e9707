/** A square matrix that lies in one array, as rows of rows, which is how a report has it. */
export function matrixRows(flat: Float64Array): number[][] {
  const d = Math.round(Math.sqrt(flat.length));
  return Array.from({ length: d }, (_, i) => Array.from(flat.subarray(i * d, (i + 1) * d)));
}
