/** The diagnosis in the page's words. */
import type { RowId } from "../state/model.js";
import { inWords } from "../ui/format.js";

export interface Diagnosis {
  readonly feasible?: boolean | null;
  readonly components?: readonly { readonly members: readonly RowId[] }[];
  readonly graph?: { readonly vertices: number; readonly edges: number; readonly maxDegree: number } | null;
  readonly proof?: {
    readonly colouring?: Readonly<Record<string, number>>;
    readonly core?: readonly (readonly RowId[])[];
  } | null;
  readonly feasibleClusterings?: { readonly atMostK: { readonly log10: number | null } } | null;
  readonly points?: readonly { readonly id: RowId; readonly degree: number }[];
}

/** Rows that are hardest to place; rows of one group are one line. */
export function hardestOf(
  { points = [], components = [] }: Diagnosis,
  most: number,
): readonly { readonly ids: readonly RowId[]; readonly degree: number }[] {
  const groupOf = new Map(components.flatMap(({ members }) => members.map((id) => [String(id), members] as const)));
  const seen = new Set<readonly RowId[]>();
  const rows: { ids: readonly RowId[]; degree: number }[] = [];
  for (const { id, degree } of points) {
    if (rows.length === most || degree === 0) break;
    const group = groupOf.get(String(id)) ?? [id];
    if (seen.has(group)) continue;
    seen.add(group);
    rows.push({ ids: group, degree });
  }
  return rows;
}

export interface RulerCell {
  readonly k: number;
  readonly state: "no" | "now" | "yes";
}

/** Four numbers of clusters around the one in use, those ruled out among them. */
export function rulerOf(k: number, least: number | null): readonly RulerCell[] {
  const first = Math.max(1, Math.min(k - 1, least === null ? k - 1 : Math.max(least - 1, k - 2)));
  return Array.from({ length: 4 }, (_, i) => {
    const at = first + i;
    return { k: at, state: at === k ? "now" : least !== null && at < least ? "no" : "yes" };
  });
}

export function leastWords(least: number): string {
  return `${least - 1} is ruled out: some ${inWords(least)} groups must all be apart.`;
}

/** How many answers of a contradiction cannot all hold: the must-links of the chain and the cannot-link that closes it. */
export function chainWords(length: number): string {
  return `These ${inWords(length)} answers cannot all hold`;
}

/** A long chain is folded in its middle. */
export function foldChain(path: readonly RowId[], most: number): readonly (RowId | { readonly folded: number })[] {
  if (path.length <= most) return path;
  const head = Math.ceil((most - 1) / 2);
  const tail = most - 1 - head;
  return [...path.slice(0, head), { folded: path.length - head - tail }, ...path.slice(path.length - tail)];
}
