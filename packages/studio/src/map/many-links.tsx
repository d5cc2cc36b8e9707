/**
 * Thousands of links at rest, on a canvas under the rows. As lines of the page they would be drawn anew whenever anything over them
 * changes, and dashes in such numbers hold up the browser for seconds.
 */
import { useEffect, useRef } from "react";
import type { MapLink } from "../state/links.js";
import type { Layout } from "../state/model.js";
import { type Box, toScreen, type View } from "../state/view.js";
import { css } from "./drawing/colours.js";
import { sizeCanvas } from "./drawing/marks.js";
import { usePalette } from "./drawing/palette.js";
import { restOf } from "./overlay.js";

/** Lines in one go, so that the page goes on in between, and how long the map must stand still before. */
const AT_ONCE = 300;
const STILL_MS = 80;
const DASHES = { must: [], cannot: [4, 3], relative: [1, 3] } as const;

interface ManyLinksProps {
  readonly links: readonly MapLink[];
  readonly layout: Layout;
  readonly view: View;
  readonly box: Box;
}

export function ManyLinks({ links, layout: { xy }, view, box }: ManyLinksProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = usePalette();
  useEffect(() => {
    const ratio = window.devicePixelRatio || 1;
    const element = canvas.current!;
    sizeCanvas(element, box, ratio);
    // Drawn by the processor: graphics without hardware take seconds for dashes.
    const context = element.getContext("2d", { willReadFrequently: true })!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, box.width, box.height);
    context.strokeStyle = css(palette.ink);
    let [next, frame] = [0, 0];
    const step = () => {
      for (const end = Math.min(links.length, next + AT_ONCE); next < end; next++) drawLink(context, links[next]!, xy, view, box);
      if (next < links.length) frame = requestAnimationFrame(step);
      else element.dataset.drawn = "links";
    };
    delete element.dataset.drawn;
    const timer = setTimeout(step, STILL_MS);
    return () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
  }, [links, xy, view, box, palette]);
  const opacity = 0.4 * restOf({ must: links, cannot: [], relative: [] });
  return <canvas ref={canvas} className="plot-canvas" style={{ opacity }} aria-hidden="true" />;
}

/** A line on its own is what browsers dash fastest. */
function drawLink(context: CanvasRenderingContext2D, { a, b, kind }: MapLink, xy: Float32Array, view: View, box: Box): void {
  const [x1, y1] = toScreen(view, box, xy[2 * a]!, xy[2 * a + 1]!);
  const [x2, y2] = toScreen(view, box, xy[2 * b]!, xy[2 * b + 1]!);
  if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > box.width || Math.max(y1, y2) < 0 || Math.min(y1, y2) > box.height) return;
  context.setLineDash([...DASHES[kind]]);
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}
