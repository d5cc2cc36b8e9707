/**
 * Marks that a worker draws. Without hardware for graphics a frame of many thousand marks takes a tenth of a second, and a page that waits for
 * it can neither be moved nor typed into meanwhile.
 */
import type { MarkFrame, MarkRenderer } from "./marks.js";

/** What a page tells the worker; the canvas comes first. */
export type MarkOrder =
  | { readonly canvas: OffscreenCanvas }
  | { readonly points: Float32Array }
  | { readonly styles: Uint8Array }
  | { readonly frame: MarkFrame };

export function canDrawRemotely(): boolean {
  return "transferControlToOffscreen" in HTMLCanvasElement.prototype;
}

/** Hands the canvas over for good: nobody else can draw on it afterwards. */
export function remoteMarks(canvas: HTMLCanvasElement, onFailure: () => void): MarkRenderer {
  const worker = new Worker(new URL("./marks-worker.ts", import.meta.url), { type: "module", name: "marks" });
  const tell = (order: MarkOrder, transfer: Transferable[] = []) => worker.postMessage(order, transfer);
  worker.addEventListener("error", onFailure);
  const surface = canvas.transferControlToOffscreen();
  tell({ canvas: surface }, [surface]);
  return {
    points: (points) => tell({ points }),
    styles: (styles) => tell({ styles }),
    draw: (frame) => tell({ frame }),
    dispose: () => worker.terminate(),
  };
}
