/** The published figures for comparison with our runs: the best figure of PCCC and its variants for each share of constraints. */
import { SETS } from "./instances.js";

export interface Published {
  /** The name of a collection of data sets, or of a single set. For a collection, the published figure is the mean over all its sets. */
  readonly group: string;
  /**
   * The best published figures for each share of constraints.
   * - rand: the adjusted Rand index.
   * - least: the smallest sum of squares as printed, if it was published.
   */
  readonly best: readonly { readonly share: number; readonly rand: number; readonly least?: string }[];
  readonly plain?: number;
}

/**
 * For each set or collection: name, shares of constraints, published adjusted Rand indices, smallest sums of squares, and the index of
 * plain k-means.
 */
export const PUBLISHED: readonly Published[] = [
  row("iris", [0.05, 0.1, 0.15, 0.2], [0.698, 0.668, 0.625, 0.643], ["146.3", "146.2", "141.0", "145.0"]),
  row("wine", [0.05, 0.1, 0.15, 0.2], [0.927, 0.933, 0.933, 0.95], ["1284.69", "1285.13", "1285.13", "1290.66"]),
  row("COL2", [0.25, 0.4, 0.5], [0.543, 0.599, 0.594], [], 0.464),
  row("COL3", [0.05, 0.1, 0.2], [0.706, 0.765, 0.865], [], 0.642),
  row("letter", [0.005, 0.01, 0.05], [0.156, 0.162, 0.73]),
];

function row(
  group: string,
  shares: readonly number[],
  rands: readonly number[],
  sums: readonly string[] = [],
  plain?: number,
): Published {
  const best = shares.map((share, i) => ({ share, rand: rands[i]!, ...(sums[i] === undefined ? {} : { least: sums[i] }) }));
  return { group, best, ...(plain === undefined ? {} : { plain }) };
}

export function setsOf(group: string): string[] {
  return SETS.filter(({ name, collection }) => name === group || collection === group).map(({ name }) => name);
}
