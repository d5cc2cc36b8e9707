/** The groups of rows that colour the marks: the clusters of a run, the values of a text column, or ranges of a numeric column. */
import { letterName, type RunReply } from "@coterie/workbench/protocol";
import { compact } from "../ui/format.js";
import type { RunResult } from "./model.js";

export interface Group {
  /** The index of the group's colour and shape, from 0. For clusters, it is also the index of the letter. */
  readonly slot: number;
  /** The letter of a cluster, such as "A"; empty for other groups. */
  readonly letter: string;
  readonly name: string;
  readonly size: number;
  /** The number of the cluster in its run; -1 if the group is not a cluster. */
  readonly cluster: number;
}

export interface Groups {
  readonly kind: "clusters" | "levels" | "steps";
  readonly groups: readonly Group[];
  /** The slot of each row's group; -1 for rows in no group. */
  readonly slots: Int32Array;
}

export function letterOf(slot: number): string {
  return slot < 0 ? "none" : letterName(slot);
}

/** Makes groups from the clusters of a run, ordered by letter. A cluster keeps its letter in later runs. */
export function clusterGroups(run: Pick<RunReply, "letters" | "names">, { labels }: Pick<RunResult, "labels">): Groups {
  const k = labels.reduce((most, label) => Math.max(most, label + 1), 0);
  const slotOf = (cluster: number) => run.letters?.[cluster] ?? cluster;
  const sizes = new Int32Array(k);
  for (const label of labels) if (label >= 0) sizes[label]!++;
  const groups = Array.from(sizes, (size, cluster) => {
    const slot = slotOf(cluster);
    return { slot, letter: letterOf(slot), name: run.names?.[cluster] ?? "", size, cluster };
  });
  return {
    kind: "clusters",
    groups: groups.sort((a, b) => a.slot - b.slot),
    slots: labels.map((label) => (label < 0 ? -1 : slotOf(label))),
  };
}

/** Makes groups from the 24 most frequent values of a text column, the most frequent first. Rows with other values are in no group. */
export function levelGroups(values: Float32Array, levels: readonly string[]): Groups {
  const sizes = new Int32Array(levels.length);
  for (const code of values) if (code >= 0) sizes[code]!++;
  const order = [...levels.keys()].sort((a, b) => sizes[b]! - sizes[a]! || a - b).slice(0, 24);
  const slotOf = new Int32Array(levels.length).fill(-1);
  for (const [slot, level] of order.entries()) slotOf[level] = slot;
  return {
    kind: "levels",
    groups: order.map((level, slot) => ({ slot, letter: "", name: levels[level]!, size: sizes[level]!, cluster: -1 })),
    slots: Int32Array.from(values, (code) => (code >= 0 ? slotOf[code]! : -1)),
  };
}

export const STEPS = 7;

/** Makes groups from a numeric column: seven ranges of equal width. Rows with a missing cell are in no group. */
export function stepGroups(values: Float32Array): Groups {
  let [min, max] = [Infinity, -Infinity];
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  const width = (max - min) / STEPS || 1;
  const sizes = new Int32Array(STEPS);
  const slots = Int32Array.from(values, (value) => {
    if (Number.isNaN(value)) return -1;
    const step = Math.min(STEPS - 1, Math.floor((value - min) / width));
    sizes[step]!++;
    return step;
  });
  const nameOf = (step: number) => `${compact(min + step * width)} to ${compact(min + (step + 1) * width)}`;
  return {
    kind: "steps",
    groups: Array.from(sizes, (size, slot) => ({ slot, letter: "", name: nameOf(slot), size, cluster: -1 })),
    slots,
  };
}

export function noGroups(n: number): Groups {
  return { kind: "levels", groups: [], slots: new Int32Array(n).fill(-1) };
}
