/** A worker that draws marks for `marks-remote.ts`. If several frames arrive during a drawing, only the newest frame is drawn next. */
import { type MarkFrame, type MarkRenderer, sizeCanvas } from "./marks.js";
import { canvasMarks } from "./marks-canvas.js";
import type { MarkOrder } from "./marks-remote.js";
import { webglMarks } from "./marks-webgl.js";

interface Drawing {
  readonly canvas: OffscreenCanvas;
  renderer: MarkRenderer | null;
  points: Float32Array | null;
  styles: Uint8Array | null;
  frame: MarkFrame | null;
  isDue: boolean;
}

let drawing: Drawing | null = null;

addEventListener("message", ({ data }: MessageEvent<MarkOrder>) => {
  if ("canvas" in data) drawing = open(data.canvas);
  else if (drawing) take(drawing, data);
});

function open(canvas: OffscreenCanvas): Drawing {
  const opened: Drawing = { canvas, renderer: null, points: null, styles: null, frame: null, isDue: false };
  const make = async () => {
    const renderer = (await webglMarks(canvas)) ?? canvasMarks(canvas);
    opened.renderer = renderer;
    if (opened.points) renderer.points(opened.points);
    if (opened.styles) renderer.styles(opened.styles);
    drawSoon(opened);
  };
  // The browser can take the WebGL context away and restore it later. Then the renderer is created again.
  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => void make());
  void make();
  return opened;
}

function take(to: Drawing, order: Exclude<MarkOrder, { readonly canvas: OffscreenCanvas }>): void {
  if ("points" in order) {
    to.points = order.points;
    to.renderer?.points(order.points);
  } else if ("styles" in order) {
    to.styles = order.styles;
    to.renderer?.styles(order.styles);
  } else {
    to.frame = order.frame;
    drawSoon(to);
  }
}

function drawSoon(to: Drawing): void {
  if (to.isDue) return;
  to.isDue = true;
  requestAnimationFrame(() => {
    to.isDue = false;
    if (!to.renderer || !to.frame) return;
    sizeCanvas(to.canvas, to.frame.box, to.frame.ratio);
    to.renderer.draw(to.frame);
  });
}
