/** Names for the axes of a map: the columns behind a principal component. */
import type { PrincipalComponents } from "./principal-components.js";

/**
 * Up to three columns that weigh at least half as much as the heaviest; a minus marks those that fall along the axis. A metric's
 * weights depend on the units of the columns, so under one a column counts by what its deviation does.
 */
export function strongestColumns(
  { loadings, columns, deviations }: PrincipalComponents,
  component: 0 | 1,
  byDeviation: boolean,
): string {
  const weights = byDeviation ? loadings[component]!.map((value, j) => value * deviations[j]!) : loadings[component]!;
  const most = weights.reduce((high, value) => Math.max(high, Math.abs(value)), 0);
  return [...weights.keys()]
    .filter((j) => Math.abs(weights[j]!) >= most / 2)
    .sort((a, b) => Math.abs(weights[b]!) - Math.abs(weights[a]!) || a - b)
    .slice(0, 3)
    .map((j) => `${weights[j]! < 0 ? "−" : ""}${columns[j]}`)
    .join(", ");
}
