/** A map of rows: hexagons or marks on canvases, then lines, rings and names over them. */
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Groups } from "../state/groups.js";
import type { Layout } from "../state/model.js";
import { type Box, boundsOf, countInSight, fit, type View } from "../state/view.js";
import { drawHexagons, useHexagons } from "./drawing/hexagon-layer.js";
import { hasKnown, MOST_MARKS, markSize, sizeCanvas } from "./drawing/marks.js";
import { usePalette } from "./drawing/palette.js";
import { useRenderer } from "./drawing/use-renderer.js";
import { Grid } from "./grid.js";
import { type PlotPointer, usePointer } from "./pointer.js";
import "./map.css";

export interface PlotHandle {
  readonly box: Box;
  readonly view: View;
  setView(view: View): void;
  fit(): void;
}

interface PlotProps {
  readonly layout: Layout;
  readonly groups: Groups;
  readonly styles: Uint8Array;
  /** What the map is, for those who hear it. */
  readonly label: string;
  /** Marks even where hexagons would stand. */
  readonly forceMarks?: boolean;
  readonly view: View | null;
  readonly onView: (view: View) => void;
  /** Rows that the first view shows; all without. */
  readonly fitRows?: readonly number[] | undefined;
  readonly pointer: Omit<PlotPointer, "xy">;
  readonly plain?: boolean;
  /** What lies under the rows. */
  readonly under?: (handle: PlotHandle) => ReactNode;
  readonly children?: (handle: PlotHandle) => ReactNode;
  readonly floating?: (handle: PlotHandle) => ReactNode;
}

export function isEqualScale(layout: Layout): boolean {
  return layout.space !== "columns";
}

export function Plot(props: PlotProps) {
  const { layout, view: given, onView, fitRows, pointer } = props;
  const frame = useRef<HTMLDivElement>(null);
  const box = useBox(frame);
  const bounds = useMemo(() => boundsOf(layout.xy, fitRows), [layout.xy, fitRows]);
  const fitted = useMemo(() => fit(bounds, box, isEqualScale(layout), fitRows ? 120 : 40), [bounds, box, layout, fitRows]);
  const view = given ?? fitted;
  const handle: PlotHandle = { box, view, setView: onView, fit: () => onView(fitted) };
  const handlers = usePointer({ ...pointer, xy: layout.xy }, view, box, onView, frame);
  return (
    <div ref={frame} className="plot" {...handlers.events}>
      {props.under?.(handle)}
      <Canvases {...props} box={box} view={view} />
      <svg className="plot-lines" width={box.width} height={box.height} role="img" aria-label={props.label}>
        <Grid layout={layout} view={view} box={box} plain={props.plain === true} />
        {props.children?.(handle)}
        {handlers.loop !== "" && <path className="lasso" d={handlers.loop} />}
      </svg>
      {props.floating?.(handle)}
    </div>
  );
}

/** The size of an element, as it changes. */
export function useBox(element: React.RefObject<HTMLElement | null>): Box {
  const [box, setBox] = useState<Box>({ width: 808, height: 780 });
  useLayoutEffect(() => {
    const read = () => {
      const { clientWidth: width, clientHeight: height } = element.current!;
      setBox((before) => (before.width === width && before.height === height ? before : { width, height }));
    };
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [element]);
  return box;
}

interface CanvasesProps extends PlotProps {
  readonly box: Box;
  readonly view: View;
}

function Canvases({ layout, groups, styles, forceMarks, box, view }: CanvasesProps & { readonly view: View }) {
  const under = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const palette = usePalette();
  const n = layout.xy.length / 2;
  const inSight = useMemo(() => (n <= 2_000 ? n : countInSight(layout.xy, view, box, MOST_MARKS)), [n, layout.xy, view, box]);
  const hexagonal = !forceMarks && n > MOST_MARKS && inSight > MOST_MARKS;
  const hexagons = useHexagons(hexagonal, layout.xy, groups, view, box);
  // Under hexagons only rows that somebody spoke about have marks: without one the graphics are not started.
  const { renderer, isRemote } = useRenderer(over, n, !hexagonal || hasKnown(styles));
  useEffect(() => renderer?.points(layout.xy), [renderer, layout.xy]);
  useEffect(() => renderer?.styles(styles), [renderer, styles]);
  const drawn = useRef<Uint8Array | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: places and styles lie in the renderer, and are drawn anew when they change
  useEffect(() => {
    const ratio = window.devicePixelRatio || 1;
    const paint = (blend: number) => {
      sizeCanvas(under.current!, box, ratio);
      if (!isRemote) sizeCanvas(over.current!, box, ratio);
      drawHexagons(under.current!, hexagons, view, box, ratio, palette);
      renderer?.draw({ view, box, ratio, ...markSize(n, inSight), knownOnly: hexagonal, palette, blend });
    };
    const isChange = drawn.current !== null && drawn.current !== styles && drawn.current.length === styles.length;
    drawn.current = renderer ? styles : null;
    return fade(paint, isChange && !hexagonal && n <= MOST_MARKS && !isStill() ? FADE_MS : 0);
  }, [renderer, isRemote, layout.xy, styles, view, box, palette, hexagonal, hexagons, n, inSight]);
  return (
    <>
      <canvas ref={under} className="plot-canvas" aria-hidden="true" />
      <canvas
        key={isRemote ? "remote" : "here"}
        ref={over}
        className="plot-canvas"
        aria-hidden="true"
        data-drawn={hexagonal ? (hexagons ? "hexagons" : undefined) : "marks"}
      />
    </>
  );
}

/** How long marks take from one cluster's look to another's. */
const FADE_MS = 240;

function isStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Paints frame after frame from the old look to the new one, from the next frame on; the function that is returned stops it. */
function fade(paint: (blend: number) => void, milliseconds: number): () => void {
  const start = performance.now();
  const step = () => {
    const blend = milliseconds === 0 ? 1 : Math.min(1, (performance.now() - start) / milliseconds);
    paint(blend);
    if (blend < 1) frame = requestAnimationFrame(step);
  };
  let frame = requestAnimationFrame(step);
  return () => cancelAnimationFrame(frame);
}
