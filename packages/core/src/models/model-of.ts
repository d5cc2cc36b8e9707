/** From a run to its model. */
import { encodedColumns, TEXT_DIMENSIONS } from "../algorithms/encode.js";
import { raritiesOf } from "../algorithms/text/text-vectors.js";
import { badOption } from "../errors.js";
import { type Kernels, plainKernels } from "../kernels/index.js";
import type { Instances, Rows } from "../model/points.js";
import type { Result } from "../model/result.js";
import { asPoints } from "../rows.js";
import { drain, type Steps } from "../steps/index.js";
import {
  type CentreRule,
  type MissingRule,
  MODEL_FORMAT,
  MODEL_VERSION,
  type Model,
  type ModelColumn,
  type ModelReduction,
  type ModelSource,
} from "./model.js";
import { predictSteps } from "./predict.js";

export interface ModelFacts {
  readonly algorithm: string;
  /** The method's options: with the distance "cosine" rows are brought to length 1. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed?: number;
  readonly version?: string;
  /** What was done about missing cells, and what each column's were filled with. */
  readonly missing?: MissingRule;
  readonly fills?: readonly (number | string)[] | undefined;
  /** The columns of the table behind those of the points, where they are not the same. */
  readonly sources?: readonly ModelSource[] | undefined;
  /** How columns of the table became principal components, where they did. */
  readonly reduction?: ModelReduction | undefined;
  readonly file?: string;
  readonly sha256?: string;
  readonly kernels?: Kernels;
}

/**
 * The model of a result over these points. Methods without centres or a tree have none.
 *
 * ```ts
 * const model = modelOf(points, kmeans(points, undefined, { k: 3 }), { algorithm: "kmeans", options: { k: 3 } });
 * ```
 */
export function modelOf(points: Instances | Rows, result: Result, facts: ModelFacts): Model {
  return drain(modelSteps(asPoints(points), result, facts));
}

export function* modelSteps(points: Instances, result: Result, facts: ModelFacts): Steps<Model> {
  const { algorithm, options, seed = 0, version = "", missing = "error", kernels = plainKernels } = facts;
  const model: Model = {
    format: MODEL_FORMAT,
    formatVersion: MODEL_VERSION,
    version,
    algorithm,
    options,
    seed,
    k: result.k,
    sizes: result.sizes,
    columns: columnsOf(points, facts.fills),
    scaling: points.scaling ? { offset: [...points.scaling.offset], factor: [...points.scaling.factor] } : null,
    missing,
    ...(facts.sources && (facts.reduction || !facts.sources.every(isPlain)) ? { sources: facts.sources } : {}),
    ...(facts.reduction ? { reduction: facts.reduction } : {}),
    data: { file: facts.file ?? null, sha256: facts.sha256 ?? null, rows: points.n },
    reproduces: 0,
    rule: ruleOf(result, algorithm, options.distance === "cosine"),
  };
  const { labels } = yield* predictSteps(model, points, { kernels });
  let same = 0;
  for (let i = 0; i < points.n; i++) if (labels[i] === result.labels[i]) same++;
  return { ...model, reproduces: same };
}

function columnsOf(points: Instances, fills: readonly (number | string)[] | undefined): ModelColumn[] {
  const encoded = encodedColumns(points);
  return Array.from({ length: points.d }, (_, j): ModelColumn => {
    const name = points.names?.[j] ?? `x${j}`;
    const fill = fills?.[j];
    if (points.nominal?.[j] !== 1) return { name, kind: "numeric", ...(typeof fill === "number" ? { fill } : {}) };
    const levels = encoded.filter(({ column }) => column === j).map(({ level }) => points.levels?.[j]?.[level] ?? String(level));
    const weight = points.weights?.[j] ?? 1;
    const about = { ...(typeof fill === "string" ? { fill } : {}), ...(weight === 1 ? {} : { weight }) };
    if (points.texts?.[j] !== 1) return { name, kind: "nominal", levels, ...about };
    const { texts, counts } = raritiesOf(points.levels?.[j] ?? []);
    const dimensions = points.textDimensions ?? TEXT_DIMENSIONS;
    return { name, kind: "text", dimensions, rarities: { texts, counts: [...counts] }, ...about };
  });
}

/** Whether a column of the table is the model's own, and needs no recipe. */
function isPlain({ type, cycles = [] }: ModelSource): boolean {
  return (type === "number" || type === "nominal") && cycles.length === 0;
}

function ruleOf({ tree, centres, preference, metric }: Result, algorithm: string, unitRows: boolean): Model["rule"] {
  if (tree) return { kind: "tree", tree };
  if (!centres) throw badOption("model", algorithm, "a method with centres or a tree: a hierarchy has no rule for new rows");
  const learned: CentreRule["metric"] = metric
    ? { kind: metric.kind, roots: metric.roots.map((root) => [...root]), logDets: metric.logDets }
    : null;
  return {
    kind: "centres",
    unitRows,
    centres: centres.map((centre) => [...centre]),
    preference: preference ?? [...centres.keys()],
    metric: learned,
  };
}
