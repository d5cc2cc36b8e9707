/**
 * Fills missing cells for methods that need a value in every cell. Numeric columns get their mean, nominal columns their most frequent
 * level.
 */
import type { Instances } from "../model/points.js";
import { counted } from "../model/wording.js";

export interface Filled {
  readonly points: Instances;
  /** Says how many cells were filled, and with what. Empty if no cell was missing. */
  readonly notices: readonly string[];
}

export function fillHoles(given: Instances): Filled {
  if (!given.holes) return { points: given, notices: [] };
  const { holes: _, holeFills, ...points } = given;
  const { n, d } = points;
  const x = points.x.slice();
  let [cells, columns] = [0, 0];
  for (let j = 0; j < d; j++) {
    const before = cells;
    const fill = holeFills?.[j] ?? usualValue(points, j);
    for (let p = j; p < n * d; p += d) {
      if (!Number.isNaN(x[p]!)) continue;
      x[p] = fill;
      cells++;
    }
    if (cells > before) columns++;
  }
  const one = cells === 1;
  const what = `${counted(cells, "missing cell")} in ${counted(columns, "column")} ${one ? "was" : "were"} filled`;
  return { points: { ...points, x }, notices: [`${what}: numbers by the mean, texts by the most frequent level.`] };
}

/**
 * The value for missing cells of column j: the mean of the known cells, or the most frequent code of a nominal column. 0 if all cells are
 * missing.
 */
function usualValue({ n, d, x, nominal }: Instances, j: number): number {
  const known: number[] = [];
  for (let p = j; p < n * d; p += d) if (!Number.isNaN(x[p]!)) known.push(x[p]!);
  if (known.length === 0) return 0;
  return nominal?.[j] === 1 ? mostFrequent(known) : known.reduce((sum, value) => sum + value / known.length, 0);
}

/** The most frequent code, the lowest on ties. */
function mostFrequent(codes: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].reduce((best, each) => (each[1] > best[1] || (each[1] === best[1] && each[0] < best[0]) ? each : best))[0];
}
