/**
 * Draws hexagons on a canvas, coloured by the number of rows in them. The rows are counted once for each zoom level; moving the map only
 * moves the drawn hexagons.
 */

import { nextTurn } from "@coterie/data/browser";
import { colourOf } from "@coterie/figures/layout";
import { useEffect, useState } from "react";
import type { Groups } from "../../state/groups.js";
import { type Box, toScreen, type View } from "../../state/view.js";
import { css, FIRST_STEP, type Palette } from "./colours.js";

export const HEXAGON = 5.2;

const WIDE = Math.sqrt(3) * HEXAGON;

const HIGH = 1.5 * HEXAGON;

const ROWS_PER_STEP = 20_000;

const SHADES = 8;

export interface DrawnHexagons extends HexagonLevel {
  readonly steps: boolean;
}

export function useHexagons(wanted: boolean, xy: Float32Array, groups: Groups, view: View, box: Box): DrawnHexagons | null {
  const level = levelOf(view);
  const tile = tileOf(view, box, level);
  const key = wanted ? `${level} ${Math.round((1000 * view.ky) / view.kx)} ${Object.values(tile).join(" ")}` : "";
  const [counted, setCounted] = useState<{ readonly xy: Float32Array; readonly drawn: DrawnHexagons } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the level, the aspect and the tile of the view matter
  useEffect(() => {
    if (key === "") return;
    let isOver = false;
    const count = async () => {
      const steps = hexagonSteps(xy, groups.slots, view, level, tile);
      for (let step = steps.next(); !isOver; step = steps.next()) {
        if (step.done) return setCounted({ xy, drawn: { ...step.value, steps: groups.kind === "steps" } });
        await nextTurn();
      }
    };
    void count();
    return () => {
      isOver = true;
    };
  }, [xy, groups, key]);
  // While the rows of a new zoom level are counted, the hexagons of the previous level are drawn in the new scale.
  return wanted && counted?.xy === xy ? counted.drawn : null;
}

function shadeOf(count: number, most: number): number {
  return Math.max(1, Math.ceil(Math.sqrt(count / most) * SHADES));
}

export function drawHexagons(
  canvas: HTMLCanvasElement,
  drawn: DrawnHexagons | null,
  view: View,
  box: Box,
  ratio: number,
  palette: Palette,
): void {
  const context = canvas.getContext("2d")!;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  if (!drawn) return;
  const [originX, originY] = toScreen(view, box, 0, 0);
  const [sx, sy] = [(ratio * view.kx) / drawn.kx, (ratio * view.ky) / drawn.ky];
  const stamps = stampsOf(palette, sx, sy);
  const half = stamps.size / 2;
  for (const { x, y, count, slot } of drawn.hexagons) {
    const [atX, atY] = [originX * ratio + x * sx - half, originY * ratio + y * sy - half];
    if (atX < -stamps.size || atY < -stamps.size || atX > canvas.width || atY > canvas.height) continue;
    const line = slot < 0 ? 0 : 1 + (drawn.steps ? FIRST_STEP + slot : colourOf(slot));
    const left = (shadeOf(count, drawn.most) - 1) * stamps.size;
    context.drawImage(stamps.canvas, left, line * stamps.size, stamps.size, stamps.size, atX, atY, stamps.size, stamps.size);
  }
}

/** Draws one hexagon in each colour and shade, once per frame. Each visible hexagon is then drawn as a copy. */
function stampsOf(palette: Palette, sx: number, sy: number): { readonly canvas: OffscreenCanvas; readonly size: number } {
  const size = Math.ceil(2 * HEXAGON * Math.max(sx, sy)) + 2;
  const colours = [palette.count, ...palette.marks];
  const canvas = new OffscreenCanvas(size * SHADES, size * colours.length);
  const context = canvas.getContext("2d")!;
  const path = new Path2D();
  hexagonPath(path, 0, 0);
  colours.forEach((colour, line) => {
    for (let shade = 1; shade <= SHADES; shade++) {
      context.setTransform(sx, 0, 0, sy, (shade - 0.5) * size, (line + 0.5) * size);
      context.fillStyle = css(colour, 0.12 + (0.78 * shade) / SHADES);
      context.fill(path);
    }
  });
  return { canvas, size };
}

/* Counts rows in hexagons, for maps with too many rows to draw each row. */

interface Hexagon {
  readonly x: number;
  readonly y: number;
  readonly count: number;
  /** The group to which most rows of the hexagon belong; -1 if most rows are in no group. */
  readonly slot: number;
}

interface HexagonLevel {
  readonly kx: number;
  readonly ky: number;
  readonly most: number;
  readonly hexagons: readonly Hexagon[];
}

/**
 * The zoom level of a view. Levels differ by a factor of √2. Within a level the hexagons are only scaled, so a small zoom needs no new
 * counts.
 */
export function levelOf(view: View): number {
  return Math.round(2 * Math.log2(view.kx));
}

