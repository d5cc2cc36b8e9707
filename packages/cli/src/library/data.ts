/** `coterie/data`: tables, constraints and labels from files, in Node. */
import { asPoints, type ConstraintSet, type Instances, type Rows } from "@coterie/core/internal";
import { openBytes, readLabels as readLabelling, readConstraints as readSet } from "@coterie/data";

export { type ReadTableOptions, readDistances, readTable } from "@coterie/data";

/**
 * What a file of constraints says about these rows: CSV or JSON lines.
 *
 * ```ts
 * const known = await readConstraints("known.csv", await readTable("data.csv", { id: "name" }));
 * ```
 */
export async function readConstraints(
  path: string,
  rows: Instances | Rows,
): Promise<ConstraintSet & { readonly notices: readonly string[] }> {
  const { chunks, file } = await openBytes(path);
  const { set, notices } = await readSet(chunks, { file, rows: asPoints(rows) });
  return { ...set, notices };
}

/**
 * The clusters that a labels file gives these rows; -1 for rows that it does not name.
 *
 * ```ts
 * const labels = await readLabels("labels.csv", rows);
 * ```
 */
export async function readLabels(path: string, rows: Instances | Rows): Promise<Int32Array> {
  const { chunks, file } = await openBytes(path);
  return (await readLabelling(chunks, { file, rows: asPoints(rows) })).labels.codes;
}
