/** Makes the report of a result, as plain JSON for users: it names rows by ids and contains only finite numbers. */
import {
  type ConstraintSet,
  comparedShare,
  type EncodedColumn,
  encodedColumns,
  goesByUnits,
  type InstanceId,
  type Instances,
  type InternalScores,
  idOf,
  levelWeights,
  type Matches,
  matchCounts,
  matrixRows,
  originalValue,
  type QuestionCounts,
  type Report,
  type ReportColumn,
  type ReportViolations,
  type Result,
  type Violations,
} from "@coterie/core/internal";

import type { Run } from "./run.js";

export function reportColumns({ d, names, nominal, texts, notations }: Omit<Instances, "x">): ReportColumn[] {
  return Array.from({ length: d }, (_, j): ReportColumn => {
    const name = names?.[j] ?? `x${j}`;
    const notation = notations?.[j];
    if (nominal?.[j] === 1) return { name, kind: texts?.[j] === 1 ? "text" : "nominal" };
    if (!notation) return { name, kind: "number" };
    return { name, kind: notation.kind, ...("before" in notation ? { unit: `${notation.before}${notation.after}`.trim() } : {}) };
  });
}

export interface ReportFacts {
  readonly version: string;
  readonly points: Instances;
  readonly constraints: ConstraintSet;
  /**
   * rows: for each row of `points`, its number in the file. total: number of rows in the file. A row of the file that is not in `points`
   * gets the label null.
   */
  readonly rows?: Int32Array;
  readonly total?: number;
  readonly questions?: QuestionCounts;
  readonly internal?: InternalScores | null;
  /** For each cluster, the words that are frequent in its texts and rare in other texts. */
  readonly words?: Report["words"];
  readonly notices?: readonly string[];
  /** A notice that is also in `notices`. If the method does not compute distances in the units of the columns, the report leaves it out. */
  readonly dominance?: string | undefined;
  readonly timings: Readonly<Record<string, number>>;
}

export function reportOf({ spec, result }: Pick<Run, "spec" | "result">, facts: ReportFacts): Report {
  const { points } = facts;
  const columns = reportColumns(points);
  const names = clusterNames(result.labels, result.k, facts.constraints.labels);
  const {
    objective,
    history,
    iterations,
    stopped,
    merges,
    centres,
    metric,
    farthestPair,
    tree,
    rules,
    scores,
    chosen,
    probabilities,
    matches,
  } = result;
  return {
    algorithm: spec.algorithm,
    version: facts.version,
    options: spec.options,
    seed: spec.seed,
    instances: points.n,
    features: columns.map(({ name }) => name),
    columns,
    k: result.k,
    labels: rowsInFile(result.labels, facts),
    sizes: result.sizes,
    noise: result.noise,
    ...(names ? { names } : {}),
    ...(facts.words ? { words: facts.words } : {}),
    ...(chosen ? { chosen } : {}),
    violations: violationsInIds(result.violations, points),
    ...(objective === undefined ? {} : { objective: finite(objective) }),
    ...(history ? { history: history.map(finite) } : {}),
    ...(iterations === undefined ? {} : { iterations }),
    ...(stopped ? { stopped } : {}),
    ...(merges ? { merges: merges.map(([left, right, height, size]) => [left, right, finite(height), size] as const) } : {}),
    ...(metric ? metricIn(metric, points) : {}),
    ...(farthestPair ? { farthestPair } : {}),
    ...(tree ? { tree } : {}),
    ...(rules ? { rules } : {}),
    ...(centres ? centresIn(centres, points) : {}),
    ...(matches ? pairsIn(matches, result.sizes, points) : {}),
    ...(points.truth ? { scores: scores ?? null } : {}),
    ...(result.scoresOverClustered ? { scoresOverClustered: result.scoresOverClustered } : {}),
    ...(facts.internal ? { internal: facts.internal } : {}),
    ...(probabilities ? { probabilities: probabilitiesIn(probabilities, result, facts) } : {}),
    ...(facts.questions ? { questions: facts.questions } : {}),
    notices: [...trueNotices(facts, { ...spec, metric, chosen }), ...result.notices],
    timings: facts.timings,
  };
}

function trueNotices(
  { notices = [], dominance, points }: ReportFacts,
  run: Parameters<typeof goesByUnits>[0],
): readonly string[] {
  if (dominance === undefined || goesByUnits(run, points)) return notices;
  return notices.filter((notice) => notice !== dominance);
}

function centresIn(centres: readonly Float64Array[], points: Instances): Pick<Report, "centres" | "centreColumns"> {
  const columns = encodedColumns(points);
  return {
    centres: centres.map((centre) => unscaled(centre, columns, points)),
    ...(columns.length === points.d ? {} : { centreColumns: columns.map(({ name }) => name) }),
  };
}

