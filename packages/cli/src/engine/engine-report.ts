/** Makes the report of a run on an engine: sizes, scores, violations and labels. */
import {
  type ConstraintSet,
  closeConstraints,
  constrainedRandIndex,
  contingency,
  type InstanceId,
  type Instances,
  matrixRows,
  noiseAlone,
  nothingToScore,
  pairCounts,
  type Report,
  scoresOf,
  scoresOverClustered,
  violationsOf,
} from "@coterie/core/internal";
import type { PlanOutcome } from "@coterie/core/scale";
import type { Labelled } from "@coterie/engines";
import { reportColumns, violationsInIds } from "@coterie/workbench";
import { VERSION } from "../version.js";

/** Maximum number of labels in a report; more labels go only to the labels file. */
const MOST_LABELS = 1_000_000;

export interface EngineRun {
  readonly method: string;
  readonly seed: number;
  readonly options: Readonly<Record<string, unknown>>;
  readonly constraints: ConstraintSet;
  readonly ids: readonly InstanceId[];
  readonly rows: number;
  readonly idColumn: string | undefined;
  readonly names: readonly string[];
  readonly notations?: Instances["notations"];
  readonly numbers: Int32Array;
  readonly sizes: readonly number[];
  readonly noise: number;
  readonly placed: Int32Array;
  readonly found: Partial<Report>;
  readonly labelled: Labelled;
  readonly facts: NonNullable<Report["engine"]>;
  readonly notices: readonly string[];
  /** The class of each row of the table; -1 for rows whose class is not known. */
  readonly truth?: Int32Array | undefined;
  readonly timings: Readonly<Record<string, number>>;
  readonly out?: string | undefined;
}

export function engineReport(run: EngineRun): Report {
  const { labelled, numbers, ids, placed } = run;
  const tooMany = labelled.labels === null || labelled.labels.length > MOST_LABELS;
  return {
    algorithm: run.method,
    version: VERSION,
    options: run.options,
    seed: run.seed,
    instances: run.rows,
    features: run.names,
    columns: reportColumns({
      n: run.rows,
      d: run.names.length,
      names: run.names,
      ...(run.notations ? { notations: run.notations } : {}),
    }),
    k: run.sizes.length,
    labels: tooMany ? [] : Array.from(labelled.labels!, (label) => (label < 0 ? null : numbers[label]!)),
    sizes: run.sizes,
    noise: run.noise,
    violations: violationsInIds(violationsOf(run.constraints, placed), { n: ids.length, d: 0, x: new Float64Array(0), ids }),
    ...run.found,
    ...(run.truth ? scoresIn(run) : {}),
    engine: run.facts,
    notices: [...run.notices, ...(tooMany ? [whereLabelsAre(run)] : [])],
    timings: run.timings,
  };
}

function whereLabelsAre({ labelled, out }: EngineRun): string {
  const why = labelled.labels === null ? "the rows are on Spark" : `there are more than ${MOST_LABELS.toLocaleString("en")} rows`;
  return out === undefined
    ? `The report has no labels, because ${why}; --out labels.parquet writes them.`
    : `The report has no labels, because ${why}; they are in ${out}.`;
}

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

/** The scores against known classes. A row that the run left out counts as a row without a class. */
function scoresIn({ truth, labelled, constraints, numbers }: EngineRun): Pick<Report, "scores" | "scoresOverClustered"> {
  const labels = labelled.labels!.map((label) => (label < 0 ? 0 : numbers[label]!));
  const codes = truth!.map((code, i) => (labelled.labels![i]! < 0 ? -1 : code));
  if (nothingToScore(codes) !== undefined) return { scores: null };
  // The constrained Rand index counts the pairs of rows that the constraints do not decide. Constraints decide only pairs of constrained
  // rows, so their closure over these rows is enough.
  const at = (of: Int32Array): Int32Array => labelled.placedRows.map((row) => of[row]!);
  const closure = closeConstraints(constraints);
  const free = (all: Int32Array): number =>
    constrainedRandIndex(at(all), at(codes), closure, pairCounts(contingency(all, codes)));
  const clustered = scoresOverClustered(labels, codes);
  return {
    scores: { ...scoresOf(labels, codes), constrainedRand: free(noiseAlone(labels)) },
    ...(clustered ? { scoresOverClustered: { ...clustered, constrainedRand: free(labels) } } : {}),
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
