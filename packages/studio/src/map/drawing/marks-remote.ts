/**
 * Draws the marks in a worker. Without a graphics card, drawing a frame takes a tenth of a second, and would block the page for this time.
 */
import type { MarkFrame, MarkRenderer } from "./marks.js";

export type MarkOrder =
  | { readonly canvas: OffscreenCanvas }
  | { readonly points: Float32Array }
  | { readonly styles: Uint8Array }
  | { readonly frame: MarkFrame };

export function canDrawRemotely(): boolean {
  return "transferControlToOffscreen" in HTMLCanvasElement.prototype;
}

export function remoteMarks(canvas: HTMLCanvasElement, onFailure: () => void): MarkRenderer {
  const worker = new Worker(new URL("./marks-worker.ts", import.meta.url), { type: "module", name: "marks" });
  const send = (order: MarkOrder, transfer: Transferable[] = []) => worker.postMessage(order, transfer);
  worker.addEventListener("error", onFailure);
  const surface = canvas.transferControlToOffscreen();
  send({ canvas: surface }, [surface]);
  return {
    points: (points) => send({ points }),
    styles: (styles) => send({ styles }),
    draw: (frame) => send({ frame }),
    dispose: () => worker.terminate(),
  };
}
