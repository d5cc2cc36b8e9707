/**
 * Draws curves and scatter plots in small panels, such as learning curves with standard errors. Each series has the same colour and shape
 * in all panels. By default each panel has its own axes.
 */
import * as Plot from "@observablehq/plot";
import { fitText, formatNumber, textWidth } from "../layout/text.js";
import { clusterMark, plotSymbol } from "../theme/cluster-mark.js";
import { label, plotted } from "../theme/frame.js";
import { type LegendItem, markedItem } from "../theme/legend.js";
import { columnsFor, type PanelFigure, type Place, panelsFigure } from "../theme/panels.js";
import { type SvgElement, svg } from "../theme/svg-document.js";
import { clusterToken, type Paint, painter } from "../theme/theme.js";

export interface CurvePoint {
  readonly x: number;
  readonly y: number;
  /** The standard error of the point. The error bar or band reaches this far above and below it. */
  readonly error?: number;
}

export interface CurveSeries {
  readonly name: string;
  readonly points: readonly CurvePoint[];
  /** Whether the values come from a publication. They are then drawn as open rings above the curves, without a line. */
  readonly published?: boolean;
}

export interface CurvePanel {
  readonly title: string;
  readonly series: readonly CurveSeries[];
}

export interface CurvesOptions extends PanelFigure<CurvePanel> {
  readonly xLabel: string;
  /** lines: lines join the points of a series. dots: only the points are drawn. */
  readonly marks?: "lines" | "dots";
  /** How standard errors are drawn; default: bars. */
  readonly errors?: "bars" | "bands";
  readonly xDomain?: readonly [number, number];
  /** The range of the y axis. shared: all panels have the same range. By default each panel has its own range. */
  readonly yDomain?: readonly [number, number] | "shared";
}

const PANEL = { width: 300, height: 230, left: 52, right: 14, top: 30, bottom: 34 };

export function curvesFigure(options: CurvesOptions): string {
  const { title, panels, xLabel, yLabel, width = 960, theme = "light" } = options;
  const paint = painter(theme);
  const all = panels.flatMap(({ series }) => series);
  const names = [...new Set(all.filter(({ published }) => !published).map(({ name }) => name))];
  const printed = [...new Set(all.filter(({ published }) => published).map(({ name }) => name))];
  const columns = options.columns ?? columnsFor(panels.length, width, PANEL.width);
  const yDomain = options.yDomain === "shared" ? extent(panels, "y") : options.yDomain;
  const drawing = { ...options, ...(yDomain ? { yDomain } : {}) };
  return panelsFigure({
    title,
    subject: `${yLabel} against ${xLabel}, for ${names.join(", ")}`,
    panels,
    legend: [
      ...names.map((name, at) => seriesItem(name, at, options.marks ?? "lines", paint)),
      ...printed.map((name) => publishedItem(name, paint)),
    ],
    left: PANEL.left,
    width,
    columns,
    tall: options.height ?? (columns === 1 ? 320 : PANEL.height),
    theme,
    draw: (panel, at) => panelMarks(panel, names, drawing, paint, at),
  });
}

function panelMarks(
  { title, series }: CurvePanel,
  names: readonly string[],
  { marks = "lines", errors = "bars", xLabel, yLabel, xDomain, yDomain }: CurvesOptions,
  paint: Paint,
  { x, y, width, height }: Place,
): SvgElement[] {
  const ink = { fill: paint("ink-3"), tickSize: 0, tickPadding: 6, label: null };
  const yRange: readonly number[] = Array.isArray(yDomain) ? yDomain : extent([{ title, series }], "y");
  const layers = series.flatMap(({ name, points, published }) =>
    published
      ? publishedMarks(points, name, paint)
      : seriesMarks(points, names.indexOf(name), name, { marks, errors }, yRange, paint),
  );
  const plot = plotted(
    {
      width,
      height,
      marginLeft: PANEL.left,
      marginRight: PANEL.right,
      marginTop: PANEL.top,
      marginBottom: PANEL.bottom,
      x: { domain: [...(xDomain ?? extent([{ title, series }], "x"))], axis: null },
      y: { domain: [...yRange], axis: null },
      marks: [
        Plot.gridY({ ticks: 4, stroke: paint("line"), strokeOpacity: 1 }),
        Plot.axisY({ ticks: 4, ...ink, tickFormat: (value: number) => formatNumber(value, 3) }),
        Plot.axisX({ ticks: Math.max(2, Math.floor(width / 70)), ...ink, tickFormat: (value: number) => formatNumber(value, 4) }),
        ...layers,
      ],
    },
    x,
    y,
  );
  const empty = series.every(({ points }) => !points.some(isSeen));
  return [
    plot,
    ...(empty
      ? [label(x + (PANEL.left + width) / 2, y + height / 2, "no values", { anchor: "middle", fill: paint("ink-3") })]
      : []),
    label(x + PANEL.left, y + 12, fitText(title, 12, width - PANEL.left), { size: 12, weight: 600 }),
    label(x + PANEL.left, y + 25, `↑ ${yLabel}`, { size: 10, fill: paint("ink-3") }),
    label(x + width - PANEL.right, y + height - 4, `${xLabel} →`, { size: 10, anchor: "end", fill: paint("ink-3") }),
  ];
}

