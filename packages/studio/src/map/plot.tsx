/** A map of rows: hexagons or marks on canvases, with lines, rings and names over them. */
import { cutMiddle, formatFixed } from "@coterie/figures/layout";
import { type PointerEvent, type ReactNode, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Groups } from "../state/groups.js";
import type { Layout, Tool } from "../state/model.js";
import type { Box, View } from "../state/view.js";
import { boundsOf, countInSight, fit, MARGIN, moved, ticks, toData, toScreen, zoomed } from "../state/view.js";
import { drawHexagons, useHexagons } from "./drawing/hexagon-layer.js";
import { hasKnown, type MarkRenderer, MOST_MARKS, markSize, sizeCanvas } from "./drawing/marks.js";
import { usePalette } from "./drawing/palette.js";

import "./map.css";

import { tickWords } from "../ui/format.js";
import { canvasMarks } from "./drawing/marks-canvas.js";
import { canDrawRemotely, remoteMarks } from "./drawing/marks-remote.js";
import { webglMarks } from "./drawing/marks-webgl.js";

import { isEqualScale } from "./naming.js";
import { type PlaceIndex, type Point, placeIndex, rowsInside } from "./places.js";

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
  readonly label: string;
  readonly forceMarks?: boolean;
  readonly view: View | null;
  readonly onView: (view: View) => void;
  readonly fitRows?: readonly number[] | undefined;
  readonly pointer: Omit<PlotPointer, "xy">;
  readonly plain?: boolean;
  readonly under?: (handle: PlotHandle) => ReactNode;
  readonly children?: (handle: PlotHandle) => ReactNode;
  readonly floating?: (handle: PlotHandle) => ReactNode;
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
  // While hexagons are shown, only rows with an answer have marks. If no row has an answer, WebGL is not started.
  const { renderer, isRemote } = useRenderer(over, n, !hexagonal || hasKnown(styles));
  useEffect(() => renderer?.points(layout.xy), [renderer, layout.xy]);
  useEffect(() => renderer?.styles(styles), [renderer, styles]);
  const drawn = useRef<Uint8Array | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the renderer holds places and styles, and a change of either needs a new frame
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

const FADE_MS = 240;

function isStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

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

/*
 * Chooses what draws the marks: a worker if there are many rows, otherwise the page itself, in the same frame as the lines over the marks.
 */

interface Drawer {
  readonly renderer: MarkRenderer | null;
  /** Whether a worker draws. If this changes, a new canvas element is needed, because a worker cannot give back its canvas. */
  readonly isRemote: boolean;
}

function useRenderer(canvas: RefObject<HTMLCanvasElement | null>, n: number, isNeeded: boolean): Drawer {
  const [made, setMade] = useState<{ readonly renderer: MarkRenderer; readonly of: HTMLCanvasElement } | null>(null);
  const [isWanted, setIsWanted] = useState(isNeeded);
  const [hasFailed, setHasFailed] = useState(false);
  if (isNeeded && !isWanted) setIsWanted(true);
  const isRemote = n > MOST_MARKS && !hasFailed && canDrawRemotely();
  useEffect(() => {
    if (!isWanted) return;
    const element = canvas.current!;
    const set = (renderer: MarkRenderer) => setMade({ renderer, of: element });
    return isRemote ? drawRemotely(element, set, () => setHasFailed(true)) : drawHere(element, set);
  }, [canvas, isWanted, isRemote]);
  return { renderer: made && made.of === canvas.current ? made.renderer : null, isRemote };
}

function drawRemotely(element: HTMLCanvasElement, set: (renderer: MarkRenderer) => void, onFailure: () => void): () => void {
  const renderer = remoteMarks(element, onFailure);
  set(renderer);
  return renderer.dispose;
}

