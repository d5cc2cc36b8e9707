/** Picks a row on the map when a person chooses the row in the search, on any page. */
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

/** Calls the listener for rows that the search finds, including a row from before the map was shown. */
export function onRowPick(project: string, listener: Listener): () => void {
  listeners.add(listener);
  if (waiting?.project === project) {
    listener(waiting.row);
    waiting = null;
  }
  return () => listeners.delete(listener);
}
