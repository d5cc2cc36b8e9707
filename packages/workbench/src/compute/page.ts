/** Makes the HTML page of a run. The host draws it. */
import { badInput, type ConstraintSet, type Instances, type Report, type RunInRows, violationsOf } from "@coterie/core/internal";
import type { ActiveConstraint } from "../log/constraint-log.js";
import { ownProbabilities } from "../report.js";
import type { TaskTable } from "./compute.js";
import { knownAt } from "./known.js";

export interface PageInput {
  readonly report: RunInRows;
  readonly instances: Instances;
  readonly constraints: ConstraintSet;
  readonly title: string;
  readonly command: string;
  readonly names?: readonly string[];
}

export async function pageTask(
  loaded: TaskTable,
  {
    active,
    names,
    report,
    ...input
  }: Pick<PageInput, "title" | "command" | "names"> & {
    readonly report: Report;
    readonly active: readonly ActiveConstraint[];
  },
): Promise<string> {
  if (!loaded.host.page) throw badInput("Pages cannot be drawn here.", { remedy: "Take the report as JSON." });
  const { instances, rows } = loaded;
  const { set } = knownAt(loaded, active);
  const labels = Int32Array.from(rows, (row) => report.labels[row] ?? -1);
  const violations = violationsOf(
    set,
    labels,
    report.merges?.map(([a, b, height, size]) => [a, b, height ?? Infinity, size]),
  );
  return await loaded.host.page({
    ...input,
    report: { ...report, labels, violations, ...ownProbabilities(report, labels, rows) },
    ...(names ? { names } : {}),
    instances,
    constraints: set,
  });
}
