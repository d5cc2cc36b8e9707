/** Changes how the table is read: which columns are used, and how. */
import type { ColumnReply, Reading, ReadingChange } from "@coterie/workbench/protocol";

type Role = "feature" | "ignored" | "truth" | "id";

export function withUse(reading: Reading, columns: readonly ColumnReply[], name: string, used: boolean): ReadingChange {
  return withRole(reading, columns, name, used ? "feature" : "ignored");
}

/**
 * Gives a column a role and returns the changed reading. Only one column can be the id, and only one column can be the known classes. The
 * column that had the role before loses it.
 */
export function withRole(reading: Reading, columns: readonly ColumnReply[], name: string, role: Role): ReadingChange {
  const features = columns.filter((column) => column.role === "feature" && column.name !== name).map((column) => column.name);
  if (role === "feature") features.push(name);
  const order = new Map(columns.map((column, index) => [column.name, index]));
  const next: { -readonly [Key in keyof ReadingChange]: ReadingChange[Key] } = {
    features: features.sort((a, b) => order.get(a)! - order.get(b)!),
    ignore: [],
  };
  const keep = (key: "truth" | "id") => {
    if (role === key) next[key] = name;
    else if (reading[key] !== undefined) next[key] = reading[key] === name ? null : reading[key];
  };
  keep("truth");
  keep("id");
  return next;
}

/** Gives one column a type and returns the types of all columns. With null, the column gets the type that its cells suggest. */
export function withType(
  { types }: Reading,
  name: string,
  type: NonNullable<Reading["types"]>[string] | null,
): NonNullable<Reading["types"]> | null {
  const { [name]: _, ...rest } = types ?? {};
  const next = type === null ? rest : { ...rest, [name]: type };
  return Object.keys(next).length === 0 ? null : next;
}

/** Gives one column a transform and returns the transforms of all columns. With null, the column gets the default of the scale. */
export function withTransform(
  { transforms }: Reading,
  name: string,
  how: "log" | "rank" | "none" | null,
): NonNullable<Reading["transforms"]> | null {
  const { [name]: _, ...rest } = transforms ?? {};
  const next = how === null ? rest : { ...rest, [name]: how };
  return Object.keys(next).length === 0 ? null : next;
}

/** Gives one column a weight and returns the weights of all columns. A weight of 1 is the default and is not stored. */
export function withWeight({ weights }: Reading, name: string, weight: number): NonNullable<Reading["weights"]> | null {
  const { [name]: _, ...rest } = weights ?? {};
  const next = weight === 1 ? rest : { ...rest, [name]: weight };
  return Object.keys(next).length === 0 ? null : next;
}
