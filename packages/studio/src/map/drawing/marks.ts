/**
 * Encodes the marks of rows as bytes, and defines the interface of the two renderers, WebGL and 2D canvas. Both renderers draw the same
 * picture.
 */
import { colourOf, shapeOf } from "@coterie/figures/layout";
import type { Groups } from "../../state/groups.js";
import type { Box, View } from "../../state/view.js";
import { FIRST_STEP, type Palette } from "./colours.js";

/** Number of bytes that describe the mark of a row: colour, shape, flags (KNOWN, FADED, HIDDEN), and an unused byte. */
export const STRIDE = 4;
export const KNOWN = 1;
export const FADED = 2;
export const HIDDEN = 4;

export interface MarkStyle {
  readonly known?: ReadonlySet<number>;
  readonly strong?: ReadonlySet<number> | undefined;
  readonly only?: number | null;
}

/**
 * The style bytes of all rows: STRIDE bytes for each row. The rows of `known` and `strong` get their flags in separate loops, because
 * looking up each row in these sets is slow.
 */
export function stylesOf({ kind, slots }: Groups, { known, strong, only = null }: MarkStyle): Uint8Array {
  const bytes = new Uint8Array(slots.length * STRIDE);
  const faded = strong === undefined ? 0 : FADED;
  for (let row = 0, at = 0; row < slots.length; row++, at += STRIDE) {
    const slot = slots[row]!;
    bytes[at] = kind === "steps" && slot >= 0 ? FIRST_STEP + slot : colourOf(slot);
    bytes[at + 1] = kind === "steps" ? 0 : shapeOf(slot);
    bytes[at + 2] = faded | (only !== null && slot !== only ? HIDDEN : 0);
  }
  for (const row of strong ?? []) if (row < slots.length) bytes[row * STRIDE + 2]! &= ~FADED;
  for (const row of known ?? []) if (row < slots.length) bytes[row * STRIDE + 2]! |= KNOWN;
  return bytes;
}

export function hasKnown(styles: Uint8Array): boolean {
  for (let at = 2; at < styles.length; at += STRIDE) if ((styles[at]! & KNOWN) !== 0) return true;
  return false;
}

export interface MarkFrame {
  readonly view: View;
  readonly box: Box;
  /** Device pixels for each CSS pixel. */
  readonly ratio: number;
  readonly radius: number;
  /** If true, marks have an edge and a shape. If false, they are dots. */
  readonly detailed: boolean;
  readonly knownOnly: boolean;
  readonly palette: Palette;
  readonly blend: number;
}

export interface MarkRenderer {
  points(xy: Float32Array): void;
  styles(bytes: Uint8Array): void;
  draw(frame: MarkFrame): void;
  dispose(): void;
}

export function sizeCanvas(canvas: HTMLCanvasElement | OffscreenCanvas, { width, height }: Box, ratio: number): void {
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
}

export function clearedCanvas(canvas: HTMLCanvasElement, box: Box, options?: CanvasRenderingContext2DSettings) {
  const ratio = window.devicePixelRatio || 1;
  sizeCanvas(canvas, box, ratio);
  const context = canvas.getContext("2d", options)!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, box.width, box.height);
  return context;
}

export function markSize(n: number, inSight: number): { readonly radius: number; readonly detailed: boolean } {
  if (Math.min(n, inSight) <= 2_000) return { radius: 4, detailed: true };
  return { radius: 2, detailed: false };
}

/** Above this number of visible rows, hexagons with counts are drawn instead of a mark for each row. */
export const MOST_MARKS = 20_000;

export function fadedAlpha(isDark: boolean): number {
  return isDark ? 0.46 : 0.32;
}
