/** A binary min-heap of integers with real keys; equal keys are ordered by the integer. */

export interface Heap {
  readonly keys: number[];
  readonly items: number[];
}

export function push({ keys, items }: Heap, key: number, item: number): void {
  let place = keys.length;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    if (keys[parent]! < key || (keys[parent] === key && items[parent]! <= item)) break;
    keys[place] = keys[parent]!;
    items[place] = items[parent]!;
    place = parent;
  }
  keys[place] = key;
  items[place] = item;
}

export function popLeast(heap: Heap): number {
  const { keys, items } = heap;
  const least = items[0]!;
  const key = keys.pop()!;
  const item = items.pop()!;
  if (keys.length > 0) sink(heap, 0, key, item);
  return least;
}

export function heapify(heap: Heap): void {
  for (let place = (heap.keys.length >> 1) - 1; place >= 0; place--) sink(heap, place, heap.keys[place]!, heap.items[place]!);
}

function sink({ keys, items }: Heap, place: number, key: number, item: number): void {
  const length = keys.length;
  for (;;) {
    let child = 2 * place + 1;
    if (child >= length) break;
    const other = child + 1;
    if (other < length && (keys[other]! < keys[child]! || (keys[other] === keys[child] && items[other]! < items[child]!))) {
      child = other;
    }
    if (keys[child]! > key || (keys[child] === key && items[child]! >= item)) break;
    keys[place] = keys[child]!;
    items[place] = items[child]!;
    place = child;
  }
  keys[place] = key;
  items[place] = item;
}

/* A max-heap of vertices by recent conflict activity; the lowest vertex comes first on ties. */

export interface ActivityHeap {
  readonly activity: Float64Array;
  readonly heap: Int32Array;
  /** Position of each vertex in the heap, -1 if it is not in the heap. */
  readonly place: Int32Array;
  size: number;
  /** Amount by which an activity rises. It grows over time, so that older activity weighs less. */
  bump: number;
}

/** Each call of `fade` multiplies the relative weight of older activity by this factor. */
const FADING = 0.95;
/** All activities are scaled down when one of them exceeds this value. */
const TOO_LARGE = 1e100;

export function openHeap(activity: Float64Array): ActivityHeap {
  const n = activity.length;
  const heap: ActivityHeap = { activity, heap: new Int32Array(n), place: new Int32Array(n).fill(-1), size: 0, bump: 1 };
  for (let v = 0; v < n; v++) insert(heap, v);
  return heap;
}

export function insert(heap: ActivityHeap, v: number): void {
  if (heap.place[v]! >= 0) return;
  heap.heap[heap.size] = v;
  rise(heap, heap.size++);
}

/** Removes and returns the vertex with the highest activity; -1 if the heap is empty. */
export function takeFirst(heap: ActivityHeap): number {
  if (heap.size === 0) return -1;
  const first = heap.heap[0]!;
  heap.place[first] = -1;
  heap.size--;
  if (heap.size > 0) {
    heap.heap[0] = heap.heap[heap.size]!;
    sinkVertex(heap);
  }
  return first;
}

export function stir(heap: ActivityHeap, v: number): void {
  const { activity, place } = heap;
  activity[v] = activity[v]! + heap.bump;
  if (activity[v]! > TOO_LARGE) {
    for (let u = 0; u < activity.length; u++) activity[u] = activity[u]! / TOO_LARGE;
    heap.bump /= TOO_LARGE;
  }
  if (place[v]! >= 0) rise(heap, place[v]!);
}

export function fade(heap: ActivityHeap): void {
  heap.bump /= FADING;
}

function isBefore({ activity }: ActivityHeap, u: number, v: number): boolean {
  return activity[u]! > activity[v]! || (activity[u] === activity[v] && u < v);
}

function rise(all: ActivityHeap, from: number): void {
  const { heap, place } = all;
  const v = heap[from]!;
  let at = from;
  while (at > 0) {
    const above = (at - 1) >> 1;
    if (!isBefore(all, v, heap[above]!)) break;
    heap[at] = heap[above]!;
    place[heap[at]!] = at;
    at = above;
  }
  heap[at] = v;
  place[v] = at;
}

function sinkVertex(all: ActivityHeap): void {
  const { heap, place, size } = all;
  const v = heap[0]!;
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    if (below >= size) break;
    if (below + 1 < size && isBefore(all, heap[below + 1]!, heap[below]!)) below++;
    if (!isBefore(all, heap[below]!, v)) break;
    heap[at] = heap[below]!;
    place[heap[at]!] = at;
    at = below;
  }
  heap[at] = v;
  place[v] = at;
}
