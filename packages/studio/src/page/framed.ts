/** Reports the selected rows to the page that shows the studio in a frame, such as a notebook. */
import type { ProjectState } from "../state/model.js";
import type { Store } from "../state/store.js";

/** The server says which pages can show the studio in a frame, so the message can go to any of them. */
export function reportSelection(store: Store<ProjectState>): () => void {
  if (window.parent === window) return () => {};
  let last = "";
  return store.subscribe(() => {
    const { picks, lit } = store.get();
    const rows = lit ? lit.rows : picks;
    const text = rows.join();
    if (text === last) return;
    last = text;
    window.parent.postMessage({ type: "coterie-selection", rows }, "*");
  });
}
