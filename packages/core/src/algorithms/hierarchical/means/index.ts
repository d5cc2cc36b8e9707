/**
 * Ward, centroid and median linkage over the means of clusters, without a matrix: memory grows with the rows alone.
 *
 * Each cluster knows its nearest one, and a queue the least of those distances. Where the nearest one has changed since, it is looked for
 * again. Of two clusters the younger one saw both as they are, so no pair is nearer than the least of the queue: Müllner 2011, his generic algorithm, with searches in a k-d tree
 * instead of rows of a matrix. It holds for centroids too, which a nearest-neighbour chain does not: their heights may fall.
 *
 * Heights come from means instead of distances before the merge, so their last bits differ from those over a matrix; ties may fall otherwise.
 */
import type { Points } from "../../../model/points.js";
import type { Steps } from "../../../steps/index.js";
import { type Heap, heapify, popLeast, push } from "../../../structures/heap.js";
import { type MovingMeans, mergeMeans, type Nearest, nearestMean, openMeans } from "./moving-means.js";

export type MeansLinkage = "ward" | "centroid" | "median";

/** Numbers that are read in one step. */
const WORK_PER_STEP = 8_000_000;

interface Queue {
  readonly means: MovingMeans;
  readonly heap: Heap;
  /** The squared distance to the nearest cluster and its slot, as of the last search. */
  readonly square: Float64Array;
  readonly nearest: Int32Array;
  /** How often the cluster of a slot has changed, and how often its nearest one had at the last search. */
  readonly version: Int32Array;
  readonly seen: Int32Array;
  readonly found: Nearest;
  /** No slot below this one lives. */
  lowest: number;
}

/** Raw merges (slot, slot, height) in the order of merging; the cluster lives on in the higher slot. */
export function* meansLinkageSteps(kind: MeansLinkage, points: Points): Steps<Float64Array> {
  const { n } = points;
  yield { phase: "merging", done: 0, total: n - 1 };
  const queue = openQueue(points, kind === "ward");
  const { means, heap, square, nearest, version } = queue;
  for (let slot = 0; slot < n; slot++) {
    search(queue, slot);
    heap.keys.push(square[slot]!);
    heap.items.push(slot);
    if (!isTime(means)) continue;
    yield { phase: "neighbours", done: slot, total: n };
  }
  heapify(heap);
  const merges = new Float64Array(3 * Math.max(0, n - 1));
  for (let made = 0; made < n - 1; ) {
    if (isTime(means)) yield { phase: "merging", done: made, total: n - 1 };
    const key = heap.keys[0]!;
    const slot = popLeast(heap);
    if (means.sizes[slot] === 0 || key !== square[slot]) continue;
    const other = nearest[slot]! >= 0 ? nearest[slot]! : lowestOther(queue, slot);
    if (nearest[slot]! >= 0 && version[other] !== queue.seen[slot]) {
      searchAndPush(queue, slot);
      continue;
    }
    const [gone, kept] = [Math.min(slot, other), Math.max(slot, other)];
    merges.set([gone, kept, Math.sqrt(key)], 3 * made++);
    mergeMeans(means, gone, kept, kind === "median");
    version[gone]!++;
    version[kept]!++;
    if (made < n - 1) searchAndPush(queue, kept);
  }
  return merges;
}

function openQueue(points: Points, isWard: boolean): Queue {
  const { n } = points;
  return {
    means: openMeans(points, isWard),
    heap: { keys: [], items: [] },
    square: new Float64Array(n),
    nearest: new Int32Array(n),
    version: new Int32Array(n),
    seen: new Int32Array(n),
    found: { slot: -1, square: Infinity },
    lowest: 0,
  };
}

function isTime(means: MovingMeans): boolean {
  if (means.work < WORK_PER_STEP) return false;
  means.work = 0;
  return true;
}

function search({ means, square, nearest, version, seen, found }: Queue, slot: number): void {
  nearestMean(means, slot, found);
  square[slot] = found.square;
  nearest[slot] = found.slot;
  seen[slot] = found.slot < 0 ? -1 : version[found.slot]!;
}

function searchAndPush(queue: Queue, slot: number): void {
  search(queue, slot);
  push(queue.heap, queue.square[slot]!, slot);
}

/** For squares beyond all numbers: the lowest other slot that lives. */
function lowestOther(queue: Queue, slot: number): number {
  const { sizes } = queue.means;
  while (sizes[queue.lowest] === 0) queue.lowest++;
  let other = queue.lowest;
  while (sizes[other] === 0 || other === slot) other++;
  return other;
}
