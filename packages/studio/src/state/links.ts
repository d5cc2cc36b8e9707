/** Constraints as lines between rows on the map, and these lines as SVG paths. */
import type { Standing } from "@coterie/workbench/protocol";
import { keyOf } from "./knowledge.js";
import type { Lit, RowIndex } from "./model.js";
import { type Box, toScreen, type View } from "./view.js";

export type LinkKind = "must" | "cannot" | "relative";

export interface MapLink {
  readonly a: number;
  readonly b: number;
  readonly kind: LinkKind;
  readonly broken: boolean;
  readonly entry: string;
  readonly sentence: string;
}

/**
 * The links (lines between two rows) of the constraints in force. A relative constraint has two links, from its odd row to the other two
 * rows.
 */
export function linksOf(
  constraints: readonly Standing[],
  rowOf: RowIndex,
  broken: ReadonlySet<string>,
  sentence: (standing: Standing) => string,
): readonly MapLink[] {
  const links: MapLink[] = [];
  for (const standing of constraints) {
    const { constraint, entry, counts } = standing;
    if (!counts) continue;
    const add = (kind: LinkKind, first: string | number, second: string | number) => {
      const [a, b] = [rowOf.get(String(first)), rowOf.get(String(second))];
      if (a !== undefined && b !== undefined)
        links.push({ a, b, kind, broken: broken.has(keyOf(constraint)), entry, sentence: sentence(standing) });
    };
    if (constraint.type === "must-link") add("must", constraint.a, constraint.b);
    else if (constraint.type === "cannot-link") add("cannot", constraint.a, constraint.b);
    else if (constraint.type === "relative") {
      add("relative", constraint.a, constraint.c);
      add("relative", constraint.b, constraint.c);
    }
  }
  return links;
}

export function knownRows(constraints: readonly Standing[], rowOf: RowIndex): ReadonlySet<number> {
  const rows = new Set<number>();
  const add = (id: string | number) => {
    const row = rowOf.get(String(id));
    if (row !== undefined) rows.add(row);
  };
  for (const { constraint, counts } of constraints) {
    if (!counts || constraint.type === "unsure") continue;
    if ("a" in constraint) add(constraint.a);
    if ("b" in constraint) add(constraint.b);
    if ("c" in constraint) add(constraint.c);
  }
  return rows;
}

interface Ends {
  readonly a: number;
  readonly b: number;
}

/** Draws all links as one SVG path, so that a thousand links need only one element. */
export function pathOf(links: readonly Ends[], xy: Float32Array, view: View, box: Box): string {
  const parts: string[] = [];
  for (const { a, b } of links) {
    const [x1, y1] = toScreen(view, box, xy[2 * a]!, xy[2 * a + 1]!);
    const [x2, y2] = toScreen(view, box, xy[2 * b]!, xy[2 * b + 1]!);
    if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > box.width || Math.max(y1, y2) < 0 || Math.min(y1, y2) > box.height) continue;
    parts.push(`M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}`);
  }
  return parts.join("");
}

export interface LinkLayers {
  readonly must: readonly MapLink[];
  readonly cannot: readonly MapLink[];
  readonly relative: readonly MapLink[];
  readonly broken: readonly MapLink[];
  readonly near: readonly MapLink[];
}

/** Up to this number of unbroken links, SVG draws these links. With more, a separate canvas draws them. */
const MOST_LINES = 600;

/** The links that the canvas draws. If there are more than MOST_LINES unbroken links, these are all unbroken links; otherwise none. */
export function manyAtRest(links: readonly MapLink[]): readonly MapLink[] {
  const resting = links.filter(({ broken }) => !broken);
  return resting.length > MOST_LINES ? resting : [];
}

export function layersOf(links: readonly MapLink[], near: ReadonlySet<number>): LinkLayers {
  const isNear = ({ a, b }: MapLink) => near.has(a) || near.has(b);
  const isMany = manyAtRest(links).length > 0;
  const at = (kind: LinkKind) => (isMany ? [] : restOf(kind));
  const restOf = (kind: LinkKind) => links.filter((link) => link.kind === kind && !link.broken && !isNear(link));
  return {
    must: at("must"),
    cannot: at("cannot"),
    relative: at("relative"),
    broken: links.filter(({ broken }) => broken),
    near: links.filter((link) => !link.broken && isNear(link)),
  };
}

export const NOTHING_LIT: Lit = { title: "", rows: [], links: [] };
