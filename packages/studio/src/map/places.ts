/** Finds rows by their position on the map: the nearest row to a point, the next row in a direction, all rows inside a loop. */
import type { View } from "../state/view.js";

export interface PlaceIndex {
  /** The row nearest to a point on the map, within a radius in pixels; -1 if there is none. */
  nearest(x: number, y: number, view: View, radius: number): number;
}

/** An index that finds rows by position. It is built at the first query, because a map without pointer events needs no index. */
export function placeIndex(xy: Float32Array): PlaceIndex {
  let index: PlaceIndex | undefined;
  return {
    nearest: (...query) => {
      index ??= cellIndex(xy);
      return index.nearest(...query);
    },
  };
}

function cellIndex(xy: Float32Array): PlaceIndex {
  const n = xy.length / 2;
  let [minX, maxX, minY, maxY] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < xy.length; i += 2) {
    const [x, y] = [xy[i]!, xy[i + 1]!];
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  const side = Math.max(1, Math.min(512, Math.ceil(Math.sqrt(n / 4))));
  const [width, height] = [(maxX - minX) / side || 1, (maxY - minY) / side || 1];
  const columnOf = (x: number) => Math.min(side - 1, Math.max(0, Math.floor((x - minX) / width)));
  const lineOf = (y: number) => Math.min(side - 1, Math.max(0, Math.floor((y - minY) / height)));
  const cellOf = (row: number) => lineOf(xy[2 * row + 1]!) * side + columnOf(xy[2 * row]!);
  const start = new Int32Array(side * side + 1);
  for (let row = 0; row < n; row++) start[cellOf(row) + 1]!++;
  for (let cell = 0; cell < side * side; cell++) start[cell + 1]! += start[cell]!;
  const next = start.slice(0, -1);
  const rows = new Int32Array(n);
  for (let row = 0; row < n; row++) rows[next[cellOf(row)]!++] = row;

  return {
    nearest: (x, y, { kx, ky }, radius) => {
      let [best, least] = [-1, radius * radius];
      const [fromColumn, toColumn] = [columnOf(x - radius / kx), columnOf(x + radius / kx)];
      const [fromLine, toLine] = [lineOf(y - radius / ky), lineOf(y + radius / ky)];
      for (let line = fromLine; line <= toLine; line++)
        for (let at = start[line * side + fromColumn]!; at < start[line * side + toColumn + 1]!; at++) {
          const row = rows[at]!;
          const [dx, dy] = [(xy[2 * row]! - x) * kx, (xy[2 * row + 1]! - y) * ky];
          const distance = dx * dx + dy * dy;
          if (distance <= least) [best, least] = [row, distance];
        }
      return best;
    },
  };
}

export type Direction = "left" | "right" | "up" | "down";

/** The nearest row in a direction, at most 45 degrees away from it; -1 if there is none. */
export function rowTowards(xy: Float32Array, from: number, direction: Direction, view: View): number {
  const [x, y] = [xy[2 * from]!, xy[2 * from + 1]!];
  let [best, least] = [-1, Infinity];
  for (let row = 0; row < xy.length / 2; row++) {
    if (row === from) continue;
    const dx = (xy[2 * row]! - x) * view.kx;
    const dy = (y - xy[2 * row + 1]!) * view.ky;
    const [along, beside] = alongAndBeside(dx, dy, direction);
    if (along <= 0 || Math.abs(beside) > along) continue;
    const cost = along * along + 2 * beside * beside;
    if (cost < least) [best, least] = [row, cost];
  }
  return best;
}

function alongAndBeside(dx: number, dy: number, direction: Direction): readonly [number, number] {
  if (direction === "left") return [-dx, dy];
  if (direction === "right") return [dx, dy];
  return direction === "up" ? [-dy, dx] : [dy, dx];
}

export type Point = readonly [number, number];

export function rowsInside(xy: Float32Array, loop: readonly Point[]): number[] {
  if (loop.length < 3) return [];
  let [minX, maxX, minY, maxY] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of loop) {
    minX = Math.min(minX, x);
    maxX = Math.max(maxX, x);
    minY = Math.min(minY, y);
    maxY = Math.max(maxY, y);
  }
  const rows: number[] = [];
  for (let row = 0; row < xy.length / 2; row++) {
    const [x, y] = [xy[2 * row]!, xy[2 * row + 1]!];
    if (x >= minX && x <= maxX && y >= minY && y <= maxY && isInside(x, y, loop)) rows.push(row);
  }
  return rows;
}

/** Whether a point is inside a loop: a ray to the right then crosses the loop an odd number of times. */
export function isInside(x: number, y: number, loop: readonly Point[]): boolean {
  let inside = false;
  for (let i = 0, j = loop.length - 1; i < loop.length; j = i++) {
    const [xi, yi] = loop[i]!;
    const [xj, yj] = loop[j]!;
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}
