/** Reads and writes models as text: one JSON object, fully checked when it is read. */
import * as z from "zod/mini";
import { encodedColumns, TEXT_DIMENSIONS } from "../algorithms/encode.js";
import { fillHoles } from "../algorithms/fill-holes.js";
import { RARITY_SLOTS, raritiesOf } from "../algorithms/text/text-vectors.js";
import { badInput, badOption } from "../errors.js";
import { type Kernels, plainKernels } from "../kernels/index.js";
import { log } from "../linalg/elementary.js";
import type { Instances, Rows } from "../model/points.js";
import type { GaussianMixture, Result } from "../model/result.js";
import type { TreeNode } from "../model/tree.js";
import { positive, whole } from "../options.js";
import { asPoints } from "../rows.js";
import { drain, type Steps } from "../steps/index.js";
import type {
  CentreRule,
  GaussianRule,
  MissingRule,
  Model,
  ModelColumn,
  ModelReduction,
  ModelSource,
  TreeRule,
} from "./model.js";
import { encodedWidth, MODEL_FORMAT, MODEL_VERSION } from "./model.js";
import { predictSteps } from "./predict.js";

/** Relative tolerance when a stored log determinant is compared with its recomputed value. */
const DETERMINANT_ROUNDING = 1e-4;

/** Squares of larger numbers overflow, so no method accepts them. */
const LARGEST = 1e150;

const count = whole(0);
const numbers = z.array(z.number());
const atLeastOne = numbers.check(z.minLength(1));
const transform = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("log"), unit: positive() }),
  z.strictObject({ kind: z.literal("rank"), values: atLeastOne, shares: atLeastOne }),
]);
const scaling = z.nullable(
  z.strictObject({ offset: numbers, factor: numbers, transforms: z.optional(z.array(z.nullable(transform))) }),
);
const name = z.string().check(z.minLength(1));

const column = z.discriminatedUnion("kind", [
  z.strictObject({ name, kind: z.literal("numeric"), fill: z.optional(z.number()) }),
  z.strictObject({
    name,
    kind: z.literal("nominal"),
    levels: z.array(z.string()).check(z.minLength(1)),
    fill: z.optional(z.string()),
    weight: z.optional(positive()),
  }),
  z.strictObject({
    name,
    kind: z.literal("text"),
    dimensions: whole(1).check(z.lte(4096)),
    rarities: z.strictObject({ texts: whole(1), counts: z.array(count).check(z.length(RARITY_SLOTS)) }),
    fill: z.optional(z.string()),
    weight: z.optional(positive()),
  }),
]);

const source = z.strictObject({
  name,
  type: z.enum(["number", "nominal", "text", "date", "vector"]),
  order: z.optional(z.enum(["day", "month"])),
  cycles: z.optional(z.array(z.union([z.enum(["day", "week", "month", "year"]), positive()]))),
  fill: z.optional(z.union([z.number(), z.string()])),
  features: whole(1),
});

const treeTest = z.union([
  z.strictObject({ column: z.string(), above: z.number() }),
  z.strictObject({ column: z.string(), among: z.array(z.string()).check(z.minLength(1)) }),
]);

const treeNode: z.ZodMiniType<TreeNode> = z.lazy(() =>
  z.union([
    z.strictObject({ cluster: count, size: count }),
    z.strictObject({ test: treeTest, size: count, yes: treeNode, no: treeNode }),
  ]),
);

const notation = z.union([
  z.strictObject({ kind: z.enum(["date", "time"]) }),
  z.strictObject({
    kind: z.enum(["money", "percent"]),
    before: z.string(),
    after: z.string(),
    decimal: z.enum([".", ","]),
    group: z.string(),
  }),
]);

const centreRule = z.strictObject({
  kind: z.literal("centres"),
  unitRows: z.boolean(),
  centres: z.array(numbers),
  preference: z.array(count),
  metric: z.nullable(z.strictObject({ kind: z.enum(["diagonal", "full"]), roots: z.array(numbers), logDets: numbers })),
});

