/** Draws over the marks, from back to front: links, rings around rows, names of clusters. */
import { colourOf, linkStrength, shapePath } from "@coterie/figures/layout";
import type { Groups } from "../state/groups.js";
import { type LinkLayers, type MapLink, pathOf } from "../state/links.js";
import type { Layout } from "../state/model.js";
import { type Box, MARGIN, toScreen, type View } from "../state/view.js";
import { type NamePlace, nameOf, startOf } from "./naming.js";

interface Window {
  readonly layout: Layout;
  readonly view: View;
  readonly box: Box;
}

/** Up to this number of links, all links are drawn at full strength. With more links, only picked and broken links keep full strength. */
const CALM = 300;

export function restOf({ relative, cannot, must }: Pick<LinkLayers, "relative" | "cannot" | "must">): number {
  return linkStrength(relative.length + cannot.length + must.length, CALM);
}

export function Links({ layers, layout, view, box }: Window & { readonly layers: LinkLayers }) {
  const path = (links: readonly MapLink[]) => pathOf(links, layout.xy, view, box);
  const nearOf = (kind: MapLink["kind"]) => path(layers.near.filter((link) => link.kind === kind));
  const brokenOf = (dashed: boolean) => path(layers.broken.filter(({ kind }) => (kind === "cannot") === dashed));
  return (
    <g>
      <g opacity={restOf(layers)}>
        <path className="link relative" d={path(layers.relative)} />
        <path className="link cannot" d={path(layers.cannot)} />
        <path className="link must" d={path(layers.must)} />
      </g>
      <path className="link relative near" d={nearOf("relative")} />
      <path className="link cannot near" d={nearOf("cannot")} />
      <path className="link must near" d={nearOf("must")} />
      <path className="link broken" d={brokenOf(false)} />
      <path className="link broken dashed" d={brokenOf(true)} />
    </g>
  );
}

/** Draws the selected broken answer: a halo around its line, rings around its rows, and a label that describes it. */
export function BrokenLink({ link, layout, view, box }: Window & { readonly link: MapLink }) {
  const [x1, y1] = toScreen(view, box, layout.xy[2 * link.a]!, layout.xy[2 * link.a + 1]!);
  const [x2, y2] = toScreen(view, box, layout.xy[2 * link.b]!, layout.xy[2 * link.b + 1]!);
  const line = `M${x1} ${y1}L${x2} ${y2}`;
  const text = `${link.sentence} broken`;
  const width = 14 + text.length * 6.2;
  const left = Math.max(8, Math.min((x1 + x2) / 2 - width - 24, box.width - width - 8));
  const top = Math.max(8, Math.min((y1 + y2) / 2 - 10, box.height - 28));
  return (
    <g>
      <path className="halo" d={line} />
      <path className={`link broken full ${link.kind === "cannot" ? "dashed" : ""}`} d={line} />
      <circle className="ring-bad" cx={x1} cy={y1} r="8.5" />
      <circle className="ring-bad" cx={x2} cy={y2} r="8.5" />
      <path className="leader-bad" d={`M${left + width} ${top + 10}L${(x1 + x2) / 2} ${(y1 + y2) / 2}`} />
      <rect className="chip" x={left} y={top} width={width} height="20" rx="3" />
      <text className="chip-text" x={left + 8} y={top + 14}>
        {text}
      </text>
    </g>
  );
}

interface RingProps extends Window {
  readonly row: number;
  readonly slot: number;
  readonly text?: string;
  readonly kind?: "pick" | "lit" | "cursor";
  readonly side?: "start" | "end" | "middle";
}

export function Ring({ row, slot, text, kind = "pick", side = "middle", layout, view, box }: RingProps) {
  const [x, y] = toScreen(view, box, layout.xy[2 * row]!, layout.xy[2 * row + 1]!);
  const [dx, dy] = side === "middle" ? [0, -15] : side === "start" ? [16, 4] : [-16, 4];
  const words = text !== undefined && (
    <text className="row-name" x={x + dx} y={y + dy} textAnchor={side}>
      {text}
    </text>
  );
  if (kind !== "pick")
    return (
      <g>
        <circle className={kind === "lit" ? "ring-bad" : "ring-cursor"} cx={x} cy={y} r={kind === "lit" ? 8.5 : 9} />
        {words}
      </g>
    );
  return (
    <g>
      <circle className="ring-gap" cx={x} cy={y} r="8.5" />
      <path d={shapePath(slot, x, y, 5)} fill={`var(--c${colourOf(slot)})`} />
      <circle className="ring-pick" cx={x} cy={y} r="10" />
      {words}
    </g>
  );
}

interface NamesProps extends Window {
  readonly groups: Groups;
  readonly places: readonly (NamePlace | null)[];
}

export function Names({ groups, places, layout, view, box }: NamesProps) {
  if (groups.kind === "steps") return null;
  return groups.groups.map((group, i) => {
    const place = places[i];
    if (!place || place.row >= layout.n) return null;
    const [x, y] = startOf(place, layout.xy, view, box);
    if (x < 0 || y < 0 || x > box.width || y > box.height) return null;
    const name = nameOf(group);
    const left = Math.max(MARGIN.left + 24, Math.min(x, box.width - 24 - name.length * 6.6));
    const top = Math.max(16, Math.min(y, box.height - MARGIN.bottom - 24));
    return (
      <g key={group.slot} transform={`translate(${left} ${top})`}>
        <path d={shapePath(group.slot, 0, -4, 4.6)} fill={`var(--c${colourOf(group.slot)})`} />
        <text className="group-name" x="11" y="0">
          {name}
        </text>
      </g>
    );
  });
}
