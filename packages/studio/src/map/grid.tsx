/** Lines of the axes, their numbers and their names. */
import type { Layout } from "../state/model.js";
import { type Box, MARGIN, ticks, toData, toScreen, type View } from "../state/view.js";
import { cutMiddle, fixed, tickWords } from "../ui/format.js";

interface GridProps {
  readonly layout: Layout;
  readonly view: View;
  readonly box: Box;
  readonly plain: boolean;
}

export function Grid({ layout, view, box, plain }: GridProps) {
  const [left, top] = toData(view, box, MARGIN.left, 0);
  const [right, bottom] = toData(view, box, box.width, box.height - MARGIN.bottom);
  const [across, up] = layout.axes;
  return (
    <g>
      {ticks(left, right, box.width).map((x) => {
        const [at] = toScreen(view, box, x, 0);
        return (
          <g key={x}>
            <path className="grid" d={`M${at} 0V${box.height - MARGIN.bottom}`} />
            <text className="tick" x={at} y={box.height - 10} textAnchor="middle">
              {tickWords(x)}
            </text>
          </g>
        );
      })}
      {ticks(bottom, top, box.height).map((y) => {
        const [, at] = toScreen(view, box, 0, y);
        const words = tickWords(y);
        const isLong = words.length > MOST_BESIDE;
        return (
          <g key={y}>
            <path className="grid" d={`M${MARGIN.left} ${at}H${box.width}`} />
            <text className="tick" x={isLong ? 2 : MARGIN.left - 6} y={at + 3.5} textAnchor={isLong ? "start" : "end"}>
              {words}
            </text>
          </g>
        );
      })}
      {!plain && (
        <>
          <text className="axis" x={box.width - 12} y={box.height - 30} textAnchor="end">
            {axisWords(across, true, (box.width - MARGIN.left) / LETTER)}
          </text>
          <text className="axis" transform={`translate(${MARGIN.left + 12} ${box.height - 40}) rotate(-90)`}>
            {axisWords(up, false, (box.height - MARGIN.bottom - 24) / LETTER)}
          </text>
        </>
      )}
    </g>
  );
}

/** Letters of a number that have room beside the plot; longer ones reach into it. */
const MOST_BESIDE = 4;

/** Pixels of a letter, and letters of a name. */
const LETTER = 6;
const LONGEST_NAME = 20;

/** "PC 1, 68.8% of the spread: flipper_length_mm, body_mass_g →" */
export function axisWords({ title, share }: Layout["axes"][number], full: boolean, most: number): string {
  if (share === null || title.includes("%")) return `${cutMiddle(title, Math.max(8, Math.floor(most) - 2))} →`;
  const [head = "", ...rest] = title.split(": ");
  const start = `${head}, ${fixed(share * 100, 1)}%${full ? " of the spread" : ""}`;
  const names = rest
    .join(": ")
    .split(", ")
    .map((name) => cutMiddle(name, LONGEST_NAME));
  while (names.length > 0 && start.length + 4 + names.join(", ").length > most) names.pop();
  return `${start}${names.length > 0 && names[0] !== "" ? `: ${names.join(", ")}` : ""} →`;
}
