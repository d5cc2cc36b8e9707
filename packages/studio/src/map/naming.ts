/** Finds places for the names of groups on the map: near the rows of the group, where few marks are. */
import { cutMiddle, placeLabels, textWidth } from "@coterie/figures/layout";
import type { Group, Groups } from "../state/groups.js";
import type { Layout } from "../state/model.js";
import { type Box, boundsOf, fit, toScreen, type View } from "../state/view.js";

/**
 * The place of a name on the map: a row of the group, and the distance from this row in pixels. When the map moves, the name moves with the
 * row.
 */
export interface NamePlace {
  readonly row: number;
  readonly dx: number;
  readonly dy: number;
}

const GOLDEN = 0.618_033_988_749_895;

/**
 * The i-th of n rows in scattered order, for samples of rows. A sample at equal steps can miss values that repeat regularly in the table.
 */
export function scattered(i: number, n: number): number {
  return Math.floor(((i * GOLDEN) % 1) * n);
}

/** A longer name is cut to this number of characters, so that it hides few rows behind it. */
const LONGEST_NAME = 32;

export function nameOf({ letter, name }: Pick<Group, "letter" | "name">): string {
  return cutMiddle([letter, name].filter((part) => part !== "").join(" "), LONGEST_NAME);
}

export function isEqualScale({ space }: Pick<Layout, "space">): boolean {
  return space !== "columns";
}

/** Names are placed by the positions of at most this number of rows, so that placing them is quick in any table. */
const MOST_ROWS = 2_000;
const BOX: Box = { width: 808, height: 780 };

const HEIGHT = 18;

/** A place for the name of each group, in the order of the groups; null for a group without rows. */
export function namePlaces({ groups, slots }: Groups, layout: Pick<Layout, "xy" | "space">): readonly (NamePlace | null)[] {
  const { xy } = layout;
  const n = xy.length / 2;
  const firsts = groups.map(({ slot }) => slots.indexOf(slot)).filter((row) => row >= 0);
  const some = Array.from({ length: Math.min(n, MOST_ROWS) }, (_, i) => (n <= MOST_ROWS ? i : scattered(i, n)));
  const rows = [...new Set([...firsts, ...some])];
  const view = fit(boundsOf(xy), BOX, isEqualScale(layout));
  const places = rows.map((row) => toScreen(view, BOX, xy[2 * row]!, xy[2 * row + 1]!));
  const indexOf = new Map(groups.map(({ slot }, index) => [slot, index]));
  const groupOf = rows.map((row) => indexOf.get(slots[row]!) ?? -1);
  const boxes = placeLabels(
    places.map(([x]) => x),
    places.map(([, y]) => y),
    groupOf,
    groups.map((group) => 20 + textWidth(nameOf(group), 12, 600)),
    HEIGHT,
    { left: 0, top: 0, right: BOX.width, bottom: BOX.height },
    places.map(() => 1),
  );
  return boxes.map((box, index) => {
    if (!box) return null;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    let [nearest, least] = [-1, Number.POSITIVE_INFINITY];
    places.forEach(([px, py], at) => {
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (groupOf[at] === index && distance < least) [nearest, least] = [at, distance];
    });
    const [px, py] = places[nearest]!;
    return { row: rows[nearest]!, dx: box.x + 6 - px, dy: box.y + 13 - py };
  });
}

export function startOf({ row, dx, dy }: NamePlace, xy: Float32Array, view: View, box: Box): readonly [number, number] {
  const [x, y] = toScreen(view, box, xy[2 * row]!, xy[2 * row + 1]!);
  return [x + dx, y + dy];
}
