/** A table that becomes a map, and the five kinds of knowledge, each with its glyph. */
import type { Constraint } from "@coterie/workbench/protocol";
import { Glyph } from "../page/marks.js";
import { shapePath } from "../ui/shapes.js";

export function TableToMap() {
  return (
    <svg width="72" height="44" viewBox="0 0 72 44" aria-hidden="true">
      <g fill="none" stroke="var(--ink-3)" strokeWidth="1.4" strokeLinecap="round" strokeLinejoin="round">
        <path d="M6 6h26v32H6zM6 14h26M6 22h26M6 30h26M15 6v32M24 6v32" />
        <path d="M40 22h8m-3-3.500l3.500 3.500-3.500 3.500" />
      </g>
      <path d="M58 11l8 7" stroke="var(--link)" strokeWidth="1.3" />
      <path d={`${shapePath(0, 58, 11, 3.5)}${shapePath(0, 66, 18, 3.5)}`} fill="var(--c1)" />
      <path d={shapePath(1, 57.5, 33.5, 3.5)} fill="var(--c2)" />
    </svg>
  );
}

const KINDS: readonly (readonly [Constraint["type"], string, string])[] = [
  ["must-link", "Must-link", "a and b belong together"],
  ["cannot-link", "Cannot-link", "a and b do not"],
  ["relative", "Odd one out", "a, b | c: c is the odd one"],
  ["label", "Label", "this row is a Gentoo"],
  ["exclusive", "At most one per source", "no group holds two from one source"],
];

export function Kinds() {
  return (
    <ul className="kinds">
      {KINDS.map(([type, title, words]) => (
        <li key={type}>
          <Glyph type={type} />
          <span>
            <b>{title}</b>
            <br />
            <span className="quiet">{words}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
