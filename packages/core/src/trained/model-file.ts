/** Models as text: one JSON object, checked in full when it comes back. */
import { z } from "zod";
import { badInput } from "../errors.js";
import type { TreeNode } from "../model/tree.js";
import { type CentreRule, encodedWidth, MODEL_FORMAT, MODEL_VERSION, type Model } from "./model.js";

const count = z.int().min(0);
const numbers = z.array(z.number());

const column = z.discriminatedUnion("kind", [
  z.strictObject({ name: z.string(), kind: z.literal("numeric"), fill: z.number().optional() }),
  z.strictObject({ name: z.string(), kind: z.literal("nominal"), levels: z.array(z.string()), fill: z.string().optional() }),
]);

const treeTest = z.union([
  z.strictObject({ column: z.string(), above: z.number() }),
  z.strictObject({ column: z.string(), among: z.array(z.string()) }),
]);

const treeNode: z.ZodType<TreeNode> = z.lazy(() =>
  z.union([
    z.strictObject({ cluster: count, size: count }),
    z.strictObject({ test: treeTest, size: count, yes: treeNode, no: treeNode }),
  ]),
);

const centreRule = z.strictObject({
  kind: z.literal("centres"),
  unitRows: z.boolean(),
  centres: z.array(numbers),
  preference: z.array(count),
  metric: z.strictObject({ kind: z.enum(["diagonal", "full"]), roots: z.array(numbers), logDets: numbers }).nullable(),
});

const modelSchema = z.strictObject({
  format: z.literal(MODEL_FORMAT),
  formatVersion: z.literal(MODEL_VERSION),
  version: z.string(),
  algorithm: z.string().min(1),
  options: z.record(z.string(), z.unknown()),
  seed: z.int(),
  k: z.int().min(1),
  sizes: z.array(count),
  columns: z.array(column).min(1),
  scaling: z.strictObject({ offset: numbers, factor: numbers }).nullable(),
  missing: z.enum(["error", "drop", "impute"]),
  data: z.strictObject({ file: z.string().nullable(), sha256: z.string().nullable(), rows: count }),
  reproduces: count,
  rule: z.discriminatedUnion("kind", [
    centreRule,
    z.strictObject({ kind: z.literal("tree"), tree: z.strictObject({ leaves: z.int().min(1), root: treeNode }) }),
  ]),
});

/** The model as one line of JSON. Numbers come back to the bit. */
export function saveModel(model: Model): string {
  return `${JSON.stringify(model)}\n`;
}

const REMEDY = "Give a file that `coterie cluster … --model FILE` has written, or write it again.";

/** Reads what `saveModel` wrote; says what is wrong with anything else. */
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
  if (!head.success) throw refuse("This is JSON, but no model of Coterie's.");
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
    throw refuse(`The model is damaged: ${issue!.path.join(".") || "it"} is not what it should be.`);
  }
  const model = checked.data as Model;
  const flaw = flawIn(model);
  if (flaw !== undefined) throw refuse(`The model is damaged: ${flaw}.`);
  return model;
}

/** The first thing that does not fit together. */
function flawIn(model: Model): string | undefined {
  const { k, sizes, columns, scaling, rule } = model;
  if (sizes.length !== k) return `it has ${k} clusters and ${sizes.length} sizes`;
  if (new Set(columns.map(({ name }) => name)).size !== columns.length) return "two columns have the same name";
  if (scaling && (scaling.offset.length !== columns.length || scaling.factor.length !== columns.length))
    return "its scaling does not fit its columns";
  if (scaling?.factor.includes(0)) return "a column is divided by 0";
  return rule.kind === "tree" ? flawInTree(rule.tree.root, model) : flawInCentres(rule, k, encodedWidth(columns));
}

function flawInCentres(rule: CentreRule, k: number, d: number): string | undefined {
  const { centres, preference, metric } = rule;
  if (centres.length !== k || centres.some((centre) => centre.length !== d)) return `its centres are not ${k} rows of ${d}`;
  if (preference.length !== k || new Set(preference).size !== k || preference.some((cluster) => cluster >= k))
    return "its order of clusters does not name each of them once";
  if (!metric) return undefined;
  const { roots, logDets, kind } = metric;
  if ((roots.length !== 1 && roots.length !== k) || logDets.length !== roots.length) return "its metrics do not fit its clusters";
  const length = kind === "full" ? d * d : d;
  return roots.some((root) => root.length !== length) ? "a metric does not fit its columns" : undefined;
}

function flawInTree(root: TreeNode, { k, columns }: Model): string | undefined {
  const kindOf = new Map(columns.map(({ name, kind }) => [name, kind]));
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ("cluster" in node) {
      if (node.cluster >= k) return `a leaf is in cluster ${node.cluster} of ${k}`;
      continue;
    }
    const kind = kindOf.get(node.test.column);
    if (kind === undefined) return `its tree asks for a column "${node.test.column}" that it does not have`;
    if ((kind === "numeric") !== "above" in node.test) return `a test of "${node.test.column}" does not fit that column`;
    open.push(node.yes, node.no);
  }
  return undefined;
}
