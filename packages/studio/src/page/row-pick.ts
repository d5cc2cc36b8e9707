/** A row that was found is picked on the map, whichever page one is on. */
import { go, viewAddress } from "./router.js";

type Listener = (row: number) => void;

let waiting: { readonly project: string; readonly row: number } | null = null;
const listeners = new Set<Listener>();

export function pickFoundRow(project: string, row: number): void {
  if (listeners.size > 0) {
    for (const listener of listeners) listener(row);
    return;
  }
  waiting = { project, row };
  go(viewAddress(project, "map"));
}

/** The map hears of rows that were found, those from before it was there too. */
export function onRowPick(project: string, listener: Listener): () => void {
  listeners.add(listener);
  if (waiting?.project === project) {
    listener(waiting.row);
    waiting = null;
  }
  return () => listeners.delete(listener);
}
