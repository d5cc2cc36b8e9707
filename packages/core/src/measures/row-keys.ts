/** Numbers for clusters, classes and the cells they share, side by side in one range: the keys of profiles. */
import { bothLabelled, type Codes, compact, isSmall, sortedBy } from "../structures/contingency.js";
import type { RowKeys } from "./profiles.js";

/** Rows with a negative label in either array get the key -1. */
export function rowKeys(labels: Int32Array, truth: Int32Array): RowKeys {
  const clusters = compact(labels);
  const classes = compact(truth);
  const firstCell = clusters.count + classes.count;
  const { cell, count } = isSmall(clusters, classes) ? denseCells(clusters, classes) : sparseCells(clusters, classes);
  const classKey = classes.codes.map((code) => clusters.count + code);
  for (let i = 0; i < cell.length; i++) if (cell[i]! >= 0) cell[i] = cell[i]! + firstCell;
  return { cluster: clusters.codes, classKey, cell, firstCell, keyCount: firstCell + count };
}

interface Cells {
  readonly cell: Int32Array;
  readonly count: number;
}

function denseCells(clusters: Codes, classes: Codes): Cells {
  const cell = clusters.codes.map((cluster, i) => {
    const code = classes.codes[i]!;
    return cluster < 0 || code < 0 ? -1 : cluster * classes.count + code;
  });
  return { cell, count: clusters.count * classes.count };
}

/** Numbers the cells that occur, in the order of cluster and class. */
function sparseCells(clusters: Codes, classes: Codes): Cells {
  const cell = new Int32Array(clusters.codes.length).fill(-1);
  const sorted = sortedBy(sortedBy(bothLabelled(clusters.codes, classes.codes), classes), clusters);
  let count = 0;
  for (let p = 0; p < sorted.length; p++) {
    const row = sorted[p]!;
    const before = sorted[p - 1];
    const same =
      before !== undefined && clusters.codes[before] === clusters.codes[row] && classes.codes[before] === classes.codes[row];
    cell[row] = same ? count - 1 : count++;
  }
  return { cell, count };
}
