/** Arranges a dendrogram in its figure. The names of the leaves are below the tree, or beside it if each name needs its own line. */
import { type DendrogramLayout, levelOf, type MergeRow } from "../layout/dendrogram.js";
import { formatCount, textWidth } from "../layout/text.js";
import type { FigureSize } from "../theme/frame.js";
import { clusterName, type Paint } from "../theme/theme.js";

export interface DendrogramOptions extends FigureSize {
  readonly merges: readonly MergeRow[];
  readonly labels: ArrayLike<number>;
  readonly k: number;
  /** Names of the rows, shown at the leaves; by default the row numbers. */
  readonly leafNames?: readonly (string | number)[];
  /** Names of the clusters; by default their numbers. */
  readonly names?: readonly string[];
  /** Above this number of rows, only the last merges are drawn; default 200. */
  readonly mostLeaves?: number;
  /**
   * Number of merges to draw if there are more rows than `mostLeaves`. Default: the number of clusters plus 20, at least 60 and at most
   * 200.
   */
  readonly lastMerges?: number;
  /** For each row, the kinds of constraints that name it, as bits; see `markedRows`. */
  readonly marks?: Uint8Array;
}

export const NAME_SLOT = 10;
const BAND = 44;

/**
 * Where to draw the parts of a dendrogram. `point` converts a position along the leaves and a distance from the leaves to figure
 * coordinates. So the same code draws the tree upright and sideways.
 */
export interface Canvas {
  readonly sideways: boolean;
  readonly slot: number;
  readonly paint: Paint;
  readonly layout: DendrogramLayout;
  readonly names: (node: number) => string;
  /** Clusters that are drawn fainter, because the cluster next to them has the same colour. */
  readonly faint: ReadonlySet<number>;
  point(along: number, up: number): string;
  /** The distance of a node from the leaves, in pixels. */
  up(node: number): number;
  level(height: number): number;
  readonly reach: number;
  readonly length: number;
}

export interface Place {
  readonly width: number;
  readonly height: number;
  /**
   * left, bottom: where the first leaf is drawn. length: the size of the tree along the leaves. reach: its size away from the leaves. All
   * in pixels.
   */
  readonly left: number;
  readonly bottom: number;
  readonly length: number;
  readonly reach: number;
  readonly nameRoom: number;
  readonly rotated: boolean;
  readonly markRoom: number;
}

/** What the figure must leave space for, besides the tree. */
export interface Needs {
  /** Height of the legend and captions under the tree, in pixels. */
  readonly foot: number;
  readonly markRoom: number;
  readonly names: (node: number) => string;
}

const LONGEST_NAME = 120;

export function longestName(layout: DendrogramLayout, names: Needs["names"]): number {
  return Math.min(LONGEST_NAME, Math.max(...layout.tips.map((tip) => textWidth(tipText(layout, tip, names), 10))));
}

export function tipText(layout: DendrogramLayout, tip: { node: number; size: number }, names: Needs["names"]): string {
  return tip.node < layout.n ? names(tip.node) : `×${formatCount(tip.size)}`;
}

export function placeAbove(options: DendrogramOptions, layout: DendrogramLayout, { foot, markRoom, names }: Needs): Place {
  const { width = 900, height = 480 } = options;
  const left = 62;
  const length = width - left - 24;
  const room = longestName(layout, names);
  const rotated = room + 6 > length / layout.tips.length;
  const nameRoom = (rotated ? room + 8 : 18) + markRoom;
  const bottom = height - nameRoom - 34 - foot;
  return { width, height, left, bottom, length, reach: bottom - 36, nameRoom, rotated, markRoom };
}

export function placeBeside(options: DendrogramOptions, layout: DendrogramLayout, { foot, markRoom, names }: Needs): Place {
  const { width = 900 } = options;
  const length = layout.tips.length * NAME_SLOT;
  const nameRoom = longestName(layout, names) + 10 + markRoom;
  const left = 32 + besideRoom(options) + nameRoom;
  return {
    width,
    height: length + 52 + foot + 8,
    left,
    bottom: 44,
    length,
    reach: width - left - 28,
    nameRoom,
    rotated: false,
    markRoom,
  };
}

export function besideRoom({ k, names }: Pick<DendrogramOptions, "k" | "names">): number {
  let widest = textWidth("99,999 rows", 11);
  for (let cluster = 0; cluster < k; cluster++) widest = Math.max(widest, textWidth(clusterName(cluster, names), 11, 600));
  return Math.min(110, widest);
}

export function makeCanvas(
  layout: DendrogramLayout,
  place: Place,
  look: Pick<Canvas, "sideways" | "paint" | "names" | "faint">,
): Canvas {
  const slot = place.length / layout.tips.length;
  const band = layout.forbidden.length === 0 ? 0 : BAND;
  const reach = place.reach - band;
  const rank = new Map(layout.forbidden.map((node, at) => [node, at + 1]));
  const level = levelOf(layout.highest, reach);
  return {
    ...look,
    slot,
    layout,
    level,
    reach,
    length: place.length,
    point: (along, up) =>
      look.sideways ? `${place.left + up} ${place.bottom + along * slot}` : `${place.left + along * slot} ${place.bottom - up}`,
    up: (node) => {
      const height = layout.heightOf(node);
      return height === null ? reach + 12 + ((band - 12) * rank.get(node)!) / layout.forbidden.length : level(height);
    },
  };
}
