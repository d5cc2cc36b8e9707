/** Column types and scalings that a caller can set. Otherwise the cells decide. */
import { badOption } from "@coterie/core/errors";

export const COLUMN_TYPES = ["number", "nominal", "text", "date", "vector", "ignore"] as const;

/**
 * number: numbers; nominal: categories; text: texts compared by similarity; date: dates and times; vector: lists of numbers; ignore: left
 * out.
 */
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** Types by column name. */
export type ColumnTypes = Readonly<Record<string, ColumnType>>;

export function typeAsked(types: ColumnTypes | undefined, name: string): ColumnType | undefined {
  return types && Object.hasOwn(types, name) ? types[name] : undefined;
}

export function checkTypes(types: ColumnTypes): void {
  for (const [name, type] of Object.entries(types)) {
    if (!COLUMN_TYPES.includes(type)) throw badOption("--type", `${name}=${type}`, `COL=${COLUMN_TYPES.join("|")}`);
  }
}

export function columnsAsked(types: ColumnTypes | undefined, type: ColumnType): string[] {
  return Object.entries(types ?? {}).flatMap(([name, asked]) => (asked === type ? [name] : []));
}

/**
 * How numeric columns are scaled.
 * - auto: z-scores. For a column with a long tail: z-scores of its logarithms. For a column with many outliers: z-scores of its ranks.
 *   Vectors and columns with the same unit are not scaled.
 * - zscore: mean 0, variance 1
 * - minmax: from 0 to 1
 * - robust: median 0, and quartiles as far apart as in a normal distribution with variance 1
 * - log, rank: z-scores of the logarithms or of the ranks
 */
export const SCALES = ["auto", "none", "zscore", "minmax", "robust", "log", "rank"] as const;
export type Scale = (typeof SCALES)[number];

export const TRANSFORMS = ["log", "rank", "none"] as const;
export type ColumnTransform = (typeof TRANSFORMS)[number];
