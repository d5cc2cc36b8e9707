/**
 * A dendrogram to walk through: the picture of the last merges, and, where scripts run, the whole tree on a canvas in its place,
 * to be zoomed and moved by mouse, touch or keyboard. The data lie in the page as JSON for the script (zoom-script.ts).
 */
import { cutBetween, faintClusters, layOut, type MergeRow } from "../layout/dendrogram-layout.js";
import { AXIS_TITLE, cutText } from "../marks/dendrogram-axis.js";
import { type Html, html, trusted } from "../theme/html.js";
import { cutMiddle } from "../theme/text.js";
import { clusterToken } from "../theme/theme.js";

export interface ZoomTree {
  readonly merges: readonly MergeRow[];
  readonly labels: ArrayLike<number>;
  readonly k: number;
  readonly leafNames?: readonly (string | number)[];
  /** What the clusters are called, instead of their numbers. */
  readonly names?: readonly string[];
  readonly marks: Uint8Array;
}

/** Above this many rows the page would hold several megabytes for the tree alone. */
export const MOST_ZOOMED = 30_000;
const LONGEST_NAME = 40;

/** The static picture, with what the script needs to put a canvas in its place. */
export function zoomTree(picture: Html, { merges, labels, k, leafNames, names, marks }: ZoomTree): Html {
  const n = merges.length + 1;
  const short = (name: string | number) => cutMiddle(String(name), LONGEST_NAME);
  const cut = cutOf(merges, labels, k);
  const data = {
    title: AXIS_TITLE,
    left: merges.map(([left]) => left),
    right: merges.map(([, right]) => right),
    height: merges.map(([, , height]) => (height === null || !Number.isFinite(height) ? null : Number(height.toPrecision(6)))),
    labels: Array.from({ length: n }, (_, row) => labels[row] ?? -1),
    marks: [...marks],
    faint: [...faintClusters(layOut(merges, labels, n - 1).tips, clusterToken)],
    ...(cut ? { cut } : {}),
    ...(names ? { clusters: names.map(short) } : {}),
    ...(leafNames ? { names: leafNames.map(short) } : {}),
  };
  // A script element ends at the first "</script", wherever it stands.
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  return html`<div class="zoom-tree"><div class="zoom-static">${picture}</div><div class="zoom-live" hidden>
<p class="zoom-bar"><button type="button" data-do="in">Zoom in</button><button type="button" data-do="out">Zoom out</button><button type="button" data-do="back" aria-label="Move left">←</button><button type="button" data-do="on" aria-label="Move right">→</button><button type="button" data-do="all">Whole tree</button> <span class="zoom-where" aria-live="polite"></span></p>
<canvas tabindex="0" role="img" aria-label="The whole dendrogram. Plus and minus zoom, arrow keys move, Home shows all."></canvas>
<p class="note">Drag to move, double-click to zoom in; + and − zoom, arrow keys move, Home shows all. The wheel zooms once the picture has the focus.</p></div><script type="application/json">${trusted(json)}</script></div>`;
}

/** The height of the cut halfway between two merges on the scale of square roots, and what is said about it. */
function cutOf(merges: readonly MergeRow[], labels: ArrayLike<number>, k: number) {
  const between = cutBetween(merges, labels, k);
  if (!between) return undefined;
  const { below, above } = between;
  if (above === null) return { height: null, words: cutText(k, null) };
  const height = ((Math.sqrt(Math.max(0, below)) + Math.sqrt(Math.max(0, above))) / 2) ** 2;
  return { height: Number(height.toPrecision(6)), words: cutText(k, (below + above) / 2) };
}
