/**
 * Compares the linkages of the plain kernels with SciPy's results, including ties. `tools/goldens/scipy-linkage.py` writes SciPy's
 * results.
 */
import { describe, expect, test } from "vitest";
import { euclideanMatrix, LINKAGES, type Linkage, plainMerges } from "../../kernels/testing/linkage-cases.js";
import type { Merge } from "../../model/result.js";
import { cutAtHeight, orderMerges } from "./cut/merges.js";
import goldens from "./goldens/scipy-linkage.json" with { type: "json" };

interface Golden {
  readonly merges: Merge[];
  readonly cut: { readonly height: number; readonly labels: readonly number[] };
}

function hierarchy(linkage: Linkage, points: readonly (readonly number[])[]): Merge[] {
  return orderMerges(plainMerges(linkage, euclideanMatrix(points), points.length), points.length, linkage);
}

describe.each(goldens.sets)("$name", ({ points, linkages }) => {
  test.each(LINKAGES)("%s", (linkage) => {
    const { merges, cut } = (linkages as unknown as Record<Linkage, Golden>)[linkage];
    expect(hierarchy(linkage, points)).toEqual(merges);
    expect(sameGroups(cutAtHeight(merges, points.length, cut.height), cut.labels)).toBe(true);
  });
});

function sameGroups(ours: Int32Array, theirs: readonly number[]): boolean {
  const firstWith = <T>(list: ArrayLike<T>, value: T) => Array.prototype.indexOf.call(list, value);
  return theirs.every((label, row) => firstWith(ours, ours[row]!) === firstWith(theirs, label));
}
