/** The report of a run on an engine. */
import {
  type ConstraintSet,
  closeConstraints,
  emptyConstraints,
  type InstanceId,
  matrixRows,
  nothingToScore,
  type Report,
  type Scores,
  scoresOf,
  violationsOf,
} from "@coterie/core/internal";
import type { PlanOutcome } from "@coterie/core/scale";
import type { Labelled } from "@coterie/engines";
import { violationsInIds } from "@coterie/workbench";
import { VERSION } from "../version.js";

/** Labels that a report lists; more belong into a file of their own. */
const MOST_LABELS = 1_000_000;

/** Rows in clusters, whatever found them. Clusters have their numbers by first appearance. */
export interface EngineRun {
  readonly method: string;
  readonly seed: number;
  readonly options: Readonly<Record<string, unknown>>;
  readonly constraints: ConstraintSet;
  readonly ids: readonly InstanceId[];
  readonly rows: number;
  readonly names: readonly string[];
  /** For each cluster as the engine knows it, its number; -1 for none. */
  readonly numbers: Int32Array;
  readonly sizes: readonly number[];
  readonly noise: number;
  /** Clusters of the constrained rows. */
  readonly placed: Int32Array;
  /** What the method tells beside them. */
  readonly found: Partial<Report>;
  readonly labelled: Labelled;
  readonly facts: NonNullable<Report["engine"]>;
  readonly notices: readonly string[];
  /** The class of each row of the table, -1 where it is not known. */
  readonly truth?: Int32Array | undefined;
  readonly timings: Readonly<Record<string, number>>;
  /** The file that the labels go to, if there is one. */
  readonly out?: string | undefined;
}

export function engineReport(run: EngineRun): Report {
  const { labelled, numbers, ids, placed } = run;
  const tooMany = labelled.labels === null || labelled.labels.length > MOST_LABELS;
  const scores = run.truth && scoresIn(run);
  return {
    algorithm: run.method,
    version: VERSION,
    options: run.options,
    seed: run.seed,
    instances: run.rows,
    features: run.names,
    k: run.sizes.length,
    labels: tooMany ? [] : Array.from(labelled.labels!, (label) => (label < 0 ? null : numbers[label]!)),
    sizes: run.sizes,
    noise: run.noise,
    violations: violationsInIds(violationsOf(run.constraints, placed), { n: ids.length, d: 0, x: new Float64Array(0), ids }),
    ...run.found,
    ...(run.truth ? { scores: scores ?? null } : {}),
    engine: run.facts,
    notices: [...run.notices, ...(tooMany ? [whereLabelsAre(run)] : [])],
    timings: run.timings,
  };
}

/** Labels by the million belong into a file of their own. */
function whereLabelsAre({ labelled, out }: EngineRun): string {
  const why =
    labelled.labels === null ? "the rows are on the cluster" : `there are more than ${MOST_LABELS.toLocaleString("en")}`;
  return out === undefined
    ? `The report has no labels, for ${why}; --out labels.parquet writes them.`
    : `The report has no labels, for ${why}; they are in ${out}.`;
}

/** What a plan found, in the words of a report. */
export function planFound(outcome: PlanOutcome, order: readonly number[]): Partial<Report> {
  const { scaling } = outcome;
  return {
    objective: finite(outcome.objective),
    history: outcome.history.map(finite),
    iterations: outcome.iterations,
    stopped: outcome.stopped,
    ...(outcome.metric ? { metric: metricIn(outcome, order) } : {}),
    ...(outcome.farthestPair ? { farthestPair: outcome.farthestPair } : {}),
    ...(outcome.metric && scaling ? { scaling: { offset: [...scaling.offset], factor: [...scaling.factor] } } : {}),
    centres: order.map((c) => {
      const centre = outcome.centres[c]!;
      return Array.from(centre, (value, j) => (scaling ? value * scaling.factor[j]! + scaling.offset[j]! : value));
    }),
  };
}

/** For each of the plan's clusters its number by first appearance. */
export function numbering(order: readonly number[], k: number): Int32Array {
  const numbers = new Int32Array(k).fill(-1);
  order.forEach((cluster, number) => {
    numbers[cluster] = number;
  });
  return numbers;
}

function metricIn({ metric }: PlanOutcome, order: readonly number[]): NonNullable<Report["metric"]> {
  const { kind, matrices } = metric!;
  const ordered = matrices.length === 1 ? matrices : order.map((c) => matrices[c]!);
  return { kind, matrices: ordered.map((matrix) => (kind === "diagonal" ? [...matrix] : matrixRows(matrix))) };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Rows that were left out have no class. */
function scoresIn({ truth, labelled, constraints, numbers }: EngineRun): Scores | undefined {
  const labels = labelled.labels!.map((label) => (label < 0 ? 0 : numbers[label]!));
  const codes = truth!.map((code, i) => (labelled.labels![i]! < 0 ? -1 : code));
  if (nothingToScore(labels, codes) !== undefined) return undefined;
  return scoresOf(labels, codes, closeConstraints(inTable(constraints, labelled.placedRows, labels.length)));
}

/** The same constraints about the rows of the table. */
function inTable(set: ConstraintSet, rows: Int32Array, n: number): ConstraintSet {
  const at = (index: Int32Array): Int32Array => index.map((i) => rows[i]!);
  const { mustLinks, cannotLinks, relative, labels } = set;
  return {
    ...emptyConstraints(n),
    mustLinks: { ...mustLinks, a: at(mustLinks.a), b: at(mustLinks.b) },
    cannotLinks: { ...cannotLinks, a: at(cannotLinks.a), b: at(cannotLinks.b) },
    relative: { ...relative, a: at(relative.a), b: at(relative.b), c: at(relative.c) },
    labels: { ...labels, row: at(labels.row) },
  };
}

export function classCodes(classes: readonly (string | null)[]): Int32Array {
  const codes = new Map<string, number>();
  return Int32Array.from(classes, (name) => {
    if (name === null) return -1;
    const code = codes.get(name) ?? codes.size;
    codes.set(name, code);
    return code;
  });
}
