/** Arranges small panels in rows below one legend, for curves and bars. */

import { counted } from "../layout/text.js";
import { type FigureSize, frame } from "./frame.js";
import { flow, type LegendItem } from "./legend.js";
import type { SvgElement } from "./svg-document.js";
import type { Theme } from "./theme.js";

export interface PanelFigure<P> extends FigureSize {
  readonly title: string;
  readonly panels: readonly P[];
  readonly yLabel: string;
  /** Number of panels in a row; by default as many panels as fit. */
  readonly columns?: number;
}

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PanelsOptions<P> {
  readonly title: string;
  /** What the panels show, in the plural. It completes the description "3 panels of …". */
  readonly subject: string;
  readonly panels: readonly P[];
  readonly legend: readonly LegendItem[];
  readonly left: number;
  readonly width: number;
  readonly columns: number;
  readonly tall: number;
  readonly theme: Theme;
  readonly draw: (panel: P, place: Place) => readonly SvgElement[];
}

export function panelsFigure<P>(options: PanelsOptions<P>): string {
  const { title, subject, panels, left, width, columns, tall, theme, draw } = options;
  const wide = Math.floor(width / columns);
  const legend = flow(options.legend, left, 14, width - left);
  const top = legend.height + 10;
  const drawn = panels.flatMap((panel, at) =>
    draw(panel, { x: (at % columns) * wide, y: top + Math.floor(at / columns) * tall, width: wide, height: tall }),
  );
  const height = top + tall * Math.ceil(panels.length / columns);
  const description = `${counted(panels.length, "panel")} of ${subject}.`;
  return frame({ pad: 12, width, height, theme, title, description }, [...legend.drawn, ...drawn]);
}

export function columnsFor(panels: number, width: number, panelWidth: number): number {
  return Math.max(1, Math.min(panels, Math.floor(width / panelWidth)));
}
