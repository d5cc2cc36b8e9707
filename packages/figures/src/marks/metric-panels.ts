/**
 * Shared parts of the figures of learned metrics. Each metric has a panel. The heading of the panel is the cluster that uses the metric.
 */
import type { Instances, Report } from "@coterie/core/internal";
import { highest } from "../layout/notable-clusters.js";
import { fitText, formatCount } from "../layout/text.js";
import { clusterMark } from "../theme/cluster-mark.js";
import { type FigureSize, label } from "../theme/frame.js";
import type { SvgElement } from "../theme/svg-document.js";
import { clusterName, clusterWords, type Paint } from "../theme/theme.js";

export interface MetricFigureOptions extends FigureSize {
  readonly metric: NonNullable<Report["metric"]>;
  readonly points: Instances;
  /** The names of the clusters, shown instead of their numbers. */
  readonly names?: readonly string[];
  /** Number of rows in each cluster. If there are too many metrics to show, the metrics of the largest clusters are shown. */
  readonly sizes?: readonly number[];
}

/** Returns the metrics to show, in order, and a caption if some metrics are left out. */
export function shownMetrics(
  count: number,
  sizes: readonly number[] | undefined,
  most: number,
): { readonly shown: readonly number[]; readonly lines: readonly string[] } {
  if (count <= most) return { shown: Array.from({ length: count }, (_, at) => at), lines: [] };
  if (sizes?.length !== count) {
    return { shown: Array.from({ length: most }, (_, at) => at), lines: [`The first ${most} of ${formatCount(count)} metrics.`] };
  }
  const shown = highest(sizes, most).sort((a, b) => a - b);
  return { shown, lines: [`The metrics of the ${shown.length} largest of ${formatCount(count)} clusters.`] };
}

export const HEAD = 24;

/** Used in place of a cluster number if all clusters share the metric. */
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
    label(x + 17, y + 12, fitText(clusterWords(cluster, names), 12, width, 600), style),
  ];
}

export function whose(cluster: number, names: readonly string[] | undefined): string {
  return cluster === ALL_CLUSTERS ? "All clusters" : `Cluster ${clusterName(cluster, names)}`;
}
