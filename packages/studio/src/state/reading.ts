/** Changes the reading of a table: which columns are used, and how. */
import type { ColumnReply, Reading, ReadingChange } from "@coterie/workbench/protocol";

type Role = "feature" | "ignored" | "truth" | "id";

export function withUse(reading: Reading, columns: readonly ColumnReply[], name: string, used: boolean): ReadingChange {
  return withRole(reading, columns, name, used ? "feature" : "ignored");
}

/** The reading in which a column has this role. A role for one column only is taken from its previous column. */
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

/** The types of all columns after one column gets this type; null as `type` stands for the type that the cells suggest. */
export function withType(
  { types }: Reading,
  name: string,
  type: NonNullable<Reading["types"]>[string] | null,
): NonNullable<Reading["types"]> | null {
  const { [name]: _, ...rest } = types ?? {};
  const next = type === null ? rest : { ...rest, [name]: type };
  return Object.keys(next).length === 0 ? null : next;
}

/** The transforms of all columns after one column gets this transform; null stands for the default of the scale. */
export function withTransform(
  { transforms }: Reading,
  name: string,
  how: "log" | "rank" | "none" | null,
): NonNullable<Reading["transforms"]> | null {
  const { [name]: _, ...rest } = transforms ?? {};
  const next = how === null ? rest : { ...rest, [name]: how };
  return Object.keys(next).length === 0 ? null : next;
}

/** The weights of all columns after one column gets this weight; a weight of 1 is not stored. */
export function withWeight({ weights }: Reading, name: string, weight: number): NonNullable<Reading["weights"]> | null {
  const { [name]: _, ...rest } = weights ?? {};
  const next = weight === 1 ? rest : { ...rest, [name]: weight };
  return Object.keys(next).length === 0 ? null : next;
}
