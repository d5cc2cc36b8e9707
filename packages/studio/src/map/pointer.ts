/** Hands on the map: pick, draw a loop, draw a line, move, zoom. */
import { type PointerEvent, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import type { Tool } from "../state/model.js";
import { type Box, moved, toData, type View, zoomed } from "../state/view.js";
import { type PlaceIndex, type Point, placeIndex, rowsInside } from "./places.js";

export interface PlotPointer {
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

export function usePointer(
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

/** The wheel must not scroll the page, which only a listener of one's own can prevent. */
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

/** Things that float on the map are not the map. */
function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(".on-map") !== null;
}
