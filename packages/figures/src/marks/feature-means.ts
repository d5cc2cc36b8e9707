/** Draws the means of features by cluster: values, and differences from the mean of all rows in standard deviations. */
import * as Plot from "@observablehq/plot";
import { clustersInColumns } from "../layout/notable-clusters.js";
import { type NumericProfile, type Profile, type ProfiledPoints, profiles } from "../layout/profile.js";
import {
  counted,
  decimalsFor,
  fitText,
  formatCount,
  formatFixed,
  formatMean,
  formatNumber,
  formatValue,
  textWidth,
} from "../layout/text.js";
import { clusterMark, plotSymbol } from "../theme/cluster-mark.js";
import { captions, type FigureSize, frame, label, named, plotted, sizesOf } from "../theme/frame.js";
import { type SvgElement, svg } from "../theme/svg-document.js";
import { clusterName, clusterToken, type Paint, painter } from "../theme/theme.js";

export interface FeatureMeansOptions extends FigureSize {
  readonly points: ProfiledPoints;
  readonly labels: ArrayLike<number>;
  /** Maximum number of columns of the table to show, default 40. The columns that separate the clusters best come first. */
  readonly most?: number;
  /** The names of the clusters, shown instead of their numbers. */
  readonly names?: readonly string[];
  readonly columns?: readonly Profile[];
}

const METER = 92;
const STRIP = 220;
const ROW = 34;
const HEAD = 44;

interface Grid {
  readonly paint: Paint;
  readonly clusters: readonly number[];
  readonly names: readonly string[] | undefined;
  readonly width: number;
  readonly name: number;
  readonly value: number;
  readonly stripLeft: number;
  readonly stripRight: number;
  readonly shown: readonly Profile[];
}

export function featureMeansFigure(options: FeatureMeansOptions): string {
  const { points, labels, most = 40, theme = "light", names } = options;
  const { sizes } = sizesOf(labels);
  const clusters = clustersInColumns(sizes);
  const all = options.columns ?? profiles(points, labels, sizes.length);
  const shown = all.slice(0, most);
  const name = Math.min(176, Math.max(136, ...shown.map((profile) => textWidth(profile.name, 12) + 4)));
  const texts = shown.flatMap((profile) => clusters.map((cluster) => textWidth(cellText(profile, cluster), 12) + 14));
  const headWidths = clusters.map((cluster) => textWidth(clusterName(cluster, names), 12, 600) + 30);
  const value = Math.min(96, Math.max(40, ...texts, ...headWidths));
  const width = Math.max(options.width ?? 900, name + STRIP + clusters.length * value + METER + 32);
  const paint = painter(theme);
  const stripRight = width - METER - clusters.length * value - 20;
  const grid: Grid = { paint, clusters, names, width, name, value, stripLeft: name + 12, stripRight, shown };
  const lines: string[] = [];
  if (all.length > shown.length)
    lines.push(`The ${shown.length} columns with the highest separation, of ${formatCount(all.length)}.`);
  if (clusters.length < sizes.length) lines.push(`The ${clusters.length} largest of ${formatCount(sizes.length)} clusters.`);
  const height = HEAD + shown.length * ROW + 8 + lines.length * 16;
  const content = [
    ...heads(grid),
    ...shown.flatMap((profile, at) => rowOf(grid, profile, HEAD + at * ROW)),
    ...strips(grid),
    ...captions(lines, 0, height - 16 * lines.length + 12, paint),
  ];
  return frame(
    {
      pad: 12,
      width,
      height,
      theme,
      title: `Feature means of ${counted(sizes.length, "cluster")}`,
      description: `Columns with the highest separation: ${shown
        .slice(0, 6)
        .map((profile) => profile.name)
        .join(", ")}. Marks show each cluster's mean in standard deviations from the mean of all rows.`,
    },
    content,
  );
}

function cellText(profile: Profile, cluster: number): string {
  if (profile.kind === "nominal") return profile.common[cluster]?.level ?? "";
  const { means, notation, deviation } = profile;
  if (notation) return formatMean(means[cluster]!, notation, deviation);
  return formatFixed(means[cluster]!, decimalsFor(deviation));
}

function valueRight(grid: Grid, at: number): number {
  return grid.stripRight + 16 + (at + 1) * grid.value;
}

/** Possible headings for the part with the deviations, longest first. The first heading that fits is used. */
const STRIP_HEADS = ["standard deviations from the mean of all rows", "standard deviations from the mean", "deviations"];

