/** The requests of `coterie serve --stdio` as schemas. docs/stdio.md describes them. */
import { z } from "@coterie/core/internal";
import { COLUMN_TYPES, SCALES, TRANSFORMS } from "@coterie/data/column-types";
import { SentArray } from "./frames.js";

const name = z.string().min(1).max(1_000);
const names = z.array(name).max(100_000);

function arrayOf(dimensions: number, kinds: readonly string[], what: string) {
  return z.custom<SentArray>(
    (given) =>
      given instanceof SentArray &&
      given.shape.length === dimensions &&
      kinds.some((kind) => given.values.constructor.name.startsWith(kind)),
    { message: `it must be ${what}` },
  );
}

const NUMBERS = ["Int", "Uint", "BigInt", "BigUint", "Float"];
const numbers = arrayOf(1, NUMBERS, "an array of numbers with one dimension");
const matrix = arrayOf(2, NUMBERS, "an array of numbers with two dimensions");
const floats = arrayOf(1, ["Float64"], "an array of doubles (f8) with one dimension");
const codes = arrayOf(1, ["Int32"], "an array of 32-bit integers (i4) with one dimension");
const tuples = arrayOf(2, ["Int32"], "an array of 32-bit integers (i4) with two dimensions");
const vectors = arrayOf(2, ["Float"], "an array of floats (f4 or f8) with two dimensions");

const column = z.union([
  z.strictObject({ name, numbers }),
  z.strictObject({ name, levels: z.array(z.string()), codes }),
  z.strictObject({ name, vectors }),
]);

/** A table in memory, or a file that this program reads. */
const table = z.union([
  z.strictObject({ path: z.string().min(1) }),
  z.strictObject({
    name: name.default("the table"),
    /** A matrix; its columns come first. Default names: x0, x1, … */
    rows: matrix.optional(),
    names: names.optional(),
    columns: z.array(column).max(100_000).default([]),
  }),
]);

export type SentTable = z.output<typeof table>;

/** How the table is read, under the names of the library's `readTable`. */
const reading = z
  .strictObject({
    id: name.nullable(),
    truth: name,
    exclusive: names,
    features: names,
    ignore: names,
    nominal: names,
    types: z.record(name, z.enum(COLUMN_TYPES)),
    cyclic: z.record(name, z.array(z.union([z.string(), z.number()]))),
    weights: z.record(name, z.number()),
    transforms: z.record(name, z.enum(TRANSFORMS)),
    reduce: z.number(),
    textDimensions: z.number(),
    rowWeight: name,
    sample: z.number(),
    seed: z.number(),
    scale: z.enum(SCALES),
    missing: z.enum(["auto", "error", "drop", "impute", "skip"]),
    delimiter: z.string().length(1),
    decimal: z.enum([".", ","]),
  })
  .partial()
  .default({});

const known = z
  .strictObject({
    mustLink: tuples,
    mustLinkWeight: floats,
    cannotLink: tuples,
    cannotLinkWeight: floats,
    relative: tuples,
    relativeWeight: floats,
    labels: z.strictObject({ rows: codes, codes, names: z.array(z.string()), weight: floats.optional() }),
    files: z.array(z.string().min(1)).max(1_000),
  })
  .partial()
  .default({});

export type SentConstraints = z.output<typeof known>;

const seed = z.int().min(0).default(0);
const workers = z.int().min(1).max(1_024).optional();
const k = z.int().min(1);
const session = z.string().max(100);
const about = { table, reading };
const withConstraints = { ...about, constraints: known, seed, workers };

const schemas = {
  hello: z.strictObject({}),
  cluster: z.strictObject({
    ...withConstraints,
    algorithm: z.string().optional(),
    options: z.record(z.string(), z.unknown()).default({}),
    /** Scores that need no known classes: silhouette and others. */
    internal: z.boolean().default(true),
    /** Whether the reply has a model for `predict`, if the method has a rule for new rows. */
    model: z.boolean().default(false),
  }),
  predict: z.strictObject({ ...about, model: z.string(), distances: z.boolean().default(false) }),
  diagnose: z.strictObject({
    table: table.optional(),
    reading,
    constraints: known,
    seed,
    /** The number of rows, if there is no table. */
    n: k.optional(),
    k: k.optional(),
    effort: k.optional(),
  }),
  advise: z.strictObject({ ...withConstraints, k, algorithms: names.optional() }),
  explain: z.strictObject({
    ...about,
    labels: codes,
    names: names.optional(),
    maxLeaves: k.optional(),
    minLeaf: k.optional(),
    leafCost: z.number().min(0).optional(),
    describe: names.optional(),
  }),
  evaluate: z.strictObject({ ...about, labels: codes, truth: codes.optional(), constraints: known }),
  readConstraints: z.strictObject({
    file: z.string().min(1),
    /** The ids of the rows, in order; or the number of rows, if the file names rows by number. */
    ids: z.array(z.union([z.string(), z.int()])).optional(),
    n: z.int().min(0).optional(),
  }),
  ask: z.strictObject({
    ...withConstraints,
    k: k.optional(),
    strategy: z.string().optional(),
    options: z.record(z.string(), z.unknown()).default({}),
    budget: z.int().min(0).default(50),
    errorRate: z.union([z.number().min(0).lt(0.5), z.literal("learn")]).default(0),
    explain: z.boolean().default(false),
  }),
  answer: z.strictObject({
    session,
    answer: z.enum(["same", "different", "unsure", "a", "b", "c"]),
    confidence: z.number().min(0).max(1).optional(),
    why: z.string().max(10_000).optional(),
  }),
  undo: z.strictObject({ session }),
  clusters: z.strictObject({ session }),
  close: z.strictObject({ session }),
} as const;

type Schemas = typeof schemas;
export type RequestName = keyof Schemas;
export type RequestOf<Name extends RequestName> = z.output<Schemas[Name]>;

export function isRequest(type: unknown): type is RequestName {
  return typeof type === "string" && Object.hasOwn(schemas, type);
}

export const REQUESTS = Object.keys(schemas) as RequestName[];

/** The request without its envelope, checked; throws a ZodError. */
export function checked<Name extends RequestName>(type: Name, message: unknown): RequestOf<Name> {
  const { id: _, type: __, ...rest } = message as Record<string, unknown>;
  return schemas[type].parse(rest) as RequestOf<Name>;
}

/** The values of an array as 32-bit integers or doubles, which the schema has checked. */
export function intsOf({ values }: SentArray): Int32Array {
  return values as Int32Array;
}

export function floatsOf(array: SentArray | undefined): Float64Array | undefined {
  return array?.values as Float64Array | undefined;
}
