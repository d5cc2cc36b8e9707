/**
 * Entry point of the library for user constraints: plain pairs and triples in, a checked constraint set out.
 *
 *     const known = constraints(crabs, { mustLink: [[3, 48]], cannotLink: [[3, 120], ["crab-7", "crab-9", 0.5]] });
 */
import { badInput } from "../errors.js";
import type { ConstraintSet, Grouping } from "../model/constraint-set.js";
import { nearestName } from "../model/names.js";
import { type InstanceId, type Instances, idOf, type Rows } from "../model/points.js";
import { asPoints } from "../rows.js";
import { ConstraintBuilder } from "./builder.js";

type Pair = readonly [a: InstanceId, b: InstanceId, weight?: number];
type Triple = readonly [a: InstanceId, b: InstanceId, c: InstanceId, weight?: number];
type Label = readonly [a: InstanceId, name: string | number, weight?: number];

/** Constraints in user notation: pairs, triples and labels of rows or ids, each with an optional weight (default 1). */
export interface ConstraintLists {
  readonly mustLink?: readonly Pair[];
  readonly cannotLink?: readonly Pair[];
  /** Triples [a, b, c]: rows a and b are closer to each other than either is to row c. */
  readonly relative?: readonly Triple[];
  readonly labels?: readonly Label[];
  /** Columns in which equal values exclude each other; default: the exclusive columns of the instances. */
  readonly exclusive?: readonly Grouping[];
  /** How instances are named: by row number or by id. Default: a number is a row, a text is an id. */
  readonly ids?: "rows" | "ids";
}

/** A constraint set, with notices about corrections made when it was built. */
export type BuiltConstraints = ConstraintSet & { readonly notices: readonly string[] };

/**
 * Builds a checked constraint set from plain pairs and triples.
 *
 * ```ts
 * const known = constraints(crabs, { mustLink: [[3, 48]], cannotLink: [[3, 120], ["crab-7", "crab-9", 0.5]] });
 * ```
 */
export function constraints(
  rows: Pick<Instances, "n" | "ids" | "exclusive"> | Rows,
  given: ConstraintLists = {},
): BuiltConstraints {
  const instances: Pick<Instances, "n" | "ids" | "exclusive"> = asPoints(rows);
  refuseOtherKeys(given);
  const { mustLink = [], cannotLink = [], relative = [], labels = [], exclusive = instances.exclusive ?? [] } = given;
  for (const grouping of exclusive) {
    if (grouping.codes.length !== instances.n) {
      throw badInput(`The exclusive column ${grouping.column} has ${grouping.codes.length} rows, the data have ${instances.n}.`);
    }
  }
  const rowOf = rowFinder(instances, given.ids);
  const builder = new ConstraintBuilder(instances.n, (row) => String(idOf(instances, row)));
  mustLink.forEach(([a, b, weight], s) => {
    const place = `mustLink[${s}]`;
    builder.mustLink(rowOf(a, place), rowOf(b, place), weightOf(weight, place));
  });
  cannotLink.forEach(([a, b, weight], s) => {
    const place = `cannotLink[${s}]`;
    builder.cannotLink(rowOf(a, place), rowOf(b, place), weightOf(weight, place));
  });
  relative.forEach(([a, b, c, weight], s) => {
    const place = `relative[${s}]`;
    builder.relative(rowOf(a, place), rowOf(b, place), rowOf(c, place), weightOf(weight, place));
  });
  labels.forEach(([row, name, weight], s) => {
    const place = `labels[${s}]`;
    builder.label(rowOf(row, place), String(name), weightOf(weight, place));
  });
  const { set, notices } = builder.finish(exclusive);
  return { ...set, notices };
}

const KEYS = ["mustLink", "cannotLink", "relative", "labels", "exclusive", "ids"];

/** Rejects unknown keys: otherwise a typo in a key would silently give an empty set. */
function refuseOtherKeys(given: ConstraintLists): void {
  if (typeof given !== "object" || given === null)
    throw badInput("These are no lists of constraints.", { remedy: "Give an object, such as { mustLink: [[3, 48]] }." });
  for (const [key, value] of Object.entries(given)) {
    if (!KEYS.includes(key)) {
      const near = nearestName(key, KEYS);
      const remedy = `${near === undefined ? "" : `Did you mean ${near}? `}The keys are ${KEYS.join(", ")}.`;
      throw badInput(`constraints knows no "${key}".`, { remedy });
    }
    if (key !== "ids" && value !== undefined && !Array.isArray(value))
      throw badInput(`${key} is no list.`, { remedy: "Give an array, such as mustLink: [[3, 48]]." });
    const odd =
      ["ids", "exclusive"].includes(key) || !value
        ? -1
        : (value as unknown[]).findIndex((each) => !Array.isArray(each) && !ArrayBuffer.isView(each));
    if (odd >= 0) throw badInput(`${key}[${odd}] is no list.`, { remedy: "Each entry is an array, such as [3, 48]." });
    const most = key === "relative" ? 4 : 3;
    const long =
      key === "ids" || key === "exclusive" || !value ? -1 : (value as unknown[][]).findIndex((each) => each.length > most);
    if (long >= 0)
      throw badInput(`${key}[${long}] has ${(value as unknown[][])[long]!.length} entries, and at most ${most} have a meaning.`, {
        remedy: `Give ${key === "labels" ? "a row and its class" : key === "relative" ? "three rows" : "two rows"}, and a weight if it is not 1.`,
      });
  }
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
    if (row === undefined) throw badInput(`${place} names ${show(value)}, which is not the id of an instance.`);
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
      throw badInput(`The id ${show(id)} names both rows ${rows.get(key)} and ${row}.`, { remedy: "Give each row its own id." });
    rows.set(key, row);
  });
  return rows;
}

function weightOf(value: unknown, place: string): number {
  if (value === undefined) return 1;
  if (typeof value === "number" && value > 0) return value;
  throw badInput(`${place} has the weight ${show(value)}.`, { remedy: "Weights are numbers above 0, or Infinity for hard." });
}

function show(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}
