/** Where a bubble floats: where it hides the fewest rows, and never over its own. */
import { type Box, toScreen, type View } from "../state/view.js";

export interface Place {
  readonly left: number;
  readonly top: number;
}

const STEP = 48;

/** A name counts as so many rows. */
const NAME = 40;

export function quietPlace(
  xy: Float32Array,
  own: readonly number[],
  view: View,
  box: Box,
  size: Box,
  names: readonly (readonly [number, number])[] = [],
): Place {
  const cols = Math.max(1, Math.ceil(box.width / STEP));
  const lines = Math.max(1, Math.ceil(box.height / STEP));
  const density = new Int32Array(cols * lines);
  for (let row = 0; row < xy.length / 2; row++) {
    const [x, y] = toScreen(view, box, xy[2 * row]!, xy[2 * row + 1]!);
    if (x >= 0 && y >= 0 && x < box.width && y < box.height) density[Math.floor(y / STEP) * cols + Math.floor(x / STEP)]!++;
  }
  for (const place of names) {
    const [x, y] = toScreen(view, box, ...place);
    const line = Math.floor(y / STEP);
    if (line < 0 || line >= lines) continue;
    for (let col = Math.max(0, Math.floor(x / STEP)); col < Math.min(cols, Math.floor(x / STEP) + 3); col++)
      density[line * cols + col]! += NAME;
  }
  const rows = own.map((row) => toScreen(view, box, xy[2 * row]!, xy[2 * row + 1]!));
  const middle = rows.reduce(([x, y], [rx, ry]) => [x + rx / rows.length, y + ry / rows.length], [0, 0] as [number, number]);
  let best: Place = { left: 8, top: 8 };
  let least = Infinity;
  for (let top = 16; top + size.height < box.height - 24; top += STEP / 2)
    for (let left = 64; left + size.width < box.width - 8; left += STEP / 2) {
      const hits = rows.some(
        ([x, y]) => x > left - 20 && x < left + size.width + 20 && y > top - 20 && y < top + size.height + 20,
      );
      if (hits) continue;
      const far = Math.hypot(left + size.width / 2 - middle[0], top + size.height / 2 - middle[1]);
      const cost = hidden(density, cols, lines, left, top, size) + far / 30;
      if (cost < least) [best, least] = [{ left, top }, cost];
    }
  return best;
}

function hidden(density: Int32Array, cols: number, lines: number, left: number, top: number, size: Box): number {
  let sum = 0;
  const lastLine = Math.min(lines - 1, Math.floor((top + size.height) / STEP));
  const lastCol = Math.min(cols - 1, Math.floor((left + size.width) / STEP));
  for (let line = Math.floor(top / STEP); line <= lastLine; line++)
    for (let col = Math.floor(left / STEP); col <= lastCol; col++) sum += density[line * cols + col]!;
  return sum;
}
