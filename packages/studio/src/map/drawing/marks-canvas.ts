/** Draws marks on a 2D canvas, for browsers without WebGL. */

import { shapePath } from "@coterie/figures/layout";
import { toScreen } from "../../state/view.js";
import { css } from "./colours.js";
import { FADED, fadedAlpha, HIDDEN, KNOWN, type MarkFrame, type MarkRenderer, STRIDE } from "./marks.js";

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

export function canvasMarks(canvas: HTMLCanvasElement | OffscreenCanvas): MarkRenderer {
  const context = canvas.getContext("2d") as Context;
  let xy = new Float32Array(0) as Float32Array;
  let styles = new Uint8Array(0) as Uint8Array;
  return {
    points: (next) => {
      xy = next;
    },
    styles: (next) => {
      styles = next;
    },
    draw: (frame) => {
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, canvas.width, canvas.height);
      for (const pass of frame.knownOnly ? [1] : [0, 1]) drawPass(context, xy, styles, frame, pass === 1);
      context.globalAlpha = 1;
    },
    dispose: () => {},
  };
}

function drawPass(context: Context, xy: Float32Array, styles: Uint8Array, frame: MarkFrame, known: boolean): void {
  const { view, box, ratio, detailed, palette } = frame;
  const radius = known ? Math.max(frame.radius, 3.6) + (frame.radius >= 4 ? 0.4 : 0) : frame.radius;
  const faint = fadedAlpha(palette.isDark);
  const shapes = new Map<number, Path2D>();
  context.lineWidth = known ? 1.1 : 0.9;
  context.strokeStyle = css(known ? palette.ink : palette.canvas);
  for (let row = 0; row < Math.min(xy.length / 2, styles.length / STRIDE); row++) {
    const flags = styles[row * STRIDE + 2]!;
    if (flags & HIDDEN || Boolean(flags & KNOWN) !== known) continue;
    const [x, y] = toScreen(view, box, xy[2 * row]!, xy[2 * row + 1]!);
    if (x < -8 || y < -8 || x > box.width + 8 || y > box.height + 8) continue;
    const shape = detailed || known ? styles[row * STRIDE + 1]! : 0;
    const path = shapes.get(shape) ?? new Path2D(shapePath(shape, 0, 0, radius));
    shapes.set(shape, path);
    context.globalAlpha = flags & FADED ? faint : known ? 1 : 0.94;
    context.fillStyle = css(palette.marks[styles[row * STRIDE]!]!);
    context.setTransform(ratio, 0, 0, ratio, x * ratio, y * ratio);
    context.fill(path);
    if (detailed || known) context.stroke(path);
  }
}
