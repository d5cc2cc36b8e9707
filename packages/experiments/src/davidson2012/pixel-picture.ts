/** A slice as a picture: one square for each pixel, several slices side by side, with titles and a legend. */

export interface PixelPanel {
  readonly title: string;
  /** The colour of each row's square. */
  readonly fill: (row: number) => string;
}

export interface PixelGrid {
  readonly width: number;
  readonly height: number;
  readonly x: Int32Array;
  readonly y: Int32Array;
}

const CELL = 6;
const GAP = 24;
const TOP = 52;

export function pixelPicture(
  { width, height, x, y }: PixelGrid,
  title: string,
  panels: readonly PixelPanel[],
  legend: readonly (readonly [colour: string, text: string])[],
): string {
  const wide = width * CELL + GAP;
  const total = Math.max(panels.length * wide + GAP, 3 * GAP + legend.reduce((sum, [, text]) => sum + 40 + 6.4 * text.length, 0));
  const tall = TOP + height * CELL + GAP;
  let at = GAP;
  const keys = legend.map(([colour, text]) => {
    const key = `<rect x="${at}" y="10" width="11" height="11" fill="${colour}" stroke="#8a8a8a" stroke-width="0.5"/><text x="${at + 17}" y="20">${text}</text>`;
    at += 40 + 6.4 * text.length;
    return key;
  });
  const drawn = panels.map((panel, p) => {
    const left = GAP + p * wide;
    const squares = Array.from(
      x,
      (column, row) =>
        `<rect x="${left + column * CELL}" y="${TOP + y[row]! * CELL}" width="${CELL}" height="${CELL}" fill="${panel.fill(row)}"/>`,
    );
    return `<text x="${left}" y="${TOP - 10}" font-weight="600">${panel.title}</text><g shape-rendering="crispEdges">${squares.join("")}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(total)} ${tall}" width="${Math.ceil(total)}" height="${tall}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="#1c1c1c"><title>${title}</title><rect width="100%" height="100%" fill="#ffffff"/>${keys.join("")}${drawn.join("")}</svg>\n`;
}
