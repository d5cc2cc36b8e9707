/** Rows counted in hexagons, for maps with too many rows to tell marks apart. */
import type { View } from "./view.js";

/** From the centre of a hexagon to a corner, in pixels. */
export const HEXAGON = 5.2;
const WIDE = Math.sqrt(3) * HEXAGON;
const HIGH = 1.5 * HEXAGON;

export interface Hexagon {
  /** Centre, in pixels of the level that it was counted at, from the data's origin. */
  readonly x: number;
  readonly y: number;
  readonly count: number;
  /** The group that most of its rows are in; -1 for none. */
  readonly slot: number;
}

export interface HexagonLevel {
  readonly kx: number;
  readonly ky: number;
  readonly most: number;
  readonly hexagons: readonly Hexagon[];
}

/** Levels of zoom lie a factor of √2 apart, so that counts stay while the map is moved and zoomed a little. */
export function levelOf(view: View): number {
  return Math.round(2 * Math.log2(view.kx));
}

/** Counts rows at a level: the scale of the level takes the place of the view's. */
export function countHexagons(xy: Float32Array, slots: Int32Array, view: View, level: number): HexagonLevel {
  const factor = 2 ** (level / 2) / view.kx;
  const [kx, ky] = [view.kx * factor, view.ky * factor];
  const cells = new Map<number, { count: number; x: number; y: number; votes: Map<number, number> }>();
  for (let row = 0; row < xy.length / 2; row++) {
    const [column, line] = cellAt(xy[2 * row]! * kx, -xy[2 * row + 1]! * ky);
    const key = column * 4_194_304 + line;
    let cell = cells.get(key);
    if (!cell) {
      cell = { count: 0, x: (column + (line & 1 ? 0.5 : 0)) * WIDE, y: line * HIGH, votes: new Map() };
      cells.set(key, cell);
    }
    cell.count++;
    const slot = slots[row] ?? -1;
    cell.votes.set(slot, (cell.votes.get(slot) ?? 0) + 1);
  }
  let most = 0;
  const hexagons = [...cells.values()].map(({ x, y, count, votes }) => {
    most = Math.max(most, count);
    return { x, y, count, slot: winnerOf(votes) };
  });
  return { kx, ky, most, hexagons };
}

function winnerOf(votes: ReadonlyMap<number, number>): number {
  let [slot, most] = [-1, 0];
  for (const [candidate, count] of votes) if (count > most) [slot, most] = [candidate, count];
  return slot;
}

/** The hexagon of a lattice with pointed tops that a place is in. */
export function cellAt(x: number, y: number): readonly [number, number] {
  const line = Math.round(y / HIGH);
  const shift = line & 1 ? 0.5 : 0;
  const column = Math.round(x / WIDE - shift);
  const beyond = y / HIGH - line;
  if (Math.abs(beyond) * 3 <= 1) return [column, line];
  // Near a pointed edge the neighbour above or below may be closer.
  const other = line + Math.sign(beyond);
  const otherShift = other & 1 ? 0.5 : 0;
  const otherColumn = Math.round(x / WIDE - otherShift);
  const own = distance(x, y, column + shift, line);
  return distance(x, y, otherColumn + otherShift, other) < own ? [otherColumn, other] : [column, line];
}

function distance(x: number, y: number, column: number, line: number): number {
  return (x - column * WIDE) ** 2 + (y - line * HIGH) ** 2;
}

export function hexagonPath(path: Path2D, x: number, y: number, r = HEXAGON): void {
  const half = (Math.sqrt(3) / 2) * r;
  path.moveTo(x, y - r);
  path.lineTo(x + half, y - r / 2);
  path.lineTo(x + half, y + r / 2);
  path.lineTo(x, y + r);
  path.lineTo(x - half, y + r / 2);
  path.lineTo(x - half, y - r / 2);
  path.closePath();
}
