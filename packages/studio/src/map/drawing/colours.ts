/** Colours as numbers, for canvases, which know no style sheets. Nothing here needs a page: the worker that draws marks reads it too. */

export type Rgb = readonly [number, number, number];

export interface Palette {
  /** 0 is for rows in no group, 1 to 8 for clusters, then the steps of a number. */
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
