/**
 * How often a placement one by one gets stuck, as COP-k-means does (Wagstaff 2001): components in random order, each into a
 * random cluster among those that its neighbours leave. The method takes the nearest of them instead, so this is a warning and
 * no forecast. A graph in which nothing has k neighbours never gets stuck.
 */

import { degreeBound, eachNeighbour, type Graph } from "../colouring/graphs/graph.js";
import type { Random } from "../random/random.js";

export const TRIALS = 100;

/** Neighbours looked at in all trials together. */
const MOST_LOOKS = 20_000_000;

/** Trials of `TRIALS` that got stuck; null for a graph too large to try. */
export function deadEnds(graph: Graph, k: number, random: Random): number | null {
  let looks = 0;
  for (let v = 0; v < graph.vertices; v++) looks += TRIALS * (1 + degreeBound(graph, v));
  if (looks > MOST_LOOKS) return null;
  const order = Int32Array.from({ length: graph.vertices }, (_, v) => v);
  const colours = new Int32Array(graph.vertices);
  const taken = new Int32Array(k);
  let stuck = 0;
  for (let trial = 0; trial < TRIALS; trial++) {
    random.shuffle(order);
    colours.fill(-1);
    if (!placed(graph, order, colours, taken, random)) stuck++;
  }
  return stuck;
}

function placed(graph: Graph, order: Int32Array, colours: Int32Array, taken: Int32Array, random: Random): boolean {
  const k = taken.length;
  for (const v of order) {
    taken.fill(0);
    let free = k;
    eachNeighbour(graph, v, (other) => {
      const colour = colours[other]!;
      if (colour < 0 || taken[colour] === 1) return;
      taken[colour] = 1;
      free--;
    });
    if (free === 0) return false;
    let skip = random.int(free);
    let colour = 0;
    while (taken[colour] === 1 || skip-- > 0) colour++;
    colours[v] = colour;
  }
  return true;
}
