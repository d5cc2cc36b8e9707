/** The published figures that our runs are compared with: for each share, the best figure of PCCC and its variants. */
import { SETS } from "./instances.js";

export interface Published {
  /** A collection or a single set. For a collection, the mean over all its sets was published. */
  readonly group: string;
  /** For each share: the best adjusted Rand index, and the smallest sum of squares as printed, if it was published. */
  readonly best: readonly { readonly share: number; readonly rand: number; readonly least?: string }[];
  /** The adjusted Rand index of plain k-means, if it was published. */
  readonly plain?: number;
}

export const PUBLISHED: readonly Published[] = [
  {
    group: "iris",
    best: [
      { share: 0.05, rand: 0.698, least: "146.3" },
      { share: 0.1, rand: 0.668, least: "146.2" },
      { share: 0.15, rand: 0.625, least: "141.0" },
      { share: 0.2, rand: 0.643, least: "145.0" },
    ],
  },
  {
    group: "wine",
    best: [
      { share: 0.05, rand: 0.927, least: "1284.69" },
      { share: 0.1, rand: 0.933, least: "1285.13" },
      { share: 0.15, rand: 0.933, least: "1285.13" },
      { share: 0.2, rand: 0.95, least: "1290.66" },
    ],
  },
  {
    group: "COL2",
    best: [
      { share: 0.25, rand: 0.543 },
      { share: 0.4, rand: 0.599 },
      { share: 0.5, rand: 0.594 },
    ],
    plain: 0.464,
  },
  {
    group: "COL3",
    best: [
      { share: 0.05, rand: 0.706 },
      { share: 0.1, rand: 0.765 },
      { share: 0.2, rand: 0.865 },
    ],
    plain: 0.642,
  },
  {
    group: "letter",
    best: [
      { share: 0.005, rand: 0.156 },
      { share: 0.01, rand: 0.162 },
      { share: 0.05, rand: 0.73 },
    ],
  },
];

/** The names of the sets of a group. */
export function setsOf(group: string): string[] {
  return SETS.filter(({ name, collection }) => name === group || collection === group).map(({ name }) => name);
}