const gaussianRule = z.strictObject({
  kind: z.literal("gaussians"),
  covariance: z.enum(["full", "diagonal", "shared"]),
  origin: numbers,
  axes: z.nullable(z.array(numbers).check(z.minLength(1))),
  means: z.array(numbers).check(z.minLength(1)),
  roots: z.array(numbers).check(z.minLength(1)),
  offsets: numbers,
});

const modelSchema = z.strictObject({
  format: z.literal(MODEL_FORMAT),
  formatVersion: z.literal(MODEL_VERSION),
  version: z.string(),
  algorithm: name,
  options: z.record(z.string(), z.unknown()),
  seed: z.int(),
  k: whole(1),
  sizes: z.array(count),
  names: z.optional(z.array(z.nullable(z.string()))),
  columns: z.array(column).check(z.minLength(1)),
  scaling,
  missing: z.enum(["auto", "error", "drop", "impute", "skip"]),
  sources: z.optional(z.array(source).check(z.minLength(1))),
  reduction: z.optional(
    z.strictObject({
      columns: z.array(z.string()).check(z.minLength(1)),
      scaling,
      mean: numbers,
      axes: z.array(numbers).check(z.minLength(1)),
    }),
  ),
  data: z.strictObject({ file: z.nullable(z.string()), sha256: z.nullable(z.string()), rows: whole(1) }),
  reproduces: count,
  rule: z.discriminatedUnion("kind", [
    centreRule,
    gaussianRule,
    z.strictObject({
      kind: z.literal("tree"),
      tree: z.strictObject({ leaves: whole(1), root: treeNode, notations: z.optional(z.record(z.string(), notation)) }),
    }),
  ]),
});

/**
 * The model as one line of JSON. Reading it returns exactly the same numbers.
 *
 * ```ts
 * await writeFile("model.json", saveModel(model));
 * ```
 */
export function saveModel(model: Model): string {
  return `${JSON.stringify(model)}\n`;
}

function shortPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "it";
  const steps = path.map(String);
  return steps.length > 12 ? `${steps.slice(0, 4).join(".")}. … .${steps.slice(-4).join(".")}` : steps.join(".");
}

const REMEDY = "Give a file that `coterie cluster … --model FILE` has written, or write it again.";

/**
 * Reads a model written by `saveModel`; throws an error that says what is wrong with any other text.
 *
 * ```ts
 * const model = loadModel(await readFile("model.json", "utf8"), "model.json");
 * ```
 */
export function loadModel(text: string, file?: string): Model {
  const place = file === undefined ? {} : { file };
  const refuse = (message: string, remedy = REMEDY): Error => badInput(message, { ...place, remedy });
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw refuse("This is no model: it is not JSON.");
  }
  const head = z.looseObject({ format: z.literal(MODEL_FORMAT), formatVersion: z.int() }).safeParse(content);
  if (!head.success) throw refuse("This is JSON, but not a model of Coterie.");
  const { formatVersion } = head.data;
  if (formatVersion > MODEL_VERSION) {
    throw refuse(
      `The model has the format ${formatVersion} of a newer Coterie; this one reads ${MODEL_VERSION}.`,
      "Update Coterie, or make the model again with this one.",
    );
  }
  let checked: ReturnType<typeof modelSchema.safeParse>;
  try {
    checked = modelSchema.safeParse(content);
  } catch (error) {
    if (error instanceof RangeError) throw refuse("The model is damaged: its tree is too deep.");
    throw error;
  }
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw refuse(`The model is damaged: ${shortPath(issue!.path)} is not what it should be.`);
  }
  const model = checked.data as Model;
  const flaw = flawIn(model);
  if (flaw !== undefined) throw refuse(`The model is damaged: ${flaw}.`);
  return model;
}

export interface ModelFacts {
  readonly algorithm: string;
  /** The options of the method. With distance "cosine" rows are normalised to length 1. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed?: number;
  readonly version?: string;
  /** How missing cells were handled, and the fill value of each column. */
  readonly missing?: MissingRule;
  readonly fills?: readonly (number | string)[] | undefined;
  /** The table columns from which the columns of the points were made, if they differ. */
  readonly sources?: readonly ModelSource[] | undefined;
  /** How principal components were computed from table columns; absent if there are none. */
  readonly reduction?: ModelReduction | undefined;
  readonly file?: string;
  readonly sha256?: string;
  readonly kernels?: Kernels;
}

