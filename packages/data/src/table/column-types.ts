/** What a caller says that a column holds, instead of what its cells look like. */
import { badOption } from "@coterie/core/errors";

export const COLUMN_TYPES = ["number", "nominal", "text", "date", "vector", "ignore"] as const;

/** Numbers; levels that are equal or different; texts that are alike; dates and times; lists of numbers; nothing at all. */
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** Types by the names of their columns. */
export type ColumnTypes = Readonly<Record<string, ColumnType>>;

export function typeAsked(types: ColumnTypes | undefined, name: string): ColumnType | undefined {
  return types && Object.hasOwn(types, name) ? types[name] : undefined;
}

export function checkTypes(types: ColumnTypes): void {
  for (const [name, type] of Object.entries(types)) {
    if (!COLUMN_TYPES.includes(type)) throw badOption("--type", `${name}=${type}`, `COL=${COLUMN_TYPES.join("|")}`);
  }
}

/** The columns that are asked to be of one type. */
export function columnsAsked(types: ColumnTypes | undefined, type: ColumnType): string[] {
  return Object.entries(types ?? {}).flatMap(([name, asked]) => (asked === type ? [name] : []));
}