function seriesMarks(
  points: readonly CurvePoint[],
  at: number,
  name: string,
  { marks, errors }: Required<Pick<CurvesOptions, "marks" | "errors">>,
  yRange: readonly number[],
  paint: Paint,
): Plot.Markish[] {
  const seen = points.filter(isSeen);
  const [lowest, highest] = [Math.min(...yRange), Math.max(...yRange)];
  const colour = paint(clusterToken(at));
  const barred = seen.filter((point) => point.error !== undefined && Number.isFinite(point.error));
  const ends = {
    x: "x",
    // Error bars and bands are cut at the edge of the panel.
    y1: (point: CurvePoint) => Math.max(lowest, point.y - point.error!),
    y2: (point: CurvePoint) => Math.min(highest, point.y + point.error!),
  };
  const lines = [
    // A point whose y is missing leaves a gap in the line.
    Plot.line(
      points.filter((point) => Number.isFinite(point.x)),
      { x: "x", y: "y", stroke: colour, strokeWidth: 1.5 },
    ),
    errors === "bands"
      ? Plot.areaY(barred, { ...ends, fill: colour, fillOpacity: 0.16 })
      : Plot.ruleX(barred, { ...ends, stroke: colour, strokeOpacity: 0.55 }),
  ];
  const dots = Plot.dot(seen, {
    x: "x",
    y: "y",
    r: marks === "lines" ? 2.6 : 2.2,
    symbol: plotSymbol(at) as Plot.SymbolType,
    fill: colour,
    fillOpacity: marks === "lines" ? 1 : 0.55,
    title: (point: CurvePoint) => `${name}: ${formatNumber(point.y)} at ${formatNumber(point.x)}`,
  });
  return marks === "lines" ? [...lines, dots] : [dots];
}

function publishedMarks(points: readonly CurvePoint[], name: string, paint: Paint): Plot.Markish[] {
  const title = (point: CurvePoint) => `${name}: ${formatNumber(point.y)} at ${formatNumber(point.x)}`;
  return [Plot.dot(points.filter(isSeen), { x: "x", y: "y", r: 5, stroke: paint("ink"), strokeWidth: 1.6, fill: "none", title })];
}

function publishedItem(name: string, paint: Paint): LegendItem {
  const ring = { r: 5, fill: "none", stroke: paint("ink"), "stroke-width": 1.6 };
  return markedItem(name, 18, (x, y) => svg("circle", { cx: x + 6, cy: y - 4, ...ring }));
}

function isSeen({ x, y }: CurvePoint): boolean {
  return Number.isFinite(x) && Number.isFinite(y);
}

function seriesItem(name: string, at: number, marks: "lines" | "dots", paint: Paint): LegendItem {
  const room = marks === "lines" ? 30 : 16;
  return {
    width: room + textWidth(name, 12),
    draw: (x, y) =>
      svg(
        "g",
        {},
        marks === "lines"
          ? svg("line", { x1: x, x2: x + 24, y1: y - 4, y2: y - 4, stroke: paint(clusterToken(at)), "stroke-width": 1.5 })
          : null,
        clusterMark(at, paint, x + (marks === "lines" ? 12 : 5), y - 4, 4),
        label(x + room, y, name, { size: 12 }),
      ),
  };
}

function extent(panels: readonly CurvePanel[], axis: "x" | "y"): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { series } of panels) {
    for (const { points } of series) {
      for (const point of points) {
        const reach = axis === "y" ? (point.error ?? 0) : 0;
        if (!Number.isFinite(point[axis]) || !Number.isFinite(reach)) continue;
        low = Math.min(low, point[axis] - reach);
        high = Math.max(high, point[axis] + reach);
      }
    }
  }
  if (low > high) return [0, 1];
  const room = (high - low) * 0.05 || Math.abs(high) * 0.05 || 1;
  return [low - room, high + room];
}
