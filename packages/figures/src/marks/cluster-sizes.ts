/** Draws cluster sizes as bars with counts and shares, or as a histogram of the sizes if there are very many clusters. */
import * as Plot from "@observablehq/plot";
import { MANY_CLUSTERS } from "../layout/notable-clusters.js";
import { counted, fitText, formatCount, formatShare, roundStep, textWidth } from "../layout/text.js";
import { clusterMark } from "../theme/cluster-mark.js";
import { type FigureSize, frame, label, named, plotted, sizesInWords } from "../theme/frame.js";
import { type SvgElement, svg } from "../theme/svg-document.js";
import { clusterName, clusterToken, type Paint, painter } from "../theme/theme.js";

const MOST_BINS = 30;

/** If the largest cluster is more than 40 times larger than the median, each bin of the histogram is twice as wide as the bin before it. */
const SKEWED = 40;

const FRAME = { left: 44, right: 12, top: 30, bottom: 44 } as const;

export interface ClusterSizesOptions extends FigureSize {
  readonly sizes: readonly number[];
  readonly names?: readonly string[];
  /** Number of rows that are in no cluster. */
  readonly none?: number;
}

const ROW = 24;

/** Draws a bar for each cluster; for more than thirty clusters, a histogram of their sizes. */
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
  const title = `Sizes of ${counted(sizes.length, "cluster")}`;
  const description = `${sizesInWords(sizes, names)}.`;
  return frame({ pad: 12, width, height, theme, title, description }, [marks, base, ...texts]);
}

interface SizeHistogramOptions extends FigureSize {
  readonly sizes: readonly number[];
  readonly none?: number;
}

/** A bin of the histogram: clusters with `from` to `to` rows, both included. */
interface SizeBin {
  readonly from: number;
  readonly to: number;
  readonly clusters: number;
}

/**
 * Divides the cluster sizes into bins. All bins have the same round width; if a few clusters are huge, each bin is twice as wide as the bin
 * before it.
 */
export function sizeBins(sizes: readonly number[]): SizeBin[] {
  if (sizes.length === 0) return [];
  const sorted = [...sizes].sort((a, b) => a - b);
  const [least, most] = [sorted[0]!, sorted.at(-1)!];
  const middle = Math.max(1, sorted[Math.floor(sorted.length / 2)]!);
  const edges: number[] = [];
  if (most > SKEWED * middle) for (let from = 1; from <= most; from *= 2) edges.push(from);
  else {
    const step = Math.max(1, roundStep((most - least + 1) / MOST_BINS));
    for (let from = Math.floor(least / step) * step; from <= most; from += step) edges.push(from);
  }
  return edges.map((from, at) => {
    const to = (edges[at + 1] ?? Math.max(most + 1, from + (edges[1] ?? from + 1) - edges[0]!)) - 1;
    return { from, to, clusters: sorted.filter((size) => size >= from && size <= to).length };
  });
}

export function sizeHistogramFigure({
  sizes,
  none = 0,
  width = 900,
  height = 220,
  theme = "light",
}: SizeHistogramOptions): string {
  const paint = painter(theme);
  const bins = sizeBins(sizes);
  const most = Math.max(1, ...bins.map(({ clusters }) => clusters));
  const [base, tall] = [height - FRAME.bottom, height - FRAME.top - FRAME.bottom];
  const slot = (width - FRAME.left - FRAME.right) / Math.max(1, bins.length);
  const bars = bins.flatMap((bin, at) => barOf(bin, FRAME.left + at * slot, slot, (tall * bin.clusters) / most, base, paint));
  return frame(
    {
      pad: 12,
      width,
      height,
      theme,
      title: `Sizes of ${counted(sizes.length, "cluster")}`,
      description: `${sizesInBrief(sizes, none)} ${bins
        .filter(({ clusters }) => clusters > 0)
        .map((bin) => binWords(bin))
        .join(", ")}.`,
    },
    [
      label(0, 14, "↑ clusters", { fill: paint("ink-2") }),
      label(width, height - 6, "rows in the cluster →", { anchor: "end", fill: paint("ink-2") }),
      label(0, height - 6, sizesInBrief(sizes, none), { fill: paint("ink-3") }),
      ...bars,
      ...binNames(bins, slot, base, paint),
      svg("line", { x1: FRAME.left, x2: width - FRAME.right, y1: base + 0.5, y2: base + 0.5, stroke: paint("line-2") }),
    ],
  );
}

function barOf(bin: SizeBin, x: number, slot: number, tall: number, base: number, paint: Paint): SvgElement[] {
  if (bin.clusters === 0) return [];
  const high = Math.max(2, tall);
  const gap = Math.min(4, slot * 0.16);
  const count = formatCount(bin.clusters);
  const title = svg("title", {}, binWords(bin));
  const bar = svg(
    "rect",
    { x: x + gap / 2, y: base - high, width: slot - gap, height: high, fill: paint("ink-3"), class: "size-bin" },
    title,
  );
  if (textWidth(count, 11) > slot + 8) return [bar];
  return [bar, label(x + slot / 2, base - high - 5, count, { anchor: "middle", fill: paint("ink-2") })];
}

/** The names under the bars of the histogram. If not all names fit, only every second, third, … bar has a name. */
function binNames(bins: readonly SizeBin[], slot: number, base: number, paint: Paint): SvgElement[] {
  const widest = Math.max(0, ...bins.map((bin) => textWidth(binText(bin), 11))) + 8;
  const every = Math.max(1, Math.ceil(widest / slot));
  return bins.flatMap((bin, at) =>
    at % every === 0
      ? [label(FRAME.left + (at + 0.5) * slot, base + 16, binText(bin), { anchor: "middle", fill: paint("ink-3") })]
      : [],
  );
}

function binWords(bin: SizeBin): string {
  return `${counted(bin.clusters, "cluster")} of ${binText(bin)} ${bin.to === 1 ? "row" : "rows"}`;
}

function binText({ from, to }: SizeBin): string {
  return from === to ? formatCount(from) : `${formatCount(from)} to ${formatCount(to)}`;
}

function sizesInBrief(sizes: readonly number[], none: number): string {
  const sorted = [...sizes].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const left = none > 0 ? ` ${counted(none, "row")} in no cluster.` : "";
  return `Smallest ${formatCount(sorted[0] ?? 0)}, median ${formatCount(middle)}, largest ${formatCount(sorted.at(-1) ?? 0)}.${left}`;
}
