/** The report of a run on an engine. */
import {
  type ConstraintSet,
  closeConstraints,
  emptyConstraints,
  nothingToScore,
  type Report,
  type Scores,
  scoresOf,
  violationsOf,
} from "@coterie/core/internal";
import type { PlanInput, PlanOutcome } from "@coterie/core/scale";
import type { EngineFacts, Labelled } from "@coterie/engines";
import { violationsInIds } from "@coterie/workbench";
import { VERSION } from "../version.js";

/** Labels that a report lists; more belong into a file of their own. */
const MOST_LABELS = 1_000_000;

export interface EngineRun {
  readonly input: PlanInput;
  readonly options: Readonly<Record<string, unknown>>;
  readonly outcome: PlanOutcome;
  readonly labelled: Labelled;
  readonly facts: EngineFacts;
  readonly notices: readonly string[];
  /** The class of each row of the table, -1 where it is not known. */
  readonly truth?: Int32Array | undefined;
  readonly timings: Readonly<Record<string, number>>;
}

export function engineReport(run: EngineRun): Report {
  const { input, outcome, labelled, facts } = run;
  const { order } = labelled;
  const numbers = numbering(order, outcome.centres.length);
  const { ids } = input;
  const placed = outcome.placed.map((label) => numbers[label]!);
  const { scaling } = outcome;
  const tooMany = labelled.labels === null || labelled.labels.length > MOST_LABELS;
  const scores = run.truth && scoresIn(run, numbers);
  return {
    algorithm: input.method,
    version: VERSION,
    options: run.options,
    seed: input.seed,
    instances: outcome.rows,
    features: outcome.names,
    k: order.length,
    labels: tooMany ? [] : Array.from(labelled.labels!, (label) => (label < 0 ? null : numbers[label]!)),
    sizes: order.map((c) => outcome.sizes[c]!),
    noise: 0,
    violations: violationsInIds(violationsOf(input.constraints, placed), { n: ids.length, d: 0, x: new Float64Array(0), ids }),
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
    ...(run.truth ? { scores: scores ?? null } : {}),
    engine: facts,
    notices: [
      ...run.notices,
      ...outcome.notices,
      ...(tooMany ? ["The report has no labels, for there are too many; --out writes them."] : []),
    ],
    timings: run.timings,
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

function metricIn({ metric, names }: PlanOutcome, order: readonly number[]): NonNullable<Report["metric"]> {
  const { kind, matrices } = metric!;
  const d = names.length;
  const ordered = matrices.length === 1 ? matrices : order.map((c) => matrices[c]!);
  const rows = (matrix: Float64Array): number[][] =>
    Array.from({ length: d }, (_, i) => [...matrix.subarray(i * d, (i + 1) * d)]);
  return { kind, matrices: ordered.map((matrix) => (kind === "diagonal" ? [...matrix] : rows(matrix))) };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Rows that were left out have no class. */
function scoresIn({ truth, labelled, input }: EngineRun, numbers: Int32Array): Scores | undefined {
  const labels = labelled.labels!.map((label) => (label < 0 ? 0 : numbers[label]!));
  const codes = truth!.map((code, i) => (labelled.labels![i]! < 0 ? -1 : code));
  if (nothingToScore(labels, codes) !== undefined) return undefined;
  return scoresOf(labels, codes, closeConstraints(inTable(input.constraints, labelled.placedRows, labels.length)));
}

/** The same statements about the rows of the table. */
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
