/**
 * Draws full metrics A as squares (a Hinton diagram). The value for two columns i, j is A[i][j] / sqrt(A[i][i] A[j][j]), between -1 and 1.
 * The area of a square is proportional to the absolute value; filled squares are positive, hollow squares negative.
 */
import { featureWeights } from "@coterie/core/internal";
import { counted, fitText, formatCount, textWidth } from "../layout/text.js";
import { captions, frame, label } from "../theme/frame.js";
import { type SvgElement, svg } from "../theme/svg-document.js";
import { type Paint, painter } from "../theme/theme.js";
import { ALL_CLUSTERS, HEAD, type MetricFigureOptions, panelHeading, shownMetrics, whose } from "./metric-panels.js";

const CELL = 16;
const SPACE = 32;
const MOST_ALONE = 32;
const MOST_EACH = 12;
const MOST_PANELS = 12;

interface Panel {
  readonly cluster: number;
  readonly columns: readonly { readonly name: string; readonly column: number }[];
  readonly of: number;
  readonly matrix: readonly (readonly (number | null)[])[];
}

const WIDEST_NAME = 130;
const NAME_MARGIN = 8;
const WIDEST_EACH = 96;

export function metricMatrixFigure({ metric, points, names, sizes, width = 900, theme = "light" }: MetricFigureOptions): string {
  const paint = painter(theme);
  const alone = metric.matrices.length === 1;
  const weights = featureWeights(metric, points);
  const { shown, lines: fewer } = shownMetrics(weights.length, sizes, MOST_PANELS);
  const panels = shown.map((at): Panel => {
    const columns = weights[at]!.slice(0, alone ? MOST_ALONE : MOST_EACH);
    const cluster = alone ? ALL_CLUSTERS : at;
    return { cluster, columns, of: weights[at]!.length, matrix: metric.matrices[at] as Panel["matrix"] };
  });
  const name = Math.min(
    alone ? WIDEST_NAME : WIDEST_EACH,
    Math.max(...panels.flatMap(({ columns }) => columns.map((column) => textWidth(column.name, 11) + NAME_MARGIN))),
  );
  const square = Math.max(...panels.map(({ columns }) => columns.length)) * CELL;
  const across = Math.max(1, Math.floor((width + SPACE) / (name + square + SPACE)));
  const panelHeight = HEAD + square + 20;
  const lines = [
    ...(panels[0]!.of > panels[0]!.columns.length
      ? [`The ${panels[0]!.columns.length} columns of largest share, of ${formatCount(panels[0]!.of)}.`]
      : []),
    ...fewer,
  ];
  const height = Math.ceil(panels.length / across) * panelHeight - 12 + 16 * lines.length;
  return frame(
    {
      pad: 12,
      width: Math.max(width, name + square),
      height,
      theme,
      title: `Interactions of columns, in ${counted(metric.matrices.length, "metric")}`,
      description: panels.map((panel) => inWords(panel, names)).join(" "),
    },
    [
      ...panels.flatMap((panel, at) =>
        drawPanel(panel, (at % across) * (name + square + SPACE), Math.floor(at / across) * panelHeight, name, names, paint),
      ),
      ...captions(lines, 0, height - 16 * (lines.length - 1) - 4, paint),
    ],
  );
}

function drawPanel(
  panel: Panel,
  x: number,
  y: number,
  name: number,
  names: readonly string[] | undefined,
  paint: Paint,
): SvgElement[] {
  const { cluster, columns } = panel;
  const drawn = panelHeading(cluster, x, y, name + 60, names, paint);
  const [left, top] = [x + name, y + HEAD];
  columns.forEach((row, i) => {
    drawn.push(
      label(
        left - 6,
        top + i * CELL + 12,
        fitText(row.name, 11, name - NAME_MARGIN),
        { anchor: "end" },
        svg("title", {}, row.name),
      ),
      svg("rect", {
        x: left,
        y: top + i * CELL,
        width: (i + 1) * CELL,
        height: CELL,
        fill: paint("sunken"),
        stroke: paint("line"),
      }),
    );
    for (let j = 0; j <= i; j++) drawn.push(...square(panel, i, j, left + j * CELL, top + i * CELL, paint));
  });
  return drawn;
}

function square(panel: Panel, i: number, j: number, x: number, y: number, paint: Paint): SvgElement[] {
  const value = together(panel, i, j);
  const side = Math.sqrt(Math.min(1, Math.abs(value))) * (CELL - 3);
  if (side < 1) return [];
  const shift = (CELL - side) / 2;
  const [a, b] = [panel.columns[i]!, panel.columns[j]!];
  const words = i === j ? a.name : `${a.name} and ${b.name}: ${value.toFixed(2).replace("-", "−")}`;
  const inset = value < 0 ? Math.min(0.6, side / 4) : 0;
  return [
    svg(
      "rect",
      {
        x: x + shift + inset,
        y: y + shift + inset,
        width: side - 2 * inset,
        height: side - 2 * inset,
        ...(value < 0
          ? { fill: paint("canvas"), stroke: paint("ink"), "stroke-width": 1.2 }
          : { fill: paint(i === j ? "edge" : "ink") }),
      },
      svg("title", {}, words),
    ),
  ];
}

function together({ matrix, columns }: Panel, i: number, j: number): number {
  const [a, b] = [columns[i]!.column, columns[j]!.column];
  const scale = Math.sqrt((matrix[a]?.[a] ?? 0) * (matrix[b]?.[b] ?? 0));
  return scale > 0 ? (matrix[a]?.[b] ?? 0) / scale : 0;
}

function inWords(panel: Panel, names: readonly string[] | undefined): string {
  const pairs: { readonly value: number; readonly words: string }[] = [];
  panel.columns.forEach((a, i) => {
    for (let j = 0; j < i; j++) {
      const value = together(panel, i, j);
      pairs.push({ value: Math.abs(value), words: `${a.name} and ${panel.columns[j]!.name} ${value.toFixed(2)}` });
    }
  });
  const strongest = pairs.sort((a, b) => b.value - a.value).slice(0, 3);
  return strongest.length === 0 ? "" : `${whose(panel.cluster, names)}: ${strongest.map(({ words }) => words).join(", ")}.`;
}
