/** Draws contradictions as chains: the must-links of a chain as a line, and the cannot-link between the ends of this line as an arc. */
import type { Diagnosis, InstanceId } from "@coterie/core/internal";
import { counted, fitText } from "../layout/text.js";
import { captions, type FigureSize, frame, label } from "../theme/frame.js";
import { DASHES } from "../theme/legend.js";
import { type SvgElement, svg } from "../theme/svg-document.js";
import { type Paint, painter } from "../theme/theme.js";

export interface ChainsOptions extends FigureSize {
  readonly contradictions: Diagnosis["contradictions"];
}

const MOST = 8;
const MOST_STEPS = 9;
const ROW = 92;

export function contradictionChains({ contradictions, width = 960, theme = "light" }: ChainsOptions): string | null {
  const chains = contradictions.filter(({ path }) => path.length > 1).slice(0, MOST);
  if (chains.length === 0) return null;
  const paint = painter(theme);
  const hidden = contradictions.length - chains.length;
  const notes = hidden > 0 ? [`${chains.length} of ${counted(contradictions.length, "contradiction")}; the JSON lists all.`] : [];
  return frame(
    {
      pad: 12,
      width,
      height: ROW * chains.length + 18 * notes.length,
      theme,
      title: "Contradictions",
      description: chains
        .map(({ cannotLink: [a, b], path }) => `${a} and ${b} are kept apart, yet joined by ${path.join(", ")}`)
        .join("; "),
    },
    [
      ...chains.flatMap(({ path }, at) => chain(shortened(path), 60, at * ROW + 62, width - 120, paint)),
      ...captions(notes, 0, ROW * chains.length + 10, paint),
    ],
  );
}

/** Shortens a long chain for the drawing. The middle of the chain is replaced by null. */
function shortened(path: readonly InstanceId[]): readonly (InstanceId | null)[] {
  if (path.length <= MOST_STEPS) return path;
  return [...path.slice(0, 5), null, ...path.slice(-3)];
}

function chain(path: readonly (InstanceId | null)[], left: number, y: number, room: number, paint: Paint): SvgElement[] {
  const step = Math.min(110, room / Math.max(1, path.length - 1));
  const at = (i: number): number => left + i * step;
  const end = at(path.length - 1);
  const height = Math.min(44, 16 + (end - left) / 8);
  return [
    svg("line", { x1: left, x2: end, y1: y, y2: y, stroke: paint("ink-2"), "stroke-width": 1.6 }),
    svg("path", {
      d: `M${left} ${y - 6}C${left + step * 0.4} ${y - 6 - height} ${end - step * 0.4} ${y - 6 - height} ${end} ${y - 6}`,
      fill: "none",
      stroke: paint("bad"),
      "stroke-width": 1.8,
      "stroke-dasharray": DASHES["cannot-link"],
    }),
    ...path.flatMap((id, i) => [
      svg("circle", {
        cx: at(i),
        cy: y,
        r: id === null ? 8 : 4.5,
        fill: paint(id === null ? "canvas" : "ink"),
        stroke: paint("canvas"),
      }),
      label(at(i), id === null ? y + 4 : y + 20, id === null ? "…" : fitText(String(id), 11, step - 6), { anchor: "middle" }),
    ]),
  ];
}
