/** From a report in the user's ids back to rows of the data. */
import { badInput, type InstanceId, type Instances, type Report, type Violations } from "@coterie/core/internal";

/**
 * The cluster of each row of `instances`, -1 for none. A report may list more rows than the instances hold: rows dropped for
 * missing cells have a null label there, and ids that are row numbers still count the rows of the file.
 */
export function labelsOfRows(report: Pick<Report, "labels">, { n, ids }: Pick<Instances, "n" | "ids">): Int32Array {
  const { labels } = report;
  if (labels.length === n) return Int32Array.from(labels, (label) => label ?? -1);
  if (ids?.every((id) => typeof id === "number" && id < labels.length)) {
    return Int32Array.from(ids, (id) => labels[id as number] ?? -1);
  }
  const kept = labels.filter((label) => label !== null);
  if (kept.length !== n) {
    throw badInput(`The report is about ${labels.length} rows, the data have ${n}.`, {
      remedy: "Give the report and the data of the same run.",
    });
  }
  return Int32Array.from(kept);
}

/** Violations in rows; what names an id that the data do not have is left out. */
export function violationsInRows(
  { violations }: Pick<Report, "violations">,
  { n, ids }: Pick<Instances, "n" | "ids">,
): Violations {
  const known = ids && new Map<InstanceId, number>(ids.map((id, row) => [id, row]));
  const rowOf = (id: InstanceId) => (known ? (known.get(id) ?? -1) : typeof id === "number" && id >= 0 && id < n ? id : -1);
  const rows = <T extends readonly number[]>(statement: readonly InstanceId[]): T[] => {
    const found = statement.map(rowOf);
    return found.includes(-1) ? [] : [found as unknown as T];
  };
  return {
    mustLink: violations.mustLink.flatMap((pair) => rows<[number, number]>(pair)),
    cannotLink: violations.cannotLink.flatMap((pair) => rows<[number, number]>(pair)),
    relative: violations.relative.flatMap((triple) => rows<[number, number, number]>(triple)),
    labels: violations.labels.flatMap(([id, name]) => rows<[number]>([id]).map(([row]) => [row, name] as const)),
    exclusive: violations.exclusive.map(({ column, value, cluster, ids: members }) => ({
      column,
      value,
      cluster,
      rows: members.map(rowOf).filter((row) => row >= 0),
    })),
  };
}
