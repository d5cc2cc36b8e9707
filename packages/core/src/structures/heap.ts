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

/** Removes the smallest entry and returns its item. */
export function popLeast(heap: Heap): number {
  const { keys, items } = heap;
  const least = items[0]!;
  const key = keys.pop()!;
  const item = items.pop()!;
  if (keys.length > 0) sink(heap, 0, key, item);
  return least;
}

/** Restores the heap order of arbitrary entries. */
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
