/** Passes a row that the user found in the search, on any page, to the map. The map then picks the row. */
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

export function onRowPick(project: string, listener: Listener): () => void {
  listeners.add(listener);
  if (waiting?.project === project) {
    listener(waiting.row);
    waiting = null;
  }
  return () => listeners.delete(listener);
}
