/**
 * Gives letters to the clusters of two runs. Matching clusters have the same letter. Also computes the chart of the rows that flow between
 * the two runs.
 */
import type { Comparison, RunReply } from "@coterie/workbench/protocol";

export interface TwinSlots {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/**
 * The letters of the clusters of both runs, as numbers. A cluster of the earlier run gets the letter of its matching cluster in the later
 * run. Without a match, it gets a free letter.
 */
export function twinSlots(
  { matched, flows }: Pick<Comparison, "matched" | "flows">,
  later: Pick<RunReply, "letters">,
): TwinSlots {
  const after = matched.map((_, cluster) => later.letters?.[cluster] ?? cluster);
  const taken = new Set(after);
  let free = 0;
  const before = flows.map((_, cluster) => {
    const match = matched.indexOf(cluster);
    if (match >= 0) return after[match]!;
    while (taken.has(free)) free++;
    taken.add(free);
    return free;
  });
  return { before, after };
}

type Flows = Pick<Comparison, "flows" | "matched">;

export function withNone(
  { flows, matched, moved }: Flows & Pick<Comparison, "moved">,
  slots: TwinSlots,
  rows: number,
): Flows & { readonly slots: TwinSlots } {
  const into = flows.map((_, cluster) => moved.filter(({ from, to }) => from === cluster && to < 0).length);
  const out = matched.map((_, cluster) => moved.filter(({ from, to }) => from < 0 && to === cluster).length);
  const sum = (counts: readonly number[]) => counts.reduce((total, each) => total + each, 0);
  const stay = rows - sum(flows.flat()) - sum(into) - sum(out);
  return {
    flows: [...flows.map((row, cluster) => [...row, into[cluster]!]), [...out, Math.max(0, stay)]],
    matched: [...matched, flows.length],
    slots: { before: [...slots.before, -1], after: [...slots.after, -1] },
  };
}

export interface Flow {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Where the flow leaves the left bar (y0) and arrives at the right bar (y1), counted in rows from the top of the chart. */
  readonly y0: number;
  readonly y1: number;
}

export interface FlowBar {
  readonly cluster: number;
  readonly y: number;
  readonly size: number;
}

export interface FlowChart {
  readonly left: readonly FlowBar[];
  readonly right: readonly FlowBar[];
  readonly flows: readonly Flow[];
  readonly height: number;
}

/**
 * Computes a chart of the flows of rows between two runs. Bars and flows are ordered by the letters of the clusters, so that few flows
 * cross.
 */
export function flowChart(flows: readonly (readonly number[])[], { before, after }: TwinSlots, gap: number): FlowChart {
  const sizesBefore = flows.map((row) => row.reduce((sum, count) => sum + count, 0));
  const sizesAfter = after.map((_, to) => flows.reduce((sum, row) => sum + (row[to] ?? 0), 0));
  const leftOrder = order(before, sizesBefore);
  const rightOrder = order(after, sizesAfter);
  const left = stack(leftOrder, sizesBefore, gap);
  const right = stack(rightOrder, sizesAfter, gap);
  const at0 = new Map(left.map(({ cluster, y }) => [cluster, y]));
  const at1 = new Map(right.map(({ cluster, y }) => [cluster, y]));
  const found: Flow[] = [];
  for (const from of leftOrder)
    for (const to of rightOrder) {
      const count = flows[from]?.[to] ?? 0;
      if (count === 0) continue;
      found.push({ from, to, count, y0: at0.get(from)!, y1: at1.get(to)! });
      at0.set(from, at0.get(from)! + count);
      at1.set(to, at1.get(to)! + count);
    }
  const end = (bars: readonly FlowBar[]) => bars.reduce((most, { y, size }) => Math.max(most, y + size), 0);
  return { left, right, flows: found, height: Math.max(end(left), end(right)) };
}

function order(slots: readonly number[], sizes: readonly number[]): number[] {
  return [...slots.keys()].filter((cluster) => sizes[cluster]! > 0).sort((a, b) => place(slots[a]!) - place(slots[b]!));
}

/** The sort key of a bar. Rows in no cluster have a negative slot, and their bar comes last. */
const place = (slot: number) => (slot < 0 ? Number.POSITIVE_INFINITY : slot);

function stack(clusters: readonly number[], sizes: readonly number[], gap: number): FlowBar[] {
  let y = 0;
  return clusters.map((cluster) => {
    const bar = { cluster, y, size: sizes[cluster]! };
    y += bar.size + gap;
    return bar;
  });
}

/** For the scores under this heading: true if higher is better, false if lower is better, null if neither is true. */
export function isHigherBetter(group: string): boolean | null {
  if (/knowledge/i.test(group)) return false;
  return /against|truth/i.test(group) ? true : null;
}
