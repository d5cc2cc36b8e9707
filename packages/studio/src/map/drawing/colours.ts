/** Colours as numbers, for canvases. This file does not use the DOM: the worker that draws marks imports it. */

export type Rgb = readonly [number, number, number];

export interface Palette {
  /** Colours of marks by index: 0 for rows in no group, 1 to 8 for clusters, from FIRST_STEP for the ranges of a numeric column. */
  readonly marks: readonly Rgb[];
  readonly ink: Rgb;
  readonly count: Rgb;
  readonly canvas: Rgb;
  readonly isDark: boolean;
}

export const FIRST_STEP = 9;

export function css([r, g, b]: Rgb, alpha = 1): string {
  return `rgb(${Math.round(r)} ${Math.round(g)} ${Math.round(b)} / ${alpha})`;
}
