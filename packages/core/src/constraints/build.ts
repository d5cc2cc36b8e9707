/**
 * The door of the library for what people know: plain pairs and triples in, a checked constraint set out.
 *
 *     const known = constraints(crabs, { mustLink: [[3, 48]], cannotLink: [[3, 120], ["crab-7", "crab-9", 0.5]] });
 */
import { badInput } from "../errors.js";
import type { ConstraintSet, Grouping, LabelStatements, Triples } from "../model/constraint-set.js";
import type { InstanceId, Instances } from "../model/points.js";
import { tidyConstraints } from "./tidy.js";

type Pair = readonly [a: InstanceId, b: InstanceId, weight?: number];
type Triple = readonly [a: InstanceId, b: InstanceId, c: InstanceId, weight?: number];
type Label = readonly [a: InstanceId, name: string | number, weight?: number];

/** Constraints as people write them: pairs, triples and labels of rows or ids, each with a weight if it is not 1. */
export interface Statements {
  readonly mustLink?: readonly Pair[];
  readonly cannotLink?: readonly Pair[];
  /** a and b are closer to each other than either is to c. */
  readonly relative?: readonly Triple[];
  readonly labels?: readonly Label[];
  /** Columns whose equal values exclude each other; those of the instances if not given. */
  readonly exclusive?: readonly Grouping[];
  /** How instances are named: by row number, or by id. Without it a number is a row and a text is an id. */
  readonly ids?: "rows" | "ids";
}

/** A constraint set, with what was mended on the way. */
export type BuiltConstraints = ConstraintSet & { readonly notices: readonly string[] };

/**
 * A checked constraint set from plain pairs and triples.
 *
 * ```ts
 * const known = constraints(crabs, { mustLink: [[3, 48]], cannotLink: [[3, 120], ["crab-7", "crab-9", 0.5]] });
 * ```
 */
export function constraints(
  instances: Pick<Instances, "n" | "ids" | "exclusive">,
  statements: Statements = {},
): BuiltConstraints {
  const { mustLink = [], cannotLink = [], relative = [], labels = [], exclusive = instances.exclusive ?? [] } = statements;
  for (const grouping of exclusive) {
    if (grouping.codes.length !== instances.n) {
      throw badInput(`The exclusive column ${grouping.column} has ${grouping.codes.length} rows, the data have ${instances.n}.`);
    }
  }
  const rowOf = rowFinder(instances, statements.ids);
  const { set, notices } = tidyConstraints(
    {
      n: instances.n,
      mustLinks: triplesOf("mustLink", mustLink, 2, rowOf),
      cannotLinks: triplesOf("cannotLink", cannotLink, 2, rowOf),
      relative: triplesOf("relative", relative, 3, rowOf),
      labels: labelsOf(labels, rowOf),
      exclusive,
    },
    instances.ids,
  );
  return { ...set, notices };
}

type RowOf = (value: InstanceId, place: string) => number;

function rowFinder({ n, ids }: Pick<Instances, "n" | "ids">, naming: "rows" | "ids" | undefined): RowOf {
  let rows: Map<string, number> | undefined;
  const byRow = (value: InstanceId, place: string): number => {
    if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value < n) return value;
    const range = n === 0 ? "there are no rows" : `row numbers go from 0 to ${n - 1}`;
    throw badInput(`${place} names the row ${show(value)}, but ${range}.`);
  };
  const byId = (value: InstanceId, place: string): number => {
    if (ids === undefined) {
      if (naming === "ids") return byRow(/^\d+$/.test(String(value)) ? Number(value) : value, place);
      throw badInput(`${place} names ${show(value)}, but the instances have no ids.`, { remedy: "Use row numbers, from 0." });
    }
    rows ??= rowsById(ids);
    const row = rows.get(String(value));
    if (row === undefined) throw badInput(`${place} names ${show(value)}, which is no instance's id.`);
    return row;
  };
  if (naming === "rows") return byRow;
  if (naming === "ids") return byId;
  return (value, place) => (typeof value === "string" ? byId(value, place) : byRow(value, place));
}

function rowsById(ids: readonly InstanceId[]): Map<string, number> {
  const rows = new Map<string, number>();
  ids.forEach((id, row) => {
    const key = String(id);
    if (rows.has(key))
      throw badInput(`The id ${show(id)} stands for rows ${rows.get(key)} and ${row}.`, { remedy: "Give each row its own id." });
    rows.set(key, row);
  });
  return rows;
}

/** Statements about `arity` rows each, as flat arrays; `c` is empty for pairs. */
function triplesOf(kind: string, statements: readonly (readonly unknown[])[], arity: 2 | 3, rowOf: RowOf): Triples {
  const columns = [0, 1, 2].map((j) => new Int32Array(j < arity ? statements.length : 0)) as [Int32Array, Int32Array, Int32Array];
  const weight = new Float64Array(statements.length);
  statements.forEach((statement, s) => {
    const place = `${kind}[${s}]`;
    for (let j = 0; j < arity; j++) columns[j]![s] = rowOf(statement[j] as InstanceId, place);
    weight[s] = weightOf(statement[arity], place);
  });
  return { a: columns[0], b: columns[1], c: columns[2], weight };
}

function labelsOf(labels: readonly Label[], rowOf: RowOf): LabelStatements {
  const codes = new Map<string, number>();
  const row = new Int32Array(labels.length);
  const code = new Int32Array(labels.length);
  const weight = new Float64Array(labels.length);
  labels.forEach(([a, name, w], s) => {
    const key = String(name);
    if (!codes.has(key)) codes.set(key, codes.size);
    row[s] = rowOf(a, `labels[${s}]`);
    code[s] = codes.get(key)!;
    weight[s] = weightOf(w, `labels[${s}]`);
  });
  return { row, code, weight, names: [...codes.keys()] };
}

function weightOf(value: unknown, place: string): number {
  if (value === undefined) return 1;
  if (typeof value === "number" && value > 0) return value;
  throw badInput(`${place} has the weight ${show(value)}.`, { remedy: "Weights are numbers above 0, or Infinity for hard." });
}

function show(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}
