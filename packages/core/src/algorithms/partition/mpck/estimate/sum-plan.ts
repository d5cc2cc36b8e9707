/** What the sums of the M-step need not visit row by row. */

import { rowsOfCrowds, sizeOf } from "../components/large-components.js";
import { splitCrowds } from "../components/lone.js";
import { wholeClusters } from "../components/moments.js";
import type { Run } from "../run.js";
import type { Share, Whole } from "./cluster-sums.js";

/** The cluster of each large component that is in one as a whole, among those that are no crowds; -1 for the others. */
export function wholesOf({ bulk, links, labels }: Run): Int32Array | null {
  return bulk?.at.some((place) => place >= 0) ? wholeClusters(bulk, links, labels) : null;
}

/** Null: every row is to be visited. */
export function shareOf(run: Run, whole: Int32Array | null): Share | null {
  const { free, crowds, joint } = run;
  const machine = free.unmapped ? free.machine : null;
  if (!machine && !crowds && !whole) return null;
  const rows = [
    ...(machine ? [] : [free.rows]),
    whole ? run.rest.filter((row) => whole[run.links.component[row]!]! < 0) : run.rest,
    ...(crowds ? [rowsOfCrowds(crowds, splitCrowds(run.placement)).items] : []),
    ...(joint ? [rowsOfCrowds(joint.crowds, splitCrowds(run.jointPlacement)).items] : []),
  ];
  return { machine, wholes: [...(whole ? wholeComponents(run, whole) : []), ...wholeCrowds(run)], rest: joined(rows) };
}

function wholeComponents({ bulk, links: { members }, points: { d } }: Run, cluster: Int32Array): Whole[] {
  const { at, mean, scatter, full } = bulk!;
  const width = full ? d * d : d;
  const wholes: Whole[] = [];
  cluster.forEach((h, c) => {
    if (h < 0) return;
    const p = at[c]!;
    const size = members.start[c + 1]! - members.start[c]!;
    wholes.push({
      cluster: h,
      size,
      mean: mean.subarray(p * d, (p + 1) * d),
      scatter: scatter.subarray(p * width, (p + 1) * width),
    });
  });
  return wholes;
}

function wholeCrowds({ crowds, placement, points: { d } }: Run): Whole[] {
  if (!crowds) return [];
  const width = crowds.full ? d * d : d;
  const wholes: Whole[] = [];
  placement.cluster.forEach((h, c) => {
    if (h < 0) return;
    const mean = crowds.mean.subarray(c * d, (c + 1) * d);
    wholes.push({ cluster: h, size: sizeOf(crowds, c), mean, scatter: crowds.scatter.subarray(c * width, (c + 1) * width) });
  });
  return wholes;
}

function joined(parts: readonly Int32Array[]): Int32Array {
  const filled = parts.filter((part) => part.length > 0);
  if (filled.length === 1) return filled[0]!;
  const all = new Int32Array(filled.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of filled) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
