/** The mark of a cluster (its colour and shape), and the sign of each kind of answer, such as = for "same". */
import { colourOf, formatCount, shapePath } from "@coterie/figures/layout";
import type { Constraint } from "@coterie/workbench/protocol";
import { type Group, letterOf } from "../state/groups.js";

export function Mark({ slot, ramp }: { readonly slot: number; readonly ramp?: number | undefined }) {
  const fill = ramp === undefined ? `var(--c${colourOf(slot)})` : rampColour(ramp);
  return (
    <svg width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true">
      <path d={shapePath(ramp === undefined ? slot : 0, 0, 0, 4.4)} fill={fill} />
    </svg>
  );
}

function rampColour(share: number): string {
  return `color-mix(in oklab, var(--c1) ${Math.round(18 + 82 * share)}%, var(--canvas))`;
}

export function LetterKey({ slot }: { readonly slot: number }) {
  return (
    <span className="mark-key">
      <Mark slot={slot} />
      <b>{letterOf(slot)}</b>
    </span>
  );
}

export function GroupKey({ group, size = true }: { readonly group: Group; readonly size?: boolean }) {
  return (
    <span className="mark-key">
      <Mark slot={group.slot} />
      {group.letter !== "" && <b>{group.letter}</b>}
      {group.name !== "" && <span>{group.name}</span>}
      {size && <span className="meta">{formatCount(group.size)}</span>}
    </span>
  );
}

export function Glyph({ type }: { readonly type: Constraint["type"] }) {
  return (
    <svg className="glyph" viewBox="0 0 20 10" aria-hidden="true">
      {GLYPHS[type]}
    </svg>
  );
}

const dot = (cx: number, cy: number, r: number) => <circle cx={cx} cy={cy} r={r} fill="currentColor" stroke="none" />;

const GLYPHS: Readonly<Record<Constraint["type"], React.ReactNode>> = {
  "must-link": (
    <>
      {dot(3, 5, 2)}
      <path d="M5 5h10" />
      {dot(17, 5, 2)}
    </>
  ),
  "cannot-link": (
    <>
      {dot(3, 5, 2)}
      <path d="M5.500 5h9" strokeDasharray="2.500 2" />
      {dot(17, 5, 2)}
    </>
  ),
  relative: (
    <>
      <path d="M3 7.500h5" />
      {dot(3, 7.5, 1.8)}
      {dot(8, 7.5, 1.8)}
      <circle cx="17" cy="2.500" r="1.800" />
    </>
  ),
  label: <path d="M4 1h9l4 4-4 4H4z" />,
  unsure: (
    <>
      <circle cx="3" cy="5" r="2" />
      <circle cx="17" cy="5" r="2" />
    </>
  ),
  exclusive: (
    <>
      <rect x="1" y="0.5" width="8" height="9" rx="1" />
      <rect x="11" y="0.5" width="8" height="9" rx="1" />
      {dot(5, 5, 1.6)}
      {dot(15, 5, 1.6)}
    </>
  ),
  sizes: <path d="M3 1v8M17 1v8M3 5h14" />,
};
