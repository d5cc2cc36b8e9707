/** Which columns are used for what, as the reading of the table says it. */
import type { ColumnReply, Reading, ReadingChange } from "@coterie/workbench/protocol";

type Role = "feature" | "ignored" | "truth" | "id";

/** A column used as a feature, or not. */
export function withUse(reading: Reading, columns: readonly ColumnReply[], name: string, used: boolean): ReadingChange {
  return withRole(reading, columns, name, used ? "feature" : "ignored");
}

/** A column has one role; the column that had a role of which there is one gives it up, and is not used any more. */
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

/** What a column is to be read as; null for what its cells look like. */
export function withType(
  { types }: Reading,
  name: string,
  type: NonNullable<Reading["types"]>[string] | null,
): NonNullable<Reading["types"]> | null {
  const { [name]: _, ...rest } = types ?? {};
  const next = type === null ? rest : { ...rest, [name]: type };
  return Object.keys(next).length === 0 ? null : next;
}

/** What is done to a column before it is scaled; null for what the scale does. */
export function withTransform(
  { transforms }: Reading,
  name: string,
  how: "log" | "rank" | "none" | null,
): NonNullable<Reading["transforms"]> | null {
  const { [name]: _, ...rest } = transforms ?? {};
  const next = how === null ? rest : { ...rest, [name]: how };
  return Object.keys(next).length === 0 ? null : next;
}

/** How much a column counts; 1 is nothing to say. */
export function withWeight({ weights }: Reading, name: string, weight: number): NonNullable<Reading["weights"]> | null {
  const { [name]: _, ...rest } = weights ?? {};
  const next = weight === 1 ? rest : { ...rest, [name]: weight };
  return Object.keys(next).length === 0 ? null : next;
}
