/** What the sums of the M-step need not visit row by row. */

import { splitCrowds } from "./assign-crowds.js";
import { wholeClusters } from "./bulk.js";
import { rowsOfCrowds, sizeOf } from "./crowds.js";
import type { Share, Whole } from "./moments.js";
import type { Run } from "./run.js";

/** Null: every row is to be visited. */
export function shareOf(run: Run): Share | null {
  const { free, crowds, bulk } = run;
  const machine = free.unmapped ? free.machine : null;
  if (!machine && !crowds) return null;
  const whole = bulk?.at.some((place) => place >= 0) ? wholeClusters(bulk, run.links, run.labels) : null;
  const rows = [
    ...(machine ? [] : [free.rows]),
    whole ? run.rest.filter((row) => whole[run.links.component[row]!]! < 0) : run.rest,
    ...(crowds ? [rowsOfCrowds(crowds, splitCrowds(run.placement)).items] : []),
  ];
  return { machine, wholes: [...(whole ? wholeComponents(run, whole) : []), ...wholeCrowds(run)], rest: joined(rows) };
}

function wholeComponents({ bulk, links: { members }, points: { d } }: Run, cluster: Int32Array): Whole[] {
  const wholes: Whole[] = [];
  cluster.forEach((h, c) => {
    if (h < 0) return;
    const p = bulk!.at[c]! * d;
    const size = members.start[c + 1]! - members.start[c]!;
    wholes.push({ cluster: h, size, mean: bulk!.mean.subarray(p, p + d), scatter: bulk!.scatter.subarray(p, p + d) });
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
