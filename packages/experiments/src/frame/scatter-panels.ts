/** Many small maps side by side: rows as dots in the colour of their cluster, must-links as lines, cannot-links dashed. */
import type { ConstraintSet } from "@coterie/core/internal";

export interface ScatterPanel {
  readonly title: string;
  /** Null where there is no clustering: dots are then grey. */
  readonly labels: Int32Array | null;
  readonly known: ConstraintSet | null;
}

export interface Places {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

const COLOURS = ["#3b6fb6", "#d1711f", "#3f9b57", "#a2519f", "#b5443f", "#6b6b6b"];
const NONE = "#b9b9b9";
const PANEL = 190;
const GAP = 16;
const TITLE = 18;
const TOP = 26;

export function scatterPanels(title: string, places: readonly Places[], panels: readonly (readonly ScatterPanel[])[]): string {
  const columns = Math.max(...panels.map((row) => row.length));
  const width = GAP + columns * (PANEL + GAP);
  const height = TOP + panels.length * (PANEL + TITLE + GAP);
  const drawn = panels.flatMap((row, r) =>
    row.map((panel, c) => {
      const [left, top] = [GAP + c * (PANEL + GAP), TOP + r * (PANEL + TITLE + GAP)];
      return `<g transform="translate(${left} ${top})">${panelMarks(panel, places[r * columns + c] ?? places[0]!)}</g>`;
    }),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="#1c1c1c"><title>${title}</title><rect width="100%" height="100%" fill="#ffffff"/><text x="${GAP}" y="17" font-weight="600">${title}</text>${drawn.join("")}</svg>\n`;
}

function panelMarks({ title, labels, known }: ScatterPanel, { x, y }: Places): string {
  const at = scaled(x, y);
  const clusters = labels ? [...new Set(labels)].sort((a, b) => a - b) : [-1];
  const dots = clusters.map((cluster) => {
    const rows = Array.from(x.keys()).filter((row) => labels === null || labels[row] === cluster);
    const colour = labels === null ? NONE : COLOURS[cluster % COLOURS.length];
    return `<path d="${rows.map((row) => `M${at(row)}h0`).join("")}" stroke="${colour}" stroke-width="4" stroke-linecap="round"/>`;
  });
  const links = (pairs: ConstraintSet["mustLinks"], dash: string): string =>
    `<path d="${Array.from(pairs.a, (a, s) => `M${at(a)}L${at(pairs.b[s]!)}`).join("")}" fill="none" stroke="#1c1c1c" stroke-opacity="0.55" stroke-width="0.9"${dash}/>`;
  const lines = known ? links(known.mustLinks, "") + links(known.cannotLinks, ' stroke-dasharray="3 3"') : "";
  return `<text y="12">${title}</text><rect y="${TITLE}" width="${PANEL}" height="${PANEL}" fill="none" stroke="#d9d9d9"/><g transform="translate(0 ${TITLE})">${dots.join("")}${lines}</g>`;
}

/** The place of a row in a panel, the same scale on both axes. */
function scaled(x: Float64Array, y: Float64Array): (row: number) => string {
  const range = (values: Float64Array): [number, number] => [Math.min(...values), Math.max(...values)];
  const [[left, right], [low, high]] = [range(x), range(y)];
  const unit = (PANEL - 12) / Math.max(right - left, high - low, 1e-12);
  const [dx, dy] = [(PANEL - unit * (right - left)) / 2, (PANEL - unit * (high - low)) / 2];
  return (row) => `${(dx + unit * (x[row]! - left)).toFixed(1)} ${(dy + unit * (high - y[row]!)).toFixed(1)}`;
}