/** Creates the renderer in this page. Creates it again when the browser restores a lost WebGL context. */
function drawHere(element: HTMLCanvasElement, set: (renderer: MarkRenderer) => void): () => void {
  let isOver = false;
  const make = async () => {
    const next = (await webglMarks(element)) ?? canvasMarks(element);
    if (!isOver) set(next);
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
}

/** The numbers on the vertical axis fit beside the plot if they have up to this number of characters. Longer numbers overlap the plot. */
const MOST_BESIDE = 4;
const LETTER = 6;

interface GridProps {
  readonly layout: Layout;
  readonly view: View;
  readonly box: Box;
  readonly plain: boolean;
}

function Grid({ layout, view, box, plain }: GridProps) {
  const [left, top] = toData(view, box, MARGIN.left, 0);
  const [right, bottom] = toData(view, box, box.width, box.height - MARGIN.bottom);
  const [across, up] = layout.axes;
  // The axes of neighbourhoods measure nothing, so there are no ticks.
  if (layout.space === "neighbourhoods")
    return plain ? null : (
      <text className="axis" x={box.width - 12} y={box.height - 12} textAnchor="end">
        {cutMiddle(layout.notice ?? across.title, Math.floor(box.width / LETTER))}
      </text>
    );
  return (
    <g>
      {ticks(left, right, box.width).map((x) => {
        const [at] = toScreen(view, box, x, 0);
        return (
          <g key={x}>
            <path className="grid" d={`M${at} 0V${box.height - MARGIN.bottom}`} />
            <text className="tick" x={at} y={box.height - 10} textAnchor="middle">
              {tickWords(x)}
            </text>
          </g>
        );
      })}
      {ticks(bottom, top, box.height).map((y) => {
        const [, at] = toScreen(view, box, 0, y);
        const words = tickWords(y);
        const isLong = words.length > MOST_BESIDE;
        return (
          <g key={y}>
            <path className="grid" d={`M${MARGIN.left} ${at}H${box.width}`} />
            <text className="tick" x={isLong ? 2 : MARGIN.left - 6} y={at + 3.5} textAnchor={isLong ? "start" : "end"}>
              {words}
            </text>
          </g>
        );
      })}
      {!plain && (
        <>
          <text className="axis" x={box.width - 12} y={box.height - 30} textAnchor="end">
            {axisWords(across, true, (box.width - MARGIN.left) / LETTER)}
          </text>
          <text className="axis" transform={`translate(${MARGIN.left + 12} ${box.height - 40}) rotate(-90)`}>
            {axisWords(up, false, (box.height - MARGIN.bottom - 24) / LETTER)}
          </text>
        </>
      )}
    </g>
  );
}

const LONGEST_NAME = 20;

/** The title of an axis of at most `most` characters, such as "PC 1, 68.8% of the spread: flipper_length_mm, body_mass_g →". */
export function axisWords({ title, share }: Layout["axes"][number], full: boolean, most: number): string {
  if (share === null || title.includes("%")) return `${cutMiddle(title, Math.max(8, Math.floor(most) - 2))} →`;
  const [head = "", ...rest] = title.split(": ");
  const start = `${head}, ${formatFixed(share * 100, 1)}%${full ? " of the spread" : ""}`;
  const names = rest
    .join(": ")
    .split(", ")
    .map((name) => cutMiddle(name, LONGEST_NAME));
  while (names.length > 0 && start.length + 4 + names.join(", ").length > most) names.pop();
  return `${start}${names.length > 0 && names[0] !== "" ? `: ${names.join(", ")}` : ""} →`;
}

interface PlotPointer {
  readonly xy: Float32Array;
  readonly tool: Tool;
  readonly onPick?: (row: number, add: boolean) => void;
  readonly onMiss?: () => void;
  readonly onLasso?: (rows: readonly number[]) => void;
  readonly onLink?: (a: number, b: number) => void;
  readonly onHover?: (row: number | null) => void;
}

interface Drag {
  readonly from: Point;
  readonly view: View;
  readonly row: number;
  readonly loop: Point[];
  far: boolean;
}

const NEAR = 12;

function usePointer(
  pointer: PlotPointer,
  view: View,
  box: Box,
  onView: (view: View) => void,
  frame: RefObject<HTMLElement | null>,
) {
  const index = useMemo<PlaceIndex>(() => placeIndex(pointer.xy), [pointer.xy]);
  const drag = useRef<Drag | null>(null);
  const hovered = useRef(-1);
  const [loop, setLoop] = useState("");
  const at = (event: PointerEvent | WheelEvent): Point => {
    const corner = frame.current!.getBoundingClientRect();
    return [event.clientX - corner.left, event.clientY - corner.top];
  };
  const rowAt = ([x, y]: Point, radius = NEAR) => index.nearest(...toData(view, box, x, y), view, radius);
  useWheel(frame, (event) => {
    const [x, y] = at(event);
    onView(zoomed(view, box, 2 ** (-event.deltaY / 300), x, y));
  });

  const onPointerDown = (event: PointerEvent) => {
    if (event.button > 1 || isControl(event.target)) return;
    const from = at(event);
    drag.current = { from, view, row: rowAt(from), loop: [from], far: false };
    frame.current!.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent) => {
    const to = at(event);
    const held = drag.current;
    if (!held) {
      const row = isControl(event.target) ? -1 : rowAt(to, 8);
      if (row !== hovered.current) pointer.onHover?.(row < 0 ? null : row);
      hovered.current = row;
      return;
    }
    held.far ||= Math.hypot(to[0] - held.from[0], to[1] - held.from[1]) > 4;
    if (!held.far) return;
    if (pointer.tool === "lasso") {
      held.loop.push(to);
      setLoop(`M${held.loop.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`);
    } else if (pointer.tool === "link" && held.row >= 0) setLoop(`M${held.from.join(" ")}L${to.join(" ")}`);
    else onView(moved(held.view, to[0] - held.from[0], to[1] - held.from[1]));
  };
  const onPointerUp = (event: PointerEvent) => {
    const held = drag.current;
    drag.current = null;
    setLoop("");
    if (!held) return;
    const end = at(event);
    if (!held.far) return held.row >= 0 ? pointer.onPick?.(held.row, event.shiftKey) : pointer.onMiss?.();
    if (pointer.tool === "lasso")
      pointer.onLasso?.(
        rowsInside(
          pointer.xy,
          held.loop.map(([x, y]) => toData(view, box, x, y)),
        ),
      );
    const other = rowAt(end);
    if (pointer.tool === "link" && held.row >= 0 && other >= 0 && other !== held.row) pointer.onLink?.(held.row, other);
  };
  const onPointerLeave = () => {
    if (hovered.current >= 0) pointer.onHover?.(null);
    hovered.current = -1;
  };
  const onPointerCancel = () => {
    drag.current = null;
    setLoop("");
  };
  return { loop, events: { onPointerDown, onPointerMove, onPointerUp, onPointerLeave, onPointerCancel } };
}

/** Handles the wheel. The listener is not passive, because a passive listener cannot stop the page from scrolling. */
function useWheel(frame: RefObject<HTMLElement | null>, act: (event: WheelEvent) => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const element = frame.current!;
    const onWheel = (event: WheelEvent) => {
      if (isControl(event.target)) return;
      event.preventDefault();
      latest.current(event);
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [frame]);
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(".on-map") !== null;
}
