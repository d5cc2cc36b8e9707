/** A binary heap of slots by a lower bound each; among equal bounds its shape decides, and it is that of `@coterie/core`. */
import { setWord, word } from "./rows";

// @ts-ignore: the decorator and the number types are AssemblyScript's.
@unmanaged
export class Queue {
  /** Words: slots in heap order, and the place of each slot in that order. */
  order: usize;
  place: usize;
  /** Doubles: the bound of each slot. */
  bound: usize;
  length: i32;
}

function boundOf(queue: Queue, slot: i32): f64 {
  return load<f64>(queue.bound + ((<usize>slot) << 3));
}

/** Puts all slots into the queue, whose bounds and length are set. */
export function fillQueue(queue: Queue): void {
  for (let slot = 0; slot < queue.length; slot++) put(queue, slot, slot);
  for (let place = (queue.length >> 1) - 1; place >= 0; place--) siftDown(queue, place);
}

export function removeFirst(queue: Queue): void {
  queue.length--;
  const first = word(queue.order, 0);
  put(queue, 0, word(queue.order, queue.length));
  put(queue, queue.length, first);
  siftDown(queue, 0);
}

export function changeBound(queue: Queue, slot: i32, bound: f64): void {
  const lower = bound < boundOf(queue, slot);
  store<f64>(queue.bound + ((<usize>slot) << 3), bound);
  if (lower) siftUp(queue, word(queue.place, slot));
  else siftDown(queue, word(queue.place, slot));
}

function put(queue: Queue, place: i32, slot: i32): void {
  setWord(queue.order, place, slot);
  setWord(queue.place, slot, place);
}

function siftUp(queue: Queue, at: i32): void {
  const slot = word(queue.order, at);
  const bound = boundOf(queue, slot);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = word(queue.order, above);
    if (!(boundOf(queue, parent) > bound)) break;
    put(queue, at, parent);
    at = above;
  }
  put(queue, at, slot);
}

function siftDown(queue: Queue, at: i32): void {
  const slot = word(queue.order, at);
  const bound = boundOf(queue, slot);
  while (true) {
    let below = 2 * at + 1;
    if (below >= queue.length) break;
    if (below + 1 < queue.length && boundOf(queue, word(queue.order, below + 1)) < boundOf(queue, word(queue.order, below)))
      below++;
    const child = word(queue.order, below);
    if (!(bound > boundOf(queue, child))) break;
    put(queue, at, child);
    at = below;
  }
  put(queue, at, slot);
}
