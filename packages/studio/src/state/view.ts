/** The visible part of the map: its centre (x, y) in data units, and the pixels per data unit on each axis (kx, ky). */
import { roundStep } from "@coterie/figures/layout";

export interface View {
  readonly x: number;
  readonly y: number;
  readonly kx: number;
  readonly ky: number;
}

export interface Box {
  readonly width: number;
  readonly height: number;
}

export interface Bounds {
  readonly minX: number;
  readonly maxX: number;
  readonly minY: number;
  readonly maxY: number;
}

/** Space in pixels that the plot leaves free for the numbers on its axes. */
export const MARGIN = { left: 40, bottom: 24 } as const;

const EMPTY: Bounds = { minX: -1, maxX: 1, minY: -1, maxY: 1 };

const known = new WeakMap<Float32Array, Bounds>();

/** The smallest rectangle around some rows, or around all rows. The rectangle around all rows is computed only once. */
export function boundsOf(xy: Float32Array, rows?: readonly number[]): Bounds {
  if (rows) return measuredBounds(xy, rows);
  const bounds = known.get(xy) ?? measuredBounds(xy);
  known.set(xy, bounds);
  return bounds;
}

function measuredBounds(xy: Float32Array, rows?: readonly number[]): Bounds {
  let [minX, maxX, minY, maxY] = [Infinity, -Infinity, Infinity, -Infinity];
  const n = rows?.length ?? xy.length / 2;
  for (let i = 0; i < n; i++) {
    const row = rows ? rows[i]! : i;
    const x = xy[2 * row]!;
    const y = xy[2 * row + 1]!;
    if (Number.isNaN(x) || Number.isNaN(y)) continue;
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  return minX > maxX ? EMPTY : { minX, maxX, minY, maxY };
}

/**
 * The view in which the whole rectangle `bounds` fits into the box. With `equal`, both axes have the same scale; otherwise each axis has
 * its own scale.
 */
export function fit(bounds: Bounds, { width, height }: Box, equal: boolean, pad = 40): View {
  const spanX = bounds.maxX - bounds.minX || 1;
  const spanY = bounds.maxY - bounds.minY || 1;
  const kx = Math.max(8, width - MARGIN.left - 2 * pad) / spanX;
  const ky = Math.max(8, height - MARGIN.bottom - 2 * pad) / spanY;
  const k = Math.min(kx, ky);
  const [sx, sy] = equal ? [k, k] : [kx, ky];
  // The margins take space on the left and at the bottom, so the centre moves by half a margin.
  return {
    x: (bounds.minX + bounds.maxX) / 2 - MARGIN.left / 2 / sx,
    y: (bounds.minY + bounds.maxY) / 2 - MARGIN.bottom / 2 / sy,
    kx: sx,
    ky: sy,
  };
}

export function toScreen(view: View, box: Box, x: number, y: number): readonly [number, number] {
  return [box.width / 2 + (x - view.x) * view.kx, box.height / 2 - (y - view.y) * view.ky];
}

export function toData(view: View, box: Box, x: number, y: number): readonly [number, number] {
  return [view.x + (x - box.width / 2) / view.kx, view.y - (y - box.height / 2) / view.ky];
}

/** Zooms the view by a factor. The point at (x, y), in pixels, does not move on the screen. */
export function zoomed(view: View, box: Box, factor: number, x = box.width / 2, y = box.height / 2): View {
  const [dataX, dataY] = toData(view, box, x, y);
  const [kx, ky] = [view.kx * factor, view.ky * factor];
  return { kx, ky, x: dataX - (x - box.width / 2) / kx, y: dataY + (y - box.height / 2) / ky };
}

export function moved(view: View, dx: number, dy: number): View {
  return { ...view, x: view.x - dx / view.kx, y: view.y + dy / view.ky };
}

export function withInSight(view: View, box: Box, x: number, y: number, pad = 48): View {
  const [sx, sy] = toScreen(view, box, x, y);
  const dx = sx < pad ? pad - sx : sx > box.width - pad ? box.width - pad - sx : 0;
  const dy = sy < pad ? pad - sy : sy > box.height - pad ? box.height - pad - sy : 0;
  return dx === 0 && dy === 0 ? view : moved(view, dx, dy);
}

/** Round numbers for the ticks of an axis, about one for every 80 pixels. */
export function ticks(from: number, to: number, pixels: number): readonly number[] {
  const wanted = Math.max(2, pixels / 80);
  const rough = (to - from) / wanted;
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const step = roundStep(rough);
  const first = Math.ceil(from / step);
  const last = Math.floor(to / step);
  return Array.from({ length: Math.max(0, Math.min(50, last - first + 1)) }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
}

/** Counts the visible rows. Stops when more than `limit` rows are found, because the caller does not need the exact number then. */
export function countInSight(xy: Float32Array, view: View, box: Box, limit: number): number {
  const [left, top] = toData(view, box, 0, 0);
  const [right, bottom] = toData(view, box, box.width, box.height);
  let count = 0;
  for (let i = 0; i < xy.length && count <= limit; i += 2) {
    const x = xy[i]!;
    const y = xy[i + 1]!;
    if (x >= left && x <= right && y >= bottom && y <= top) count++;
  }
  return count;
}
