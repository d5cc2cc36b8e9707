/** Draws grouped bars in small panels: in each group, one bar per series side by side, with standard errors. */

import { fitText, formatNumber, roundStep } from "../layout/text.js";
import { label } from "../theme/frame.js";
import { type LegendItem, markedItem } from "../theme/legend.js";
import { columnsFor, type PanelFigure, type Place, panelsFigure } from "../theme/panels.js";
import { type SvgElement, svg } from "../theme/svg-document.js";
import { clusterToken, type Paint, painter } from "../theme/theme.js";

export interface Bar {
  /** The name of the series that the bar belongs to. All groups and panels have the same series. */
  readonly name: string;
  /** The height of the bar; NaN if the bar has no value. */
  readonly value: number;
  /** The standard error of the value. The error bar reaches this far above and below it. */
  readonly error?: number;
}

export interface BarGroup {
  readonly name: string;
  readonly bars: readonly Bar[];
}

export interface BarPanel {
  readonly title: string;
  readonly groups: readonly BarGroup[];
}

export interface BarsOptions extends PanelFigure<BarPanel> {
  /** shared: the y axes of all panels have the same range. By default each panel has its own range. */
  readonly yDomain?: "shared";
}

const PANEL = { width: 300, height: 220, left: 58, right: 14, top: 32, bottom: 24 };
const TICKS = 4;

export function barsFigure({ title, panels, yLabel, width = 960, theme = "light", ...more }: BarsOptions): string {
  const paint = painter(theme);
  const names = [...new Set(panels.flatMap(({ groups }) => groups.flatMap(({ bars }) => bars.map(({ name }) => name))))];
  const top = more.yDomain === "shared" ? highest(panels.flatMap(({ groups }) => groups)) : undefined;
  return panelsFigure({
    title,
    subject: `${yLabel} for ${names.join(", ")}`,
    panels,
    legend: names.map((name, at) => seriesItem(name, at, paint)),
    left: PANEL.left,
    width,
    columns: more.columns ?? columnsFor(panels.length, width, PANEL.width),
    tall: more.height ?? PANEL.height,
    theme,
    draw: (panel, at) => panelMarks(panel, top ?? highest(panel.groups), names, yLabel, paint, at),
  });
}

function panelMarks(
  { title, groups }: BarPanel,
  top: number,
  names: readonly string[],
  yLabel: string,
  paint: Paint,
  place: Place,
): SvgElement[] {
  const { x, y, width, height } = place;
  const [left, right] = [x + PANEL.left, x + width - PANEL.right];
  const [upper, base] = [y + PANEL.top, y + height - PANEL.bottom];
  // A step that is too small by a rounding error is taken, so that a step of exactly this size is not passed over.
  const step = roundStep(0.999 * (top / TICKS));
  const most = Math.max(step, Math.ceil(top / step) * step);
  const at = (value: number): number => base - (value / most) * (base - upper);
  const ticks = Array.from({ length: Math.round(most / step) + 1 }, (_, i) => i * step);
  const room = (right - left) / Math.max(1, groups.length);
  return [
    label(left, y + 12, fitText(title, 12, width - PANEL.left), { size: 12, weight: 600 }),
    label(left, y + 25, `↑ ${yLabel}`, { size: 10, fill: paint("ink-3") }),
    ...ticks.flatMap((tick) => [
      svg("line", { x1: left, x2: right, y1: at(tick), y2: at(tick), stroke: paint("line") }),
      label(left - 6, at(tick) + 3.5, formatNumber(tick, 3), { anchor: "end", fill: paint("ink-3") }),
    ]),
    ...groups.flatMap((group, g) => [
      ...groupMarks(group, names, left + g * room, room, at, paint),
      label(left + (g + 0.5) * room, base + 15, fitText(group.name, 11, room), { anchor: "middle", fill: paint("ink-2") }),
    ]),
  ];
}

function groupMarks(
  { name, bars }: BarGroup,
  names: readonly string[],
  x: number,
  room: number,
  at: (value: number) => number,
  paint: Paint,
): SvgElement[] {
  const thick = (room * 0.76) / names.length;
  return bars.flatMap((bar) => {
    if (!Number.isFinite(bar.value)) return [];
    const place = names.indexOf(bar.name);
    const left = x + room * 0.12 + place * thick;
    const { value, error = 0 } = bar;
    const text = `${name}, ${bar.name}: ${formatNumber(value)}`;
    return [
      svg(
        "rect",
        { x: left, y: at(value), width: thick * 0.92, height: at(0) - at(value), fill: paint(clusterToken(place)) },
        svg("title", {}, text),
      ),
      svg("line", {
        x1: left + thick * 0.46,
        x2: left + thick * 0.46,
        y1: at(Math.max(0, value - error)),
        y2: at(value + error),
        stroke: paint("ink"),
        "stroke-width": 1.2,
      }),
    ];
  });
}

function highest(groups: readonly BarGroup[]): number {
  const ends = groups.flatMap(({ bars }) => bars.map(({ value, error = 0 }) => value + error)).filter(Number.isFinite);
  return Math.max(0, ...ends) || 1;
}

function seriesItem(name: string, at: number, paint: Paint): LegendItem {
  const fill = paint(clusterToken(at));
  return markedItem(name, 18, (x, y) => svg("rect", { x, y: y - 9, width: 11, height: 11, fill }));
}
