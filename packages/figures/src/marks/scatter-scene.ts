/** Chooses what the map shows: which rows, which lines of constraints, and which axes. `scatter.ts` draws it. */
import type { ConstraintSet, Instances, Violations } from "@coterie/core/internal";
import type { RowComparison } from "@coterie/core/layout";
import type { ConstraintLink } from "../layout/constraint-links.js";
import { brokenRows, capLinks, constraintLinks, NO_VIOLATIONS, rowsToDraw } from "../layout/constraint-links.js";
import { type MapAxes, mapAxes } from "../layout/map-axes.js";
import type { FigureSize } from "../theme/frame.js";
import { type Paint, painter } from "../theme/theme.js";

export interface ScatterOptions extends FigureSize {
  readonly points: Instances;
  /** The cluster of each row, from 0; -1 for a row in no cluster. */
  readonly labels: ArrayLike<number>;
  /** The names of the clusters, shown instead of their numbers. */
  readonly names?: readonly string[];
  readonly constraints?: ConstraintSet;
  /** The broken constraints, which are drawn in red. They name rows by number. */
  readonly violations?: Violations;
  /**
   * How the method compared the rows, from `comparisonOf`; by default by the values of their columns. The axes of the map show this
   * distance.
   */
  readonly seen?: RowComparison;
  /** The axes of the map, if the caller has computed them already. Computing them takes most of the time for a map. */
  readonly axes?: MapAxes;
}

const MOST_MARKS = 20_000;
const MOST_LINKS = 2_000;
/** If more rows than this are drawn, their marks are small and have neither a rim nor a tooltip. */
export const FINE = 2_000;

export interface Scene {
  readonly options: ScatterOptions;
  readonly paint: Paint;
  readonly axes: MapAxes;
  readonly violations: Violations;
  readonly rows: Int32Array;
  /** given: all constraints as lines. links: the drawn lines, at most MOST_LINKS of `given`. */
  readonly links: readonly ConstraintLink[];
  readonly given: readonly ConstraintLink[];
  /** outlined: rows with constraints; their marks get an outline. red: rows of broken constraints; their marks get a red ring. */
  readonly outlined: ReadonlySet<number>;
  readonly red: ReadonlySet<number>;
  readonly radius: number;
}

export function sceneOf(options: ScatterOptions): Scene {
  const { points, constraints, violations = NO_VIOLATIONS, theme = "light" } = options;
  const given = constraintLinks(constraints, violations);
  const links = capLinks(given, MOST_LINKS);
  const red = brokenRows(violations);
  const rows = rowsToDraw(points.n, MOST_MARKS, red, links, constraints);
  return {
    options,
    paint: painter(theme),
    axes: options.axes ?? mapAxes(points, options.seen),
    violations,
    rows,
    links,
    given,
    outlined: rowsWithConstraints(links, constraints),
    red,
    radius: rows.length > FINE ? 2 : 4,
  };
}

function rowsWithConstraints(links: readonly ConstraintLink[], constraints: ConstraintSet | undefined): Set<number> {
  const rows = new Set<number>();
  for (const { a, b, c } of links) {
    rows.add(a).add(b);
    if (c >= 0) rows.add(c);
  }
  for (const row of constraints?.labels.row ?? []) rows.add(row);
  return rows;
}
