/** Where two values lie in a column: all rows as bars, the two as marks, the gap as a line. */
import { type Gap, numberOf } from "../map/gaps.js";
import { colourOf, shapePath } from "../ui/shapes.js";

/** Whether the values of a column lie on a line. */
export function hasStrip({ column: { min, max } }: Gap): boolean {
  return min !== undefined && max !== undefined;
}

const WIDTH = 184;
const BASE = 26.5;

export function Strip({ gap: { column, cells }, slots }: { readonly gap: Gap; readonly slots: readonly number[] }) {
  const { min, max, counts } = column;
  if (min === undefined || max === undefined) return null;
  const most = Math.max(1, ...counts);
  const step = WIDTH / Math.max(1, counts.length);
  const bars = counts.map(
    (count, i) => `M${(i * step).toFixed(1)} 26v${((-20 * count) / most).toFixed(1)}h${(step * 0.92).toFixed(1)}V26z`,
  );
  const at = cells.map((cell) => {
    const value = numberOf(column, cell);
    return value === null ? null : ((value - min) / (max - min || 1)) * WIDTH;
  });
  const [first, second] = at;
  return (
    <svg className="strip" width={WIDTH} height="34" viewBox={`0 0 ${WIDTH} 34`} aria-hidden="true">
      <path d={bars.join("")} fill="var(--line)" />
      <path d={`M0 ${BASE}H${WIDTH}`} stroke="var(--line-2)" />
      {first !== null && first !== undefined && second !== null && second !== undefined && (
        <path d={`M${first} ${BASE}H${second}`} stroke="var(--ink)" strokeWidth="2" />
      )}
      {at.map((x, i) =>
        x === null ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a question keep their order
          <path key={i} d={shapePath(slots[i]!, x, BASE, 4.8)} fill={`var(--c${colourOf(slots[i]!)})`} stroke="var(--panel)" />
        ),
      )}
    </svg>
  );
}
