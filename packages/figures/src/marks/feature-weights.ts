/** Draws the weights of learned metrics: the columns of each metric as bars, largest share first. */
import { type FeatureWeight, featureWeights } from "@coterie/core/internal";
import { counted, fitText, formatCount, formatNumber, formatShare, textWidth } from "../layout/text.js";
import { captions, frame, label } from "../theme/frame.js";
import { type SvgElement, svg } from "../theme/svg-document.js";
import { clusterToken, type Paint, painter } from "../theme/theme.js";
import { ALL_CLUSTERS, HEAD, type MetricFigureOptions, panelHeading, shownMetrics, whose } from "./metric-panels.js";

const SPACE = 28;

interface Panel {
  readonly cluster: number;
  readonly all: readonly FeatureWeight[];
  readonly shown: readonly FeatureWeight[];
}

const LEAST_PANEL = 288;

/** Maximum number of columns in a panel: MOST_ALONE if it is the only panel, MOST_EACH if there are several. */
const MOST_ALONE = 30;
const MOST_EACH = 12;
const MOST_PANELS = 24;
const ROW = 21;

export function featureWeightsFigure({
  metric,
  points,
  names,
  sizes,
  width = 900,
  theme = "light",
}: MetricFigureOptions): string {
  const paint = painter(theme);
  const weights = featureWeights(metric, points);
  const alone = weights.length === 1;
  const { shown: metrics, lines } = shownMetrics(weights.length, sizes, MOST_PANELS);
  const panels = metrics.map((cluster): Panel => {
    const all = weights[cluster]!;
    const most = alone ? MOST_ALONE : MOST_EACH;
    // If only one column would be left out, it is shown instead of the line "1 more", which takes the same space.
    return { cluster: alone ? ALL_CLUSTERS : cluster, all, shown: all.length <= most + 1 ? all : all.slice(0, most) };
  });
  const across = alone ? 1 : Math.max(1, Math.min(panels.length, Math.floor((width + SPACE) / (LEAST_PANEL + SPACE))));
  const panelWidth = (width - SPACE * (across - 1)) / across;
  const rows = Math.max(...panels.map(({ shown, all }) => shown.length + (all.length > shown.length ? 1 : 0)));
  const panelHeight = HEAD + rows * ROW + 16;
  const height = Math.ceil(panels.length / across) * panelHeight - 12 + 16 * lines.length;
  const largest = Math.max(...panels.map(({ all }) => all[0]?.share ?? 0), Number.MIN_VALUE);
  const content = panels.flatMap((panel, at) =>
    drawPanel(
      panel,
      (at % across) * (panelWidth + SPACE),
      Math.floor(at / across) * panelHeight,
      panelWidth,
      largest,
      names,
      paint,
    ),
  );
  return frame(
    {
      pad: 12,
      width,
      height,
      theme,
      title: `Weights of ${counted(weights[0]?.length ?? 0, "column")} in ${counted(weights.length, "metric")}`,
      description: panels.map((panel) => inWords(panel, names)).join(" "),
    },
    [...content, ...captions(lines, 0, height - 4, paint)],
  );
}

function inWords({ cluster, shown }: Panel, names: readonly string[] | undefined): string {
  const columns = shown.slice(0, 5).map(({ name, share }) => `${name} ${formatShare(share)}`);
  return `${whose(cluster, names)}: ${columns.join(", ")}.`;
}

function drawPanel(
  { cluster, all, shown }: Panel,
  x: number,
  y: number,
  width: number,
  largest: number,
  names: readonly string[] | undefined,
  paint: Paint,
): SvgElement[] {
  const nameWidth = Math.min(width * 0.36, Math.max(60, ...shown.map(({ name }) => textWidth(name, 12) + 4)));
  const [left, right] = [x + nameWidth + 8, x + width - 124];
  const fill = paint("ink-3");
  const drawn = [
    ...panelHeading(cluster, x, y, right - x - 20, names, paint),
    label(right + 54, y + 12, "share", { fill, anchor: "end" }),
    label(x + width, y + 12, "weight", { fill, anchor: "end" }),
    svg("line", { x1: x, x2: x + width, y1: y + HEAD - 5.5, y2: y + HEAD - 5.5, stroke: paint("line-2") }),
  ];
  shown.forEach(({ name, weight, share }, row) => {
    const top = y + HEAD + row * ROW;
    const bar = (share / largest) * (right - left);
    drawn.push(
      label(x, top + 11, fitText(name, 12, nameWidth), { size: 12 }, svg("title", {}, name)),
      svg("rect", { x: left, y: top + 1, width: right - left, height: 12, fill: paint("sunken") }),
      svg("rect", {
        x: left,
        y: top + 1,
        width: bar,
        height: 12,
        fill: paint(cluster === ALL_CLUSTERS ? "ink-2" : clusterToken(cluster)),
      }),
      label(right + 54, top + 11, formatShare(share), { size: 12, anchor: "end" }),
      label(x + width, top + 11, formatNumber(weight, 3), { size: 11, anchor: "end", fill }),
    );
  });
  if (all.length > shown.length) {
    const rest = all.slice(shown.length).reduce((sum, { share }) => sum + share, 0);
    drawn.push(
      label(
        x,
        y + HEAD + shown.length * ROW + 11,
        `${formatCount(all.length - shown.length)} more, together ${formatShare(rest)}`,
        { fill },
      ),
    );
  }
  return drawn;
}
