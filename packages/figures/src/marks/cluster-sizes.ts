/** Cluster sizes as bars, with counts and shares in words; of very many clusters, a histogram of sizes. */
import * as Plot from "@observablehq/plot";
import { type FigureSize, frame, label, named, plotted, sizesInWords } from "../theme/frame.js";
import { MANY_CLUSTERS } from "../theme/legend.js";
import { clusterMark } from "../theme/shapes.js";
import { svg } from "../theme/svg-document.js";
import { counted, fitText, formatCount, formatShare, textWidth } from "../theme/text.js";
import { clusterName, clusterToken, painter } from "../theme/theme.js";
import { sizeHistogramFigure } from "./size-histogram.js";

export interface ClusterSizesOptions extends FigureSize {
  /** Members of each cluster, in label order. */
  readonly sizes: readonly number[];
  readonly names?: readonly string[];
  /** Rows without a cluster. */
  readonly none?: number;
}

const ROW = 24;

/** Bars, one for each cluster; of more than thirty clusters, how many there are of each size. */
export function clusterSizesFigure(options: ClusterSizesOptions): string {
  return options.sizes.length > MANY_CLUSTERS ? sizeHistogramFigure(options) : sizeBars(options);
}

function sizeBars({ sizes, names, none = 0, width = 900, theme = "light" }: ClusterSizesOptions): string {
  const paint = painter(theme);
  const bars = sizes.map((size, cluster) => ({ size, cluster, title: fitText(clusterName(cluster, names), 12, 150, 600) }));
  if (none > 0) bars.push({ size: none, cluster: -1, title: "no cluster" });
  const total = sizes.reduce((sum, size) => sum + size, 0) + none;
  const most = Math.max(1, ...bars.map((bar) => bar.size));
  const left = 28 + Math.max(8, ...bars.map((bar) => textWidth(bar.title, 12, 600)));
  const right = 120;
  const height = Math.max(1, bars.length) * ROW + 4;
  const marks = plotted({
    width,
    height: bars.length * ROW,
    marginLeft: left,
    marginRight: right,
    marginTop: 0,
    marginBottom: 0,
    x: { domain: [0, most], axis: null },
    y: { domain: [bars.length, 0], axis: null },
    marks: bars.map(({ size, cluster }, at) =>
      Plot.rect([size], {
        x1: 0,
        x2: size,
        y1: at + 0.22,
        y2: at + 0.78,
        fill: paint(clusterToken(cluster)),
        fillOpacity: cluster < 0 ? 0.4 : 1,
        ...named("size"),
      }),
    ),
  });
  const texts = bars.flatMap(({ size, cluster, title }, at) => {
    const y = at * ROW + ROW / 2 + 4;
    const end = left + (size / most) * (width - left - right) + 8;
    const count = formatCount(size);
    return [
      clusterMark(cluster, paint, 6, y - 4),
      label(18, y, title, { size: 12, weight: 600 }),
      label(end, y, count, { size: 12 }),
      label(end + textWidth(count, 12) + 8, y, total > 0 ? formatShare(size / total) : "", { fill: paint("ink-3") }),
    ];
  });
  const base = svg("line", { x1: left, x2: left, y1: 0, y2: bars.length * ROW, stroke: paint("line-2") });
  return frame(
    {
      pad: 12,
      width,
      height,
      theme,
      title: `Sizes of ${counted(sizes.length, "cluster")}`,
      description: `${sizesInWords(sizes, names)}.`,
    },
    [marks, base, ...texts],
  );
}
