/** Draws the objective after each iteration of a run as a curve. */
import * as Plot from "@observablehq/plot";
import { counted, formatNumber } from "../layout/text.js";
import { type FigureSize, frame, label, plotted } from "../theme/frame.js";
import { painter } from "../theme/theme.js";

export interface HistoryOptions extends FigureSize {
  /** The value of the objective after each iteration; null if it was not computed. */
  readonly history: readonly (number | null)[];
}

export function historyFigure({ history, width = 900, height = 220, theme = "light" }: HistoryOptions): string {
  const paint = painter(theme);
  const steps = history.flatMap((value, at) => (value === null || !Number.isFinite(value) ? [] : [{ iteration: at + 1, value }]));
  const values = steps.map((step) => step.value);
  const low = steps.length > 0 ? Math.min(...values) : 0;
  const high = steps.length > 0 ? Math.max(...values) : 1;
  const room = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1;
  const first = steps[0];
  const last = steps.at(-1);
  const many = steps.length > 60;
  const tick = { tickSize: 0, tickPadding: 8, label: null, fill: paint("ink-3") };
  const whole = (value: number) => (Number.isInteger(value) ? String(value) : "");
  const lastAt = Math.max(2, history.length);
  const marks = plotted({
    width,
    height,
    marginLeft: 72,
    marginRight: 96,
    marginTop: 32,
    marginBottom: 44,
    x: { domain: [1, lastAt], axis: null },
    y: { domain: [low - room, high + room], axis: null },
    marks: [
      Plot.gridY({ ticks: 4, stroke: paint("line"), strokeOpacity: 1 }),
      Plot.axisY({ ticks: 4, ...tick, tickFormat: (value: number) => formatNumber(value, 5) }),
      Plot.axisX({ ticks: Math.min(10, lastAt - 1), ...tick, tickFormat: whole }),
      Plot.line(steps, { x: "iteration", y: "value", stroke: paint("ink-2"), strokeWidth: 1.5 }),
      ...(many
        ? []
        : [
            Plot.dot(steps, {
              x: "iteration",
              y: "value",
              r: 3,
              fill: paint("ink"),
              title: (step) => `iteration ${step.iteration}: ${formatNumber(step.value, 6)}`,
            }),
          ]),
      Plot.text(last ? [last] : [], {
        x: "iteration",
        y: "value",
        text: (step) => formatNumber(step.value, 5),
        textAnchor: "start",
        dx: 10,
        fill: paint("ink"),
        fontWeight: 600,
      }),
    ],
  });
  const words = first && last ? ` It goes from ${formatNumber(first.value)} to ${formatNumber(last.value)}.` : "";
  return frame(
    { width, height, theme, title: "Objective per iteration", description: `${counted(history.length, "iteration")}.${words}` },
    [
      marks,
      label(12, 16, "↑ objective", { fill: paint("ink-2") }),
      label(width - 96, height - 8, "iteration →", { anchor: "end", fill: paint("ink-2") }),
    ],
  );
}
