/** Systems of a few dozen equations. */
import { LuDecomposition, Matrix } from "ml-matrix";

/** The x with R x = y for a square R, row by row in one array; null where R is singular. */
export function solver(r: Float64Array, d: number): ((y: Float64Array) => Float64Array) | null {
  const matrix = new Matrix(d, d);
  for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) matrix.set(i, j, r[i * d + j]!);
  const decomposition = new LuDecomposition(matrix);
  if (decomposition.isSingular()) return null;
  return (y) => Float64Array.from(decomposition.solve(Matrix.columnVector(y)).to1DArray());
}
