/** A map of rows: hexagons or marks on canvases, then lines, rings and names over them. */
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Groups } from "../state/groups.js";
import type { Layout } from "../state/model.js";
import { type Box, boundsOf, countInSight, fit, type View } from "../state/view.js";
import { Grid } from "./grid.js";
import { drawHexagons, useHexagons } from "./hexagon-layer.js";
import { hasKnown, type MarkRenderer, MOST_MARKS, markSize } from "./marks.js";
import { canvasMarks } from "./marks-canvas.js";
import { webglMarks } from "./marks-webgl.js";
import { usePalette } from "./palette.js";
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
  const renderer = useRenderer(over, !hexagonal || hasKnown(styles));
  useEffect(() => renderer?.points(layout.xy), [renderer, layout.xy]);
  useEffect(() => renderer?.styles(styles), [renderer, styles]);
  const drawn = useRef<Uint8Array | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: places and styles lie in the renderer, and are drawn anew when they change
  useEffect(() => {
    const ratio = window.devicePixelRatio || 1;
    for (const canvas of [under.current!, over.current!]) resize(canvas, box, ratio);
    drawHexagons(under.current!, hexagons, view, box, ratio, palette);
    const draw = (blend: number) =>
      renderer?.draw({ view, box, ratio, ...markSize(n, inSight), knownOnly: hexagonal, palette, blend });
    const isChange = drawn.current !== null && drawn.current !== styles && drawn.current.length === styles.length;
    drawn.current = renderer ? styles : null;
    if (isChange && !hexagonal && n <= MOST_MARKS && !isStill()) return fade(draw);
    draw(1);
    return undefined;
  }, [renderer, layout.xy, styles, view, box, palette, hexagonal, hexagons, n, inSight]);
  return (
    <>
      <canvas ref={under} className="plot-canvas" aria-hidden="true" />
      <canvas
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

/** Draws frame after frame from the old look to the new one; the function that is returned stops it. */
function fade(draw: (blend: number) => void): () => void {
  const start = performance.now();
  let frame = 0;
  const step = () => {
    const blend = Math.min(1, (performance.now() - start) / FADE_MS);
    draw(blend);
    if (blend < 1) frame = requestAnimationFrame(step);
  };
  step();
  return () => cancelAnimationFrame(frame);
}

function resize(canvas: HTMLCanvasElement, { width, height }: Box, ratio: number): void {
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
}

/** The renderer of a canvas, made when it is first needed; made anew when the browser takes its graphics away and gives them back. */
function useRenderer(canvas: React.RefObject<HTMLCanvasElement | null>, isNeeded: boolean): MarkRenderer | null {
  const [renderer, setRenderer] = useState<MarkRenderer | null>(null);
  const [isWanted, setIsWanted] = useState(isNeeded);
  if (isNeeded && !isWanted) setIsWanted(true);
  useEffect(() => {
    if (!isWanted) return;
    const element = canvas.current!;
    let isOver = false;
    const make = async () => {
      const next = (await webglMarks(element)) ?? canvasMarks(element);
      if (!isOver) setRenderer(next);
    };
    const onLost = (event: Event) => event.preventDefault();
    void make();
    element.addEventListener("webglcontextlost", onLost);
    element.addEventListener("webglcontextrestored", make);
    return () => {
      isOver = true;
      element.removeEventListener("webglcontextlost", onLost);
      element.removeEventListener("webglcontextrestored", make);
    };
  }, [canvas, isWanted]);
  return renderer;
}