/**
 * The part of the hexagon lattice in which rows are counted. The part is twice as wide and twice as high as the view, and contains the
 * view. All fields are in hexagons.
 */
interface Tile {
  readonly column: number;
  readonly line: number;
  readonly columns: number;
  readonly lines: number;
}

/**
 * The tile that contains the view. Its edges move in steps, so a small movement of the map usually leaves the tile and its counts valid.
 */
export function tileOf(view: View, box: Box, level: number): Tile {
  const factor = 2 ** (level / 2) / view.kx;
  const [wide, high] = [box.width * factor, box.height * factor];
  const left = Math.floor((view.x * view.kx * factor - wide / 2) / wide);
  const top = Math.floor((-view.y * view.ky * factor - high / 2) / high);
  return {
    column: Math.floor((left * wide) / WIDE) - 1,
    line: Math.floor((top * high) / HIGH) - 1,
    columns: Math.ceil((2 * wide) / WIDE) + 3,
    lines: Math.ceil((2 * high) / HIGH) + 3,
  };
}

/** Counts the rows in the hexagons of a tile. Pauses every 20,000 rows, so that the page can respond. */
export function* hexagonSteps(
  xy: Float32Array,
  slots: Int32Array,
  view: View,
  level: number,
  tile: Tile,
): Generator<void, HexagonLevel, void> {
  const factor = 2 ** (level / 2) / view.kx;
  const [kx, ky] = [view.kx * factor, view.ky * factor];
  const { column: firstColumn, line: firstLine, columns, lines } = tile;
  const groups = largest(slots) + 2;
  // The number of rows of each hexagon in each group, with the rows in no group first.
  const counts = new Uint32Array(columns * lines * groups);
  const cell: [number, number] = [0, 0];
  for (let row = 0; row < xy.length / 2; row++) {
    if (row % ROWS_PER_STEP === 0) yield;
    cellInto(xy[2 * row]! * kx, -xy[2 * row + 1]! * ky, cell);
    const column = cell[0] - firstColumn;
    const line = cell[1] - firstLine;
    if (column < 0 || line < 0 || column >= columns || line >= lines) continue;
    counts[(line * columns + column) * groups + 1 + (slots[row] ?? -1)]!++;
  }
  yield;
  return { kx, ky, ...filled(counts, groups, tile) };
}

function filled(
  counts: Uint32Array,
  groups: number,
  { column, line, columns, lines }: Tile,
): Pick<HexagonLevel, "most" | "hexagons"> {
  const hexagons: Hexagon[] = [];
  let most = 0;
  for (let at = 0; at < columns * lines; at++) {
    let [count, slot, votes] = [0, -1, 0];
    for (let group = 0; group < groups; group++) {
      const own = counts[at * groups + group]!;
      count += own;
      if (own > votes) [slot, votes] = [group - 1, own];
    }
    if (count === 0) continue;
    most = Math.max(most, count);
    const y = line + Math.floor(at / columns);
    const x = column + (at % columns) + (y & 1 ? 0.5 : 0);
    hexagons.push({ x: x * WIDE, y: y * HIGH, count, slot });
  }
  return { most, hexagons };
}

function largest(slots: Int32Array): number {
  let most = -1;
  for (let i = 0; i < slots.length; i++) if (slots[i]! > most) most = slots[i]!;
  return most;
}

/** The column and line of the hexagon that contains a point. Hexagons have a corner at the top. */
export function cellAt(x: number, y: number): readonly [number, number] {
  const cell: [number, number] = [0, 0];
  cellInto(x, y, cell);
  return cell;
}

function cellInto(x: number, y: number, cell: [number, number]): void {
  const line = Math.round(y / HIGH);
  const shift = line & 1 ? 0.5 : 0;
  const column = Math.round(x / WIDE - shift);
  cell[0] = column;
  cell[1] = line;
  const beyond = y / HIGH - line;
  if (Math.abs(beyond) * 3 <= 1) return;
  // Near the upper and lower corners of a hexagon, the centre of a hexagon in the next line can be closer to the point.
  const other = line + Math.sign(beyond);
  const otherShift = other & 1 ? 0.5 : 0;
  const otherColumn = Math.round(x / WIDE - otherShift);
  if (distance(x, y, otherColumn + otherShift, other) >= distance(x, y, column + shift, line)) return;
  cell[0] = otherColumn;
  cell[1] = other;
}

function distance(x: number, y: number, column: number, line: number): number {
  return (x - column * WIDE) ** 2 + (y - line * HIGH) ** 2;
}

function hexagonPath(path: Path2D, x: number, y: number, r = HEXAGON): void {
  const half = (Math.sqrt(3) / 2) * r;
  path.moveTo(x, y - r);
  path.lineTo(x + half, y - r / 2);
  path.lineTo(x + half, y + r / 2);
  path.lineTo(x, y + r);
  path.lineTo(x - half, y + r / 2);
  path.lineTo(x - half, y - r / 2);
  path.closePath();
}
