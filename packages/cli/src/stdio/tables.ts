/** The tables and constraints of requests, as instances and constraint sets. */
import { badInput, ConstraintBuilder, type ConstraintSet, emptyConstraints, type InstanceId } from "@coterie/core/internal";
import {
  type GivenColumn,
  instancesOfGiven,
  mergeConstraintSets,
  openBytes,
  type ReadTableOptions,
  readConstraints,
  readTable,
  rowFinder,
  type TableInstances,
} from "@coterie/data";
import type { SentArray } from "./frames.js";
import { floatsOf, intsOf, type SentConstraints, type SentTable } from "./requests.js";

/** Options for reading a table, from a message and from this program. */
type Reading = { readonly [Key in keyof ReadTableOptions]?: unknown };

export async function instancesIn(table: SentTable, asked: Reading): Promise<TableInstances> {
  // The schema has checked the fields of a message, and JSON has no undefined fields.
  const reading = asked as ReadTableOptions;
  if ("path" in table) return await readTable(table.path, reading);
  const { rows, columns } = table;
  const n = rows?.shape[0] ?? lengthOf(columns[0]);
  if (n === undefined) throw badInput("The table has no columns.", { remedy: "Send rows, columns, or both." });
  const width = rows?.shape[1] ?? 0;
  const names = table.names ?? Array.from({ length: width }, (_, j) => `x${j}`);
  if (names.length !== width) throw badInput(`The matrix has ${width} columns, but there are ${names.length} names.`);
  for (const column of columns)
    if (lengthOf(column) !== n)
      throw badInput(`Column "${column.name}" has ${lengthOf(column)} cells, but the table has ${n} rows.`);
  const given = {
    file: table.name,
    n,
    ...(rows && width > 0 ? { rows: { names, values: rows.values } } : {}),
    columns: columns.map((column): GivenColumn => {
      const { name } = column;
      if ("numbers" in column) return { name, kind: "numbers", values: column.numbers.values };
      if ("levels" in column) return { name, kind: "texts", levels: column.levels, codes: intsOf(column.codes) };
      const { values, shape } = column.vectors;
      return { name, kind: "vectors", values: values as Float32Array | Float64Array, width: shape[1]! };
    }),
  };
  return await instancesOfGiven(given, reading);
}

type SentColumn = Extract<SentTable, { readonly columns: unknown }>["columns"][number];

function lengthOf(column: SentColumn | undefined): number | undefined {
  if (!column) return undefined;
  return ("numbers" in column ? column.numbers : "levels" in column ? column.codes : column.vectors).shape[0];
}

/** The rows that constraints can name. */
type Rows = Pick<TableInstances, "n"> & Partial<Pick<TableInstances, "ids" | "rows" | "total" | "dropped" | "exclusive">>;

export interface Known {
  readonly set: ConstraintSet;
  /** The names of the rows, if they are known from the constraints alone. */
  readonly ids?: readonly InstanceId[];
  readonly notices: readonly string[];
}

/** Constraints by row numbers of the sent table, and constraints from files, which name rows by ids. */
export async function constraintsIn(sent: SentConstraints, rows: Rows, signal: AbortSignal): Promise<Known> {
  const exclusive = rows.exclusive ?? [];
  const sets: Known[] = [];
  if (sent.mustLink ?? sent.cannotLink ?? sent.relative ?? sent.labels) sets.push(byRowNumbers(sent, rows));
  for (const file of sent.files ?? []) {
    const read = await readConstraints((await openBytes(file)).chunks, { file, rows, signal });
    sets.push({ set: read.set, notices: read.notices });
  }
  const notices = sets.flatMap((each) => each.notices);
  if (sets.length === 0) return { set: { ...emptyConstraints(rows.n), exclusive }, notices };
  if (sets.length === 1) return { set: { ...sets[0]!.set, exclusive }, notices };
  const merged = mergeConstraintSets(
    sets.map(({ set }) => set),
    rows,
  );
  return { set: { ...merged.set, exclusive }, notices: [...notices, ...merged.notices] };
}

function byRowNumbers(sent: SentConstraints, rows: Rows): Known {
  const finder = rowFinder(rows);
  const builder = new ConstraintBuilder(rows.n, (row) => String(rows.ids?.[row] ?? row));
  const total = rows.total ?? rows.n;
  const rowOf = (number: number, file: string): number => {
    if (number >= 0) return finder.byNumber(String(number), { file });
    throw badInput(`There is no row ${number}.`, { file, remedy: `Rows are numbered from 0 to ${total - 1}.` });
  };
  each("must_link", sent.mustLink, sent.mustLinkWeight, 2, ([a, b], weight, file) =>
    builder.mustLink(rowOf(a!, file), rowOf(b!, file), weight, { file }),
  );
  each("cannot_link", sent.cannotLink, sent.cannotLinkWeight, 2, ([a, b], weight, file) =>
    builder.cannotLink(rowOf(a!, file), rowOf(b!, file), weight, { file }),
  );
  each("relative", sent.relative, sent.relativeWeight, 3, ([a, b, c], weight, file) =>
    builder.relative(rowOf(a!, file), rowOf(b!, file), rowOf(c!, file), weight, { file }),
  );
  if (sent.labels) label(sent.labels, builder, rowOf);
  return builder.finish(rows.exclusive ?? []);
}

function each(
  name: string,
  tuples: SentArray | undefined,
  weights: SentArray | undefined,
  width: number,
  add: (rows: Int32Array, weight: number, place: string) => void,
): void {
  if (!tuples) return;
  const [count = 0, columns] = tuples.shape;
  if (count > 0 && columns !== width) throw badInput(`${name} has ${columns} columns; it must have ${width}.`);
  const given = checkedWeights(name, weights, count);
  const values = intsOf(tuples);
  for (let s = 0; s < count; s++) add(values.subarray(s * width, (s + 1) * width), given?.[s] ?? 1, `${name}[${s}]`);
}

function checkedWeights(name: string, weights: SentArray | undefined, count: number): Float64Array | undefined {
  const given = floatsOf(weights);
  if (!given) return undefined;
  if (given.length !== count) throw badInput(`${name} has ${count} constraints, but ${given.length} weights.`);
  const odd = given.findIndex((weight) => !(weight > 0));
  if (odd < 0) return given;
  throw badInput(`${name}[${odd}] has the weight ${given[odd]}.`, {
    remedy: "Weights are numbers above 0, or infinity for hard.",
  });
}

function label(
  { rows, codes, names, weight }: NonNullable<SentConstraints["labels"]>,
  builder: ConstraintBuilder,
  rowOf: (number: number, place: string) => number,
): void {
  const [numbers, classes] = [intsOf(rows), intsOf(codes)];
  if (numbers.length !== classes.length) throw badInput(`The labels have ${numbers.length} rows, but ${classes.length} codes.`);
  const given = checkedWeights("labels", weight, numbers.length);
  numbers.forEach((number, s) => {
    const file = `labels[${s}]`;
    const name = names[classes[s]!];
    if (name === undefined) throw badInput(`The code ${classes[s]} has no name.`, { file });
    builder.label(rowOf(number, file), name, given?.[s] ?? 1, { file });
  });
}
