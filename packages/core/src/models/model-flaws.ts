/**
 * Numbers that no run can have left in a model, though each is of the right type: what a damaged or made-up file holds. Each check
 * names the field, as its path in the file.
 */
import { log } from "../linalg/elementary.js";
import type { TreeNode } from "../model/tree.js";
import { type CentreRule, encodedWidth, type Model, type TreeRule } from "./model.js";

/** The log of a determinant that was computed in another way may differ by this much of itself. */
const DETERMINANT_ROUNDING = 1e-4;
/** Squares of larger numbers overflow; no method takes such rows. */
const LARGEST = 1e150;

/** The first thing that cannot be, as a sentence without its full stop. */
export function flawIn(model: Model): string | undefined {
  const { rule } = model;
  return (
    flawInCounts(model) ??
    flawInColumns(model) ??
    flawInScaling(model) ??
    (rule.kind === "tree" ? flawInTree(rule, model) : (flawInCentres(rule, model) ?? flawInMetric(rule, model)))
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
    if (column.fill !== undefined && !levels.has(column.fill)) return `columns.${j}.fill is none of its levels`;
  }
  return undefined;
}

function flawInScaling({ scaling, columns }: Model): string | undefined {
  if (!scaling) return undefined;
  for (const part of ["offset", "factor"] as const) {
    if (scaling[part].length !== columns.length)
      return `scaling.${part} has ${scaling[part].length} numbers for ${columns.length} columns`;
  }
  for (const [j, { kind }] of columns.entries()) {
    const [offset, factor] = [scaling.offset[j]!, scaling.factor[j]!];
    if (factor <= 0) return `scaling.factor.${j} is ${factor}, and a spread is above 0`;
    if (kind !== "numeric" && (offset !== 0 || factor !== 1)) return `scaling.factor.${j} scales a column of text`;
  }
  return undefined;
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
    // With one metric for all clusters the determinant is the same for each, and is not looked at.
    if (roots.length === 1) continue;
    const found = kind === "full" ? logOfDeterminant(root, d) : root.reduce((sum, value) => sum + 2 * logOf(value), 0);
    if (!(Math.abs(found - logDets[c]!) <= DETERMINANT_ROUNDING * (1 + Math.abs(logDets[c]!))))
      return `rule.metric.logDets.${c} is ${logDets[c]}, but the determinant of its metric has the logarithm ${found}`;
  }
  return undefined;
}

function logOf(value: number): number {
  return value > 0 ? log(value) : -Infinity;
}

/** log det RᵀR, by elimination with the largest pivot of each column. */
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
      return `a test of rule.tree parts ${node.size} rows into ${node.yes.size} and ${node.no.size}`;
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

/** `levels` are those of the column, null for numbers. */
function flawInTest(test: SplitTest, levels: ReadonlySet<string> | null | undefined): string | undefined {
  if (levels === undefined) return `rule.tree asks for a column "${test.column}" that the model does not have`;
  if ("above" in test !== (levels === null)) return `a test of "${test.column}" in rule.tree does not fit that column`;
  if ("above" in test || levels === null) return undefined;
  const unknown = test.among.find((level) => !levels.has(level));
  return unknown === undefined ? undefined : `rule.tree tests "${test.column}" for "${unknown}", which is none of its levels`;
}