/**
 * The model of a result over these points. Throws if the result has neither centres, nor a Gaussian mixture, nor a tree.
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
    scaling: points.scaling ?? null,
    missing,
    ...(facts.sources && (facts.reduction || !facts.sources.every(isPlain)) ? { sources: facts.sources } : {}),
    ...(facts.reduction ? { reduction: facts.reduction } : {}),
    data: { file: facts.file ?? null, sha256: facts.sha256 ?? null, rows: points.n },
    reproduces: 0,
    rule: ruleOf(result, algorithm, options.distance === "cosine"),
  };
  const { labels } = yield* predictSteps(model, fillHoles(points).points, { kernels });
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

/** Whether the table column is used directly, without conversion. */
function isPlain({ type, cycles = [] }: ModelSource): boolean {
  return (type === "number" || type === "nominal") && cycles.length === 0;
}

function gaussianRuleOf({ covariance, origin, axes, means, roots, offsets }: GaussianMixture): GaussianRule {
  const lists = (parts: readonly Float64Array[]): number[][] => parts.map((part) => [...part]);
  return {
    kind: "gaussians",
    covariance,
    origin: [...origin],
    axes: axes && lists(axes),
    means: lists(means),
    roots: lists(roots),
    offsets: [...offsets],
  };
}

function ruleOf({ tree, centres, preference, metric, gaussians }: Result, algorithm: string, unitRows: boolean): Model["rule"] {
  if (tree) return { kind: "tree", tree };
  if (gaussians) return gaussianRuleOf(gaussians);
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

/* Consistency checks: find values that have the right type but that no run writes. Messages name the field by its path in the file. */

/** The first inconsistency, as a sentence without full stop; undefined if there is none. */
function flawIn(model: Model): string | undefined {
  const { rule } = model;
  return (
    flawInCounts(model) ??
    flawInColumns(model) ??
    flawInScaling(model) ??
    (rule.kind === "tree"
      ? flawInTree(rule, model)
      : rule.kind === "gaussians"
        ? flawInGaussians(rule, model)
        : (flawInCentres(rule, model) ?? flawInMetric(rule, model)))
  );
}

function flawInCounts({ k, sizes, names, data, reproduces }: Model): string | undefined {
  if (sizes.length !== k) return `it has k = ${k} clusters and ${sizes.length} sizes`;
  if (names && names.length !== k) return `it has k = ${k} clusters and ${names.length} names`;
  const rows = sizes.reduce((sum, size) => sum + size, 0);
  if (rows > data.rows) return `sizes add up to ${rows} rows, data.rows is ${data.rows}`;
  if (k > data.rows) return `k is ${k}, data.rows is ${data.rows}`;
  if (reproduces > data.rows) return `reproduces is ${reproduces}, data.rows is ${data.rows}`;
  return undefined;
}

function flawInColumns({ columns, sources, reduction }: Model): string | undefined {
  const fewer = reduction ? reduction.columns.length - reduction.axes.length : 0;
  const made = sources ? sources.reduce((sum, { features }) => sum + features, 0) - fewer : columns.length;
  const d = reduction?.columns.length ?? 0;
  if (reduction && (!sources || reduction.mean.length !== d || reduction.axes.some((axis) => axis.length !== d)))
    return "reduction does not fit its columns";
  if (reduction?.scaling && (reduction.scaling.offset.length !== d || reduction.scaling.factor.length !== d))
    return "reduction.scaling does not fit its columns";
  if (made !== columns.length) return `sources make ${made} columns, and there are ${columns.length}`;
  if (new Set(columns.map(({ name }) => name)).size !== columns.length) return "two columns have the same name";
  for (const [j, column] of columns.entries()) {
    if (column.kind !== "nominal") continue;
    const levels = new Set(column.levels);
    if (levels.size !== column.levels.length) return `columns.${j}.levels has a level twice`;
    if (column.fill !== undefined && !levels.has(column.fill)) return `columns.${j}.fill is not one of its levels`;
  }
  return undefined;
}

function flawInScaling({ scaling, columns }: Model): string | undefined {
  if (!scaling) return undefined;
  for (const part of ["offset", "factor", "transforms"] as const) {
    const length = scaling[part]?.length ?? columns.length;
    if (length !== columns.length) return `scaling.${part} has ${length} entries for ${columns.length} columns`;
  }
  for (const [j, { kind }] of columns.entries()) {
    const [offset, factor] = [scaling.offset[j]!, scaling.factor[j]!];
    if (factor <= 0) return `scaling.factor.${j} is ${factor}, and a spread is above 0`;
    const by = scaling.transforms?.[j] ?? null;
    if (kind !== "numeric" && (offset !== 0 || factor !== 1 || by !== null)) return `scaling.factor.${j} scales a column of text`;
    if (by?.kind === "rank" && (by.values.length !== by.shares.length || !ascends(by.values) || !ascends(by.shares)))
      return `scaling.transforms.${j} has values and shares that do not ascend together`;
  }
  return undefined;
}

function ascends(values: readonly number[]): boolean {
  return values.every((value, i) => i === 0 || value > values[i - 1]!);
}

function flawInCentres({ centres, preference }: CentreRule, { k, columns }: Model): string | undefined {
  const d = encodedWidth(columns);
  if (centres.length !== k) return `rule.centres has ${centres.length} rows for k = ${k}`;
  for (const [c, centre] of centres.entries()) {
    if (centre.length !== d) return `rule.centres.${c} has ${centre.length} numbers, and the columns make ${d}`;
    const large = centre.findIndex((value) => Math.abs(value) > LARGEST);
    if (large >= 0) return `rule.centres.${c}.${large} is ${centre[large]}, too large for a centre of rows`;
  }
  if (preference.length !== k || new Set(preference).size !== k || preference.some((cluster) => cluster >= k))
    return "rule.preference does not name each cluster once";
  return undefined;
}

function flawInMetric({ metric }: CentreRule, { k, columns }: Model): string | undefined {
  if (!metric) return undefined;
  const { kind, roots, logDets } = metric;
  const d = encodedWidth(columns);
  const length = kind === "full" ? d * d : d;
  if (roots.length !== 1 && roots.length !== k) return `rule.metric.roots has ${roots.length} metrics for k = ${k}`;
  if (logDets.length !== roots.length) return `rule.metric.logDets has ${logDets.length} numbers for ${roots.length} metrics`;
  for (const [c, root] of roots.entries()) {
    const place = `rule.metric.roots.${c}`;
    if (root.length !== length) return `${place} has ${root.length} numbers, and the columns make ${length}`;
    const large = root.findIndex((value) => Math.abs(value) > LARGEST);
    if (large >= 0) return `${place}.${large} is ${root[large]}, too large for a weight`;
    const negative = kind === "diagonal" ? root.findIndex((value) => value < 0) : -1;
    if (negative >= 0) return `${place}.${negative} is ${root[negative]}, and the root of a weight is not below 0`;
    // With one metric for all clusters, the determinant is the same for each cluster and is not checked.
    if (roots.length === 1) continue;
    const found = kind === "full" ? logOfDeterminant(root, d) : root.reduce((sum, value) => sum + 2 * logOf(value), 0);
    if (!(Math.abs(found - logDets[c]!) <= DETERMINANT_ROUNDING * (1 + Math.abs(logDets[c]!))))
      return `rule.metric.logDets.${c} is ${logDets[c]}, but the determinant of its metric has the logarithm ${found}`;
  }
  return undefined;
}

function flawInGaussians(
  { covariance, origin, axes, means, roots, offsets }: GaussianRule,
  { k, columns }: Model,
): string | undefined {
  const width = encodedWidth(columns);
  const r = axes ? axes.length : width;
  const lengths: readonly [string, readonly (readonly number[])[], number, number][] = [
    ["origin", [origin], 1, width],
    ["axes", axes ?? [], r, width],
    ["means", means, k, r],
    ["roots", roots, covariance === "shared" ? 1 : k, covariance === "diagonal" ? r : r * r],
    ["offsets", [offsets], 1, k],
  ];
  for (const [name, parts, count, length] of lengths) {
    if (name === "axes" && axes === null) continue;
    if (parts.length !== count) return `rule.${name} has ${parts.length} entries, and ${count} are needed`;
    for (const [c, part] of parts.entries()) {
      if (part.length !== length) return `rule.${name}.${c} has ${part.length} numbers, and ${length} are needed`;
      const large = part.findIndex((value) => Math.abs(value) > LARGEST);
      if (large >= 0) return `rule.${name}.${c}.${large} is ${part[large]}, which is too large`;
    }
  }
  return undefined;
}

function logOf(value: number): number {
  return value > 0 ? log(value) : -Infinity;
}

/** log det RᵀR, by Gaussian elimination with partial pivoting. */
function logOfDeterminant(root: readonly number[], d: number): number {
  const a = Float64Array.from(root);
  let sum = 0;
  for (let p = 0; p < d; p++) {
    let pivot = p;
    for (let i = p + 1; i < d; i++) if (Math.abs(a[i * d + p]!) > Math.abs(a[pivot * d + p]!)) pivot = i;
    const top = a.slice(pivot * d, (pivot + 1) * d);
    a.copyWithin(pivot * d, p * d, (p + 1) * d);
    a.set(top, p * d);
    sum += 2 * logOf(Math.abs(top[p]!));
    if (sum === -Infinity) return sum;
    for (let i = p + 1; i < d; i++) {
      const factor = a[i * d + p]! / top[p]!;
      if (factor === 0) continue;
      for (let j = p; j < d; j++) a[i * d + j]! -= factor * top[j]!;
    }
  }
  return sum;
}

function flawInTree({ tree }: TreeRule, { k, sizes, columns, data }: Model): string | undefined {
  const levelsOf = new Map(columns.map((column) => [column.name, column.kind === "nominal" ? new Set(column.levels) : null]));
  const rows = new Float64Array(k);
  let leaves = 0;
  const open: TreeNode[] = [tree.root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ("cluster" in node) {
      if (node.cluster >= k) return `a leaf of rule.tree is in cluster ${node.cluster} of ${k}`;
      rows[node.cluster]! += node.size;
      leaves++;
      continue;
    }
    const flaw = flawInTest(node.test, levelsOf.get(node.test.column));
    if (flaw !== undefined) return flaw;
    if (node.yes.size + node.no.size !== node.size)
      return `a test of rule.tree splits ${node.size} rows into ${node.yes.size} and ${node.no.size}`;
    open.push(node.yes, node.no);
  }
  if (leaves !== tree.leaves) return `rule.tree.leaves is ${tree.leaves}, and there are ${leaves}`;
  if (tree.root.size !== data.rows) return `rule.tree.root.size is ${tree.root.size}, data.rows is ${data.rows}`;
  const differs = sizes.findIndex((size, cluster) => size !== rows[cluster]);
  return differs < 0
    ? undefined
    : `sizes.${differs} is ${sizes[differs]}, and the leaves of that cluster have ${rows[differs]} rows`;
}

type SplitTest = Extract<TreeNode, { readonly test: unknown }>["test"];

/**
 * Checks a test of a tree against the column that it tests. `levels`: the levels of the column; null for a numeric column, undefined if
 * the model has no such column.
 */
function flawInTest(test: SplitTest, levels: ReadonlySet<string> | null | undefined): string | undefined {
  if (levels === undefined) return `rule.tree asks for a column "${test.column}" that the model does not have`;
  if ("above" in test !== (levels === null)) return `a test of "${test.column}" in rule.tree does not fit that column`;
  if ("above" in test || levels === null) return undefined;
  const unknown = test.among.find((level) => !levels.has(level));
  return unknown === undefined ? undefined : `rule.tree tests "${test.column}" for "${unknown}", which is not one of its levels`;
}
