/** Draws the mark of a cluster, as an SVG element or as a symbol for Observable Plot. */
import { shapePath, verticesOf } from "../layout/shapes.js";
import { type SvgElement, svg } from "./svg-document.js";
import { clusterToken, type Paint } from "./theme.js";

interface PathSink {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  closePath(): void;
}

/** The shape of a cluster as a symbol for Observable Plot. The shape has about the same area as the circle that Plot would draw. */
export function plotSymbol(cluster: number): "circle" | { draw(sink: PathSink, area: number): void } {
  const vertices = verticesOf(cluster);
  if (vertices.length === 0) return "circle";
  return {
    draw(sink, area) {
      const r = Math.sqrt(area / Math.PI);
      vertices.forEach(([x, y], at) => {
        if (at === 0) sink.moveTo(x * r, y * r);
        else sink.lineTo(x * r, y * r);
      });
      sink.closePath();
    },
  };
}

export function clusterMark(cluster: number, paint: Paint, x: number, y: number, r = 4.5): SvgElement {
  const colour = paint(clusterToken(cluster));
  return svg("path", {
    d: shapePath(cluster, x, y, r),
    ...(cluster < 0 ? { fill: "none", stroke: colour, "stroke-width": 1.2 } : { fill: colour }),
  });
}
