/** Who draws the marks of a canvas: a worker where there are many rows, else the page itself, at the same moment as the lines over them. */
import { type RefObject, useEffect, useState } from "react";
import { type MarkRenderer, MOST_MARKS } from "./marks.js";
import { canvasMarks } from "./marks-canvas.js";
import { canDrawRemotely, remoteMarks } from "./marks-remote.js";
import { webglMarks } from "./marks-webgl.js";

export interface Drawer {
  readonly renderer: MarkRenderer | null;
  /** Whether a worker draws. A canvas has one drawer for good: with another one it has to be another canvas. */
  readonly isRemote: boolean;
}

/** The renderer of a canvas for n rows, made when it is first needed. */
export function useRenderer(canvas: RefObject<HTMLCanvasElement | null>, n: number, isNeeded: boolean): Drawer {
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

/** Made anew when the browser takes the graphics of a canvas away and gives them back. */
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
