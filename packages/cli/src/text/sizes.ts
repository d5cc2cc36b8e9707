/**
 * Cluster sizes as text: a bar for each cluster, or a histogram if there are many clusters. Also the numbers of constraints of each kind.
 */
import type { ConstraintSet } from "@coterie/core/internal";
import { counted } from "@coterie/figures/layout";

export function constraintKinds({ mustLinks, cannotLinks, relative, labels, exclusive }: ConstraintSet): string[] {
  const kinds = [
    [mustLinks.a.length, "must-link"],
    [cannotLinks.a.length, "cannot-link"],
    [relative.a.length, "relative constraint"],
    [labels.row.length, "label"],
    [exclusive.length, "exclusive column"],
  ] as const;
  return kinds.filter(([count]) => count > 0).map(([count, noun]) => counted(count, noun));
}

/** Up to this number of clusters, each cluster has a bar. For more clusters, a histogram of their sizes is shown. */
export const MOST_BARS = 12;

export function sizeLines(
  sizes: readonly number[],
  total: number,
  columns: number,
  names?: readonly (string | null)[],
): string[] {
  if (sizes.length <= MOST_BARS) return barLines(sizes, total, columns, names);
  return [...distributionLines(sizes, columns), ...namedLines(names)];
}

const MOST_NAMES = 12;

function namedLines(names: readonly (string | null)[] = []): string[] {
  const named = names.flatMap((name, c) => (name === null ? [] : [`${c} is ${name}`]));
  if (named.length === 0) return [];
  const more = named.length > MOST_NAMES ? ` and ${named.length - MOST_NAMES} more` : "";
  return [`By labelled rows, cluster ${named.slice(0, MOST_NAMES).join(", ")}${more}.`];
}

const LONGEST_NAME = 24;

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function barLines(
  sizes: readonly number[],
  total: number,
  columns: number,
  names: readonly (string | null)[] | undefined,
): string[] {
  const called = names?.map((name) => cut(name ?? "", LONGEST_NAME));
  const room = called ? Math.max(...called.map((name) => name.length)) + 1 : 0;
  const widest = Math.max(...sizes, 1);
  const places = String(widest).length;
  const bar = barsOf(widest, columns - 24 - places - room);
  return sizes.map((size, c) => {
    const share = `${((100 * size) / Math.max(total, 1)).toFixed(1)}%`;
    const name = called ? `${called[c]!.padEnd(room - 1)} ` : "";
    return `  cluster ${String(c).padEnd(3)} ${name}${String(size).padStart(places)}  ${share.padStart(6)}  ${bar(size)}`.trimEnd();
  });
}

function distributionLines(sizes: readonly number[], columns: number): string[] {
  const ordered = [...sizes.keys()].sort((a, b) => sizes[b]! - sizes[a]! || a - b);
  const smallest = sizes[ordered.at(-1)!]!;
  const largest = sizes[ordered[0]!]!;
  const median = sizes[ordered[Math.floor(sizes.length / 2)]!]!;
  const bins = binsOf(smallest, largest).map(([from, to]) => ({
    name: from === to ? grouped(from) : `${grouped(from)}–${grouped(to)}`,
    count: sizes.filter((size) => size >= from && size <= to).length,
  }));
  const names = Math.max(4, ...bins.map(({ name }) => name.length));
  const most = Math.max(...bins.map(({ count }) => count));
  const bar = barsOf(most, columns - names - 16);
  const first = ordered.slice(0, 3).map((c) => `${c} (${counted(sizes[c]!, "row")})`);
  return [
    smallest === largest
      ? `Every cluster has ${counted(smallest, "row")}.`
      : `The clusters have ${grouped(smallest)} to ${counted(largest, "row")}, half of them at most ${grouped(median)}.`,
    `  ${"rows".padStart(names)}  clusters`,
    ...bins.map(({ name, count }) => `  ${name.padStart(names)}  ${grouped(count).padStart(8)}  ${bar(count)}`.trimEnd()),
    ...(smallest === largest ? [] : [`The largest are clusters ${first.join(", ")}.`]),
  ];
}

const MOST_BINS = 12;

/**
 * Divides the cluster sizes into ranges for a histogram. All ranges have the same width; if the sizes differ much, each range is twice
 * (four times, …) as wide as the range before it.
 */
function binsOf(smallest: number, largest: number): [from: number, to: number][] {
  const low = Math.max(1, smallest);
  if (largest - smallest < MOST_BINS || largest / low <= 8) {
    const width = Math.ceil((largest - smallest + 1) / MOST_BINS);
    return rangesFrom(smallest, largest, (from) => from + width);
  }
  let factor = 2;
  while (Math.ceil(Math.log(largest / low) / Math.log(factor)) >= MOST_BINS) factor *= 2;
  const ranges = rangesFrom(low, largest, (from) => from * factor);
  return smallest === 0 ? [[0, 0], ...ranges] : ranges;
}

function rangesFrom(start: number, largest: number, next: (from: number) => number): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  for (let from = start; from <= largest; from = next(from)) ranges.push([from, Math.min(largest, next(from) - 1)]);
  return ranges;
}

/**
 * Returns a function that draws a count as a bar of at most `room` characters. `most` is the count with the longest bar; any count above 0
 * gets a visible bar.
 */
function barsOf(most: number, room: number): (count: number) => string {
  const longest = Math.max(10, Math.min(40, room));
  return (count) => "▇".repeat(count === 0 ? 0 : Math.max(1, Math.round((longest * count) / most)));
}

function grouped(count: number): string {
  return count.toLocaleString("en");
}
