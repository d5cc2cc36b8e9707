/** Draws constraints as lines between rows: decides which lines to draw, which of them are broken, and which rows have constraints. */
import type { ConstraintSet, Violations } from "@coterie/core/internal";

export type LinkKind = "must-link" | "cannot-link" | "relative";

/** One constraint as a line in the figure. In a relative constraint, the rows a and b are closer to each other than to row `c`. */
export interface ConstraintLink {
  readonly kind: LinkKind;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly broken: boolean;
}

export const NO_VIOLATIONS: Violations = { mustLink: [], cannotLink: [], relative: [], labels: [], exclusive: [] };

/** Makes a link for each pair and each triple of rows. Links of broken constraints come first. The other links keep their order. */
export function constraintLinks(constraints: ConstraintSet | undefined, violations: Violations): ConstraintLink[] {
  const broken: ConstraintLink[] = [
    ...violations.mustLink.map(([a, b]) => ({ kind: "must-link", a, b, c: -1, broken: true }) as const),
    ...violations.cannotLink.map(([a, b]) => ({ kind: "cannot-link", a, b, c: -1, broken: true }) as const),
    ...violations.relative.map(([a, b, c]) => ({ kind: "relative", a, b, c, broken: true }) as const),
  ];
  if (!constraints) return broken;
  const known = new Set(broken.map(linkKey));
  const links = broken;
  const add = (kind: LinkKind, a: Int32Array, b: Int32Array, c?: Int32Array) => {
    for (let s = 0; s < a.length; s++) {
      const link = { kind, a: a[s]!, b: b[s]!, c: c?.[s] ?? -1, broken: false };
      if (!known.has(linkKey(link))) links.push(link);
    }
  };
  add("must-link", constraints.mustLinks.a, constraints.mustLinks.b);
  add("cannot-link", constraints.cannotLinks.a, constraints.cannotLinks.b);
  add("relative", constraints.relative.a, constraints.relative.b, constraints.relative.c);
  return links;
}

function linkKey({ kind, a, b, c }: ConstraintLink): string {
  return a < b ? `${kind} ${a} ${b} ${c}` : `${kind} ${b} ${a} ${c}`;
}

/** Keeps at most `most` links: broken links first, then an even sample of the links of all kinds. */
export function capLinks(links: readonly ConstraintLink[], most: number): readonly ConstraintLink[] {
  if (links.length <= most) return links;
  const broken = links.filter((link) => link.broken).slice(0, most);
  const kept = links.filter((link) => !link.broken);
  const room = most - broken.length;
  return [...broken, ...Array.from({ length: room }, (_, s) => kept[Math.floor((s * kept.length) / room)]!)];
}

export function brokenRows(violations: Violations): Set<number> {
  const rows = new Set<number>();
  for (const constraint of [...violations.mustLink, ...violations.cannotLink, ...violations.relative]) {
    for (const row of constraint) rows.add(row);
  }
  for (const [row] of violations.labels) rows.add(row);
  for (const group of violations.exclusive) for (const row of group.rows) rows.add(row);
  return rows;
}

/**
 * Chooses at most `most` rows to draw, and returns them in row order. Rows of broken constraints come first, then other rows with
 * constraints, then an even sample of the remaining rows.
 */
export function rowsToDraw(
  n: number,
  most: number,
  broken: ReadonlySet<number>,
  links: readonly ConstraintLink[],
  constraints: ConstraintSet | undefined,
): Int32Array {
  if (n <= most) return Int32Array.from({ length: n }, (_, i) => i);
  const chosen = new Uint8Array(n);
  let count = 0;
  const choose = (row: number) => {
    if (row < 0 || row >= n || count >= most || chosen[row] === 1) return;
    chosen[row] = 1;
    count++;
  };
  broken.forEach(choose);
  for (const { a, b, c } of links) for (const row of [a, b, c]) choose(row);
  constraints?.labels.row.forEach(choose);
  const stride = coprimeStride(n);
  for (let s = 0, row = 0; s < n && count < most; s++, row = (row + stride) % n) choose(row);
  const rows = new Int32Array(count);
  for (let i = 0, at = 0; i < n; i++) if (chosen[i] === 1) rows[at++] = i;
  return rows;
}

/**
 * A step that visits each of n rows once and spreads the visited rows evenly. The step is near n divided by the golden ratio, and has no
 * common divisor with n.
 */
function coprimeStride(n: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  let stride = Math.max(1, Math.floor(n * 0.6180339887498949));
  while (divisor(n, stride) !== 1) stride++;
  return stride;
}

/** The opacity factor of a line if `count` lines are drawn: 1 for up to `full` lines, 1/2 for four times as many, and at least 1/7. */
export function linkStrength(count: number, full: number): number {
  return Math.max(1 / 7, Math.min(1, Math.sqrt(full / Math.max(1, count))));
}