function heads(grid: Grid): SvgElement[] {
  const { paint, clusters, width, stripLeft, stripRight, value, names } = grid;
  const fill = paint("ink-3");
  const head = STRIP_HEADS.find((text) => textWidth(text, 11) <= stripRight - stripLeft) ?? "";
  const drawn = [
    label(0, 14, fitText("column, highest separation first", 11, stripLeft - 6), { fill }),
    label(stripLeft, 14, head, { fill }),
    label(width, 14, "separation", { fill, anchor: "end" }),
    svg("line", { x1: 0, x2: width, y1: HEAD - 0.5, y2: HEAD - 0.5, stroke: paint("line-2") }),
  ];
  clusters.forEach((cluster, at) => {
    const x = valueRight(grid, at);
    const text = fitText(clusterName(cluster, names), 12, value - 26, 600);
    drawn.push(
      label(x, 14, text, { size: 12, weight: 600, anchor: "end" }),
      clusterMark(cluster, paint, x - 11 - textWidth(text, 12, 600), 10),
    );
  });
  return drawn;
}

function rowOf(grid: Grid, profile: Profile, top: number): SvgElement[] {
  const { paint, width } = grid;
  const middle = top + ROW / 2 + 4;
  const under =
    profile.kind === "nominal"
      ? "most common level, share"
      : `${formatValue(profile.low, profile.notation)} to ${formatValue(profile.high, profile.notation)}`;
  const drawn = [
    label(0, top + 15, fitText(profile.name, 12, grid.name), { size: 12 }, svg("title", {}, profile.name)),
    label(0, top + 28, under, { size: 10, fill: paint("ink-3") }),
    svg("line", { x1: 0, x2: width, y1: top + ROW - 0.5, y2: top + ROW - 0.5, stroke: paint("line") }),
    svg("rect", { x: width - METER + 24, y: top + ROW / 2 - 3, width: 32, height: 5, fill: paint("sunken") }),
    svg("rect", { x: width - METER + 24, y: top + ROW / 2 - 3, width: 32 * profile.tellsApart, height: 5, fill: paint("ink-2") }),
    label(width, middle, profile.tellsApart.toFixed(2), { anchor: "end" }),
  ];
  grid.clusters.forEach((cluster, at) => {
    const x = valueRight(grid, at);
    if (profile.kind === "numeric") {
      drawn.push(label(x, middle, cellText(profile, cluster), { size: 12, anchor: "end" }));
      return;
    }
    const common = profile.common[cluster];
    if (!common) return;
    drawn.push(
      label(x, top + 15, fitText(common.level, 11, grid.value - 10), { anchor: "end" }, svg("title", {}, common.level)),
      label(x, top + 28, `${Math.round(100 * common.share)}%`, { size: 10, anchor: "end", fill: paint("ink-3") }),
    );
  });
  return drawn;
}

function strips({ paint, clusters, names, width, stripLeft, stripRight, shown }: Grid): SvgElement[] {
  const rows = shown.flatMap((profile, at) => (profile.kind === "numeric" && profile.deviation > 0 ? [{ profile, at }] : []));
  if (rows.length === 0) return [];
  const away = (profile: NumericProfile, cluster: number) => (profile.means[cluster]! - profile.mean) / profile.deviation;
  let most = 1;
  for (const { profile } of rows) {
    for (const c of clusters) if (Number.isFinite(away(profile, c))) most = Math.max(most, Math.abs(away(profile, c)));
  }
  most = Math.ceil(most * 2.1) / 2;
  const bottom = HEAD + shown.length * ROW;
  return [
    plotted({
      width,
      height: bottom + 8,
      marginLeft: stripLeft + 8,
      marginRight: width - stripRight + 8,
      marginTop: HEAD,
      marginBottom: 8,
      x: { domain: [-most, most], axis: null },
      y: { domain: [shown.length, 0], axis: null },
      marks: [
        Plot.axisX({
          anchor: "top",
          ticks: most > 4 ? 5 : 7,
          tickSize: 0,
          tickPadding: 6,
          label: null,
          fill: paint("ink-3"),
          tickFormat: (v: number) => formatNumber(v),
        }),
        Plot.ruleX([0], { stroke: paint("line-2") }),
        Plot.ruleY(rows, { y: (row) => row.at + 0.5, x1: -most, x2: most, stroke: paint("line") }),
        ...clusters.map((cluster) =>
          Plot.dot(
            rows.filter(({ profile }) => Number.isFinite(profile.means[cluster]!)),
            {
              x: ({ profile }) => away(profile, cluster),
              y: (row) => row.at + 0.5,
              r: 4.5,
              symbol: plotSymbol(cluster) as Plot.SymbolType,
              fill: paint(clusterToken(cluster)),
              stroke: paint("canvas"),
              strokeWidth: 0.8,
              ...named(`cluster ${clusterName(cluster, names)}`),
              title: ({ profile }) =>
                `${profile.name}, cluster ${clusterName(cluster, names)}: ${formatMean(profile.means[cluster]!, profile.notation, profile.deviation)}`,
            },
          ),
        ),
      ],
    }),
  ];
}
