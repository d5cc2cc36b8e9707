/** Runs a method over a loaded table. Returns the report, the letters of the clusters, and a model if the method has one. */
import {
  type ConstraintSet,
  methodNamed,
  modelOf,
  needsK,
  type Report,
  saveModel,
  titleOf,
  treatmentsOf,
  violationCount,
} from "@coterie/core/internal";
import type { ActiveConstraint } from "../log/constraint-log.js";
import type { Watch } from "../pool.js";
import { usedOf } from "../protocol/tally.js";
import { reportOf } from "../report.js";
import { clusterWords, internalScores, type Run, run } from "../run.js";
import type { RunSpec } from "../run-spec.js";
import type { TaskTable } from "./compute.js";
import { knownAt } from "./known.js";
import { type Lettered, lettersOf } from "./letters.js";

export interface ClusterInput {
  readonly active: readonly ActiveConstraint[];
  readonly spec: RunSpec;
  readonly before: (Lettered & { readonly names: readonly (string | null)[] | null }) | null;
  readonly sha256: string;
  readonly notices: readonly string[];
}

export interface ClusterOutput {
  readonly report: Report;
  readonly labels: Int32Array;
  readonly letters: readonly number[];
  readonly names: readonly (string | null)[] | null;
  readonly title: string;
  readonly used: number;
  readonly broken: number;
  /** The model as JSON, which `coterie predict` reads; null if the method has no rule for new rows. */
  readonly model: string | null;
  readonly milliseconds: number;
}

export async function clusterTask(loaded: TaskTable, input: ClusterInput, watch: Watch): Promise<ClusterOutput> {
  const { host } = loaded;
  const { instances, rows, total, notices, dominance } = loaded;
  const { set, sizes } = knownAt(loaded, input.active);
  const bounded = withSizes(input.spec, sizes);
  const runHost = { kernels: host.kernels(), pause: host.pause, ...watch };
  const started = performance.now();
  const done = await run(instances, set, bounded.spec, runHost);
  const milliseconds = performance.now() - started;
  const internal = await internalScores(done, runHost);
  const words = await clusterWords(done, runHost);
  const report = reportOf(done, {
    version: host.version,
    points: done.points,
    internal,
    ...words,
    constraints: set,
    rows,
    total,
    notices: [...notices, ...set.notices, ...bounded.notices, ...input.notices],
    dominance,
    timings: { clustering: milliseconds },
  });
  const { labels, k } = done.result;
  const letters = lettersOf(labels, k, input.before);
  return {
    report,
    labels,
    letters,
    names: namesOf(set, labels, k, letters, input.before),
    title: titleOf(methodNamed(report.chosen?.algorithm ?? report.algorithm), report.options),
    used: usedOf(treatmentsOf(done.method, report.options), input.active),
    broken: violationCount(report.violations),
    model: modelText(loaded, done, input.sha256),
    milliseconds,
  };
}

/**
 * Adds the bounds on cluster sizes to the options of a method that supports them. For other methods, a notice says that they are ignored.
 */
function withSizes(
  spec: RunSpec,
  { min, max }: { readonly min?: number; readonly max?: number },
): { readonly spec: RunSpec; readonly notices: readonly string[] } {
  if (min === undefined && max === undefined) return { spec, notices: [] };
  if (spec.algorithm !== "cop-kmeans")
    return {
      spec,
      notices: ["Bounds on the sizes of clusters are kept by cop-kmeans alone; this method does not look at them."],
    };
  const bounds = { ...(min === undefined ? {} : { minSize: min }), ...(max === undefined ? {} : { maxSize: max }) };
  return { spec: { ...spec, options: { ...bounds, ...spec.options } }, notices: [] };
}

function modelText(loaded: TaskTable, { method, result, spec, points }: Run, sha256: string): string | null {
  if (!needsK(method)) return null;
  const { table, reading, fills } = loaded;
  return saveModel(
    modelOf(points, result, {
      ...spec,
      version: loaded.host.version,
      missing: reading.missing,
      fills,
      file: table.file,
      sha256,
      kernels: loaded.host.kernels(),
    }),
  );
}

/**
 * Names the clusters. A cluster gets the class of most of its labelled rows. If it has none, it gets the name of the earlier cluster with
 * the same letter.
 */
function namesOf(
  { labels: active }: ConstraintSet,
  labels: Int32Array,
  k: number,
  letters: readonly number[],
  before: ClusterInput["before"],
): (string | null)[] | null {
  const names = Array.from({ length: k }, (_, cluster) => {
    const earlier = before?.letters.indexOf(letters[cluster]!) ?? -1;
    return classOf(cluster, active, labels) ?? (earlier < 0 ? null : (before?.names?.[earlier] ?? null));
  });
  return names.some((name) => name !== null) ? names : null;
}

function classOf(cluster: number, { row, code, names }: ConstraintSet["labels"], labels: Int32Array): string | null {
  const counts = new Int32Array(names.length);
  for (let s = 0; s < row.length; s++) if (labels[row[s]!] === cluster) counts[code[s]!]!++;
  const most = counts.reduce((best, count) => Math.max(best, count), 0);
  return most === 0 ? null : names[counts.indexOf(most)]!;
}
