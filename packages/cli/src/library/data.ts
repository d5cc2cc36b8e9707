/** `coterie/data`: tables, constraints and labels from files, in Node. */
import { asPoints, type ConstraintSet, type Instances, type Rows } from "@coterie/core/internal";
import { openBytes, readLabels as readLabelling, readConstraints as readSet } from "@coterie/data";

export { type ReadTableOptions, readDistances, readTable } from "@coterie/data";

/**
 * Reads constraints about these rows from a CSV or JSON lines file.
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
 * Reads the clusters of these rows from a labels file; -1 for rows that the file does not name.
 *
 * ```ts
 * const labels = await readLabels("labels.csv", rows);
 * ```
 */
export async function readLabels(path: string, rows: Instances | Rows): Promise<Int32Array> {
  const { chunks, file } = await openBytes(path);
  return (await readLabelling(chunks, { file, rows: asPoints(rows) })).labels.codes;
}
