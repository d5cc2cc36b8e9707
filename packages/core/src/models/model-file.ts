/** Models as text: one JSON object, checked in full when it comes back. */
import { z } from "zod";
import { RARITY_SLOTS } from "../algorithms/text/text-vectors.js";
import { badInput } from "../errors.js";
import type { TreeNode } from "../model/tree.js";
import { MODEL_FORMAT, MODEL_VERSION, type Model } from "./model.js";
import { flawIn } from "./model-flaws.js";

const count = z.int().min(0);
const numbers = z.array(z.number());

const column = z.discriminatedUnion("kind", [
  z.strictObject({ name: z.string().min(1), kind: z.literal("numeric"), fill: z.number().optional() }),
  z.strictObject({
    name: z.string().min(1),
    kind: z.literal("nominal"),
    levels: z.array(z.string()).min(1),
    fill: z.string().optional(),
    weight: z.number().positive().optional(),
  }),
  z.strictObject({
    name: z.string().min(1),
    kind: z.literal("text"),
    dimensions: z.int().min(1).max(4096),
    rarities: z.strictObject({ texts: z.int().min(1), counts: z.array(count).length(RARITY_SLOTS) }),
    fill: z.string().optional(),
    weight: z.number().positive().optional(),
  }),
]);

const source = z.strictObject({
  name: z.string().min(1),
  type: z.enum(["number", "nominal", "text", "date", "vector"]),
  order: z.enum(["day", "month"]).optional(),
  cycles: z.array(z.union([z.enum(["day", "week", "month", "year"]), z.number().positive()])).optional(),
  fill: z.union([z.number(), z.string()]).optional(),
  features: z.int().min(1),
});

const treeTest = z.union([
  z.strictObject({ column: z.string(), above: z.number() }),
  z.strictObject({ column: z.string(), among: z.array(z.string()).min(1) }),
]);

const treeNode: z.ZodType<TreeNode> = z.lazy(() =>
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
  names: z.array(z.string().nullable()).optional(),
  columns: z.array(column).min(1),
  scaling: z.strictObject({ offset: numbers, factor: numbers }).nullable(),
  missing: z.enum(["error", "drop", "impute", "skip"]),
  sources: z.array(source).min(1).optional(),
  reduction: z
    .strictObject({
      columns: z.array(z.string()).min(1),
      scaling: z.strictObject({ offset: numbers, factor: numbers }).nullable(),
      mean: numbers,
      axes: z.array(numbers).min(1),
    })
    .optional(),
  data: z.strictObject({ file: z.string().nullable(), sha256: z.string().nullable(), rows: z.int().min(1) }),
  reproduces: count,
  rule: z.discriminatedUnion("kind", [
    centreRule,
    z.strictObject({
      kind: z.literal("tree"),
      tree: z.strictObject({ leaves: z.int().min(1), root: treeNode, notations: z.record(z.string(), notation).optional() }),
    }),
  ]),
});

/**
 * The model as one line of JSON. Numbers come back to the bit.
 *
 * ```ts
 * await writeFile("model.json", saveModel(model));
 * ```
 */
export function saveModel(model: Model): string {
  return `${JSON.stringify(model)}\n`;
}

/** A place in the file; deep in a tree only its last steps. */
function shortPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "it";
  const steps = path.map(String);
  return steps.length > 12 ? `${steps.slice(0, 4).join(".")}. … .${steps.slice(-4).join(".")}` : steps.join(".");
}

const REMEDY = "Give a file that `coterie cluster … --model FILE` has written, or write it again.";

/**
 * Reads what `saveModel` wrote; says what is wrong with anything else.
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
    throw refuse(`The model is damaged: ${shortPath(issue!.path)} is not what it should be.`);
  }
  const model = checked.data as Model;
  const flaw = flawIn(model);
  if (flaw !== undefined) throw refuse(`The model is damaged: ${flaw}.`);
  return model;
}
