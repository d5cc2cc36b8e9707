/** What the figures of learned metrics share: a panel for each metric, headed by the cluster that it belongs to. */
import type { Instances, Report } from "@coterie/core";
import { clusterTitle, type FigureSize, label } from "../theme/frame.js";
import { clusterMark } from "../theme/shapes.js";
import type { SvgElement } from "../theme/svg-document.js";
import { fitText } from "../theme/text.js";
import type { Paint } from "../theme/theme.js";

export interface MetricFigureOptions extends FigureSize {
  readonly metric: NonNullable<Report["metric"]>;
  readonly points: Instances;
  readonly names?: readonly string[];
}

/** The height that the heading of a panel takes. */
export const HEAD = 24;

/** A metric's cluster where one metric is for all of them. */
export const ALL_CLUSTERS = -1;

export function panelHeading(
  cluster: number,
  x: number,
  y: number,
  width: number,
  names: readonly string[] | undefined,
  paint: Paint,
): SvgElement[] {
  const style = { size: 12, weight: 600 } as const;
  if (cluster === ALL_CLUSTERS) return [label(x, y + 12, "all clusters", style)];
  return [
    clusterMark(cluster, paint, x + 6, y + 8),
    label(x + 17, y + 12, fitText(clusterTitle(cluster, names), 12, width), style),
  ];
}

export function whose(cluster: number, names: readonly string[] | undefined): string {
  return cluster === ALL_CLUSTERS ? "All clusters" : `Cluster ${clusterTitle(cluster, names)}`;
}