/** Maximum number of probabilities in a report. If there are more, the report has one probability per row, for the row's own cluster. */
const MOST_PROBABILITIES = 200_000;

function probabilitiesIn(
  probabilities: Float64Array,
  { labels, k }: Result,
  { rows, total }: Pick<ReportFacts, "rows" | "total">,
): NonNullable<Report["probabilities"]> {
  const inFile = new Array<readonly number[] | number | null>(total ?? labels.length).fill(null);
  const whole = probabilities.length <= MOST_PROBABILITIES;
  labels.forEach((label, i) => {
    inFile[rows?.[i] ?? i] = whole ? [...probabilities.subarray(i * k, (i + 1) * k)] : (probabilities[i * k + label] ?? null);
  });
  return inFile;
}

/** For each row, the probability of the cluster that it is in; NaN if it is not known. For HTML pages. */
export function ownProbabilities(
  { probabilities }: Pick<Report, "probabilities">,
  labels: Int32Array,
  rows: Int32Array | undefined,
): { readonly ownProbabilities?: Float64Array } {
  if (!probabilities) return {};
  return {
    ownProbabilities: Float64Array.from(labels, (label, i) => {
      const given = probabilities[rows?.[i] ?? i] ?? null;
      return (typeof given === "number" ? given : given?.[label]) ?? Number.NaN;
    }),
  };
}

/**
 * The metric that a run learned, for the report: a list of weights, or the rows of a full matrix. Also how the columns were transformed.
 */
function metricIn(
  { kind, matrices }: NonNullable<Result["metric"]>,
  points: Instances,
): Pick<Report, "metric" | "metricColumns" | "scaling"> {
  const { scaling } = points;
  const columns = encodedColumns(points);
  return {
    metric: {
      kind,
      matrices: matrices.map((matrix) =>
        kind === "diagonal" ? [...matrix].map(finite) : matrixRows(matrix).map((row) => row.map(finite)),
      ),
    },
    ...(columns.length === points.d ? {} : { metricColumns: columns.map(({ name }) => name) }),
    ...(scaling ? { scaling } : {}),
  };
}

function pairsIn(matches: Matches, sizes: readonly number[], { truth }: Instances): Pick<Report, "pairs" | "pairWeights"> {
  const known = truth ? { comparedOfKnown: comparedShare(matches, truth.codes) } : {};
  const pairs = { compared: matches.a.length, ...matchCounts(matches, sizes), ...known };
  return matches.evidence ? { pairs, pairWeights: levelWeights(matches.evidence) } : { pairs };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

export function rowsInFile(labels: Int32Array, { rows, total }: Pick<ReportFacts, "rows" | "total">): (number | null)[] {
  const inFile = new Array<number | null>(total ?? labels.length).fill(null);
  labels.forEach((label, i) => {
    inFile[rows?.[i] ?? i] = label;
  });
  return inFile;
}

/**
 * The centre of a cluster in the units of the data. For a level of a nominal column, it is the share of the cluster's rows with this level.
 */
function unscaled(centre: Float64Array, columns: readonly EncodedColumn[], points: Instances): number[] {
  return columns.map(({ column, level, held }, j) => {
    const value = centre[j]!;
    if (level >= 0) return value / held;
    return originalValue(points, column, value);
  });
}

export function violationsInIds(violations: Violations, points: Instances): ReportViolations {
  const id = (row: number): InstanceId => idOf(points, row);
  return {
    mustLink: violations.mustLink.map(([a, b]) => [id(a), id(b)] as const),
    cannotLink: violations.cannotLink.map(([a, b]) => [id(a), id(b)] as const),
    relative: violations.relative.map(([a, b, c]) => [id(a), id(b), id(c)] as const),
    labels: violations.labels.map(([row, name]) => [id(row), name] as const),
    exclusive: violations.exclusive.map(({ rows, ...rest }) => ({ ...rest, ids: rows.map(id) })),
  };
}

/** For each cluster, the class of most of its labelled rows; null for a cluster without labelled rows. Undefined if no row is labelled. */
function clusterNames(
  labels: Int32Array,
  k: number,
  { row, code, names }: ConstraintSet["labels"],
): (string | null)[] | undefined {
  const counts = Array.from({ length: k }, () => new Map<number, number>());
  row.forEach((i, at) => {
    const cluster = labels[i]!;
    if (cluster < 0) return;
    const of = counts[cluster]!;
    of.set(code[at]!, (of.get(code[at]!) ?? 0) + 1);
  });
  const found = counts.map((of) => {
    const best = [...of].sort(([a, left], [b, right]) => right - left || a - b)[0];
    return best === undefined ? null : (names[best[0]] ?? null);
  });
  return found.some((name) => name !== null) ? found : undefined;
}
