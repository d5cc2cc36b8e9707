/**
 * A random walk towards a colouring with k colours: again and again a vertex with a neighbour of its colour gets another, which is
 * kept if no more edges have equal ends than before, else with a probability that falls with the number more, and as the
 * walk cools (a focused Metropolis search; Seitz, Alava and Orponen 2005; Zdeborová and Krzakala 2007 for colouring). A step costs
 * next to nothing, and large sparse graphs are coloured close to the number of edges beyond which they cannot be. It proves
 * nothing when it fails. The random stream is its own and fixed.
 */
import { mix32 } from "../../random/key.js";
import { randomFrom } from "../../random/random.js";
import { type Budget, chargeLooks, type Interruptible, pauseDue } from "../../steps/budget.js";
import type { Adjacency } from "../graphs/adjacency.js";
import { type Clashes, openClashes, recolour } from "./clashes.js";

/** Probability that one more clash is accepted, at the beginning and the end of a round. */
const HOT = 0.2;
const COLD = 0.08;
/** Steps for each vertex in the first round; the next ones are longer by a factor. */
const FIRST_ROUND = 100;
const LONGER = 4;
/** A longer round is worth trying if all but one vertex in this many were at peace at some time; twice as many after each round. */
const HOPEFUL = 8;
const STEPS_PER_NODE = 300;
/** Steps between two coolings. */
const STRIDE = 512;
/** More new clashes than this are never accepted. */
const MOST_MORE = 16;
/** Random numbers are words of 32 bits: that some choices are likelier by 2^-20 does not matter to a search. */
const WORD = 2 ** 32;

interface Walk {
  readonly clashes: Clashes;
  /** Counts up in steps that meet every word; mixed, it is the next random one. */
  random: number;
}

/** A colouring with k colours, k at least 2; null if none was found in so many rounds. */
export function* searchWalk(graph: Adjacency, k: number, rounds: number, budget: Budget): Interruptible<Int32Array | null> {
  const random = randomFrom(0).split("walk");
  const colours = Int32Array.from({ length: graph.n }, () => random.int(k));
  const clashes = openClashes(graph, k, colours);
  const walk: Walk = { clashes, random: random.int(WORD) };
  let steps = FIRST_ROUND * graph.n;
  for (let round = 0; round < rounds; round++) {
    let fewest = graph.n;
    for (let step = 0; step < steps; step += STRIDE) {
      budget.left -= STRIDE / STEPS_PER_NODE;
      if (budget.left <= 0) return null;
      if (pauseDue(budget)) yield;
      chargeLooks(budget, stride(walk, HOT + ((COLD - HOT) * step) / steps));
      if (clashes.troubles === 0) return colours;
      fewest = Math.min(fewest, clashes.troubles);
    }
    if (fewest * HOPEFUL * 2 ** round > graph.n) return null;
    steps *= LONGER;
  }
  return null;
}

/** Some steps; how many neighbours were looked at. */
function stride(walk: Walk, chance: number): number {
  const { clashes } = walk;
  const { start } = clashes.graph;
  let looks = 0;
  const { k, colours, count, troubled } = clashes;
  const accepted = new Float64Array(MOST_MORE + 1).fill(WORD);
  for (let more = 1; more <= MOST_MORE; more++) accepted[more] = accepted[more - 1]! * chance;
  for (let step = 0; step < STRIDE && clashes.troubles > 0; step++) {
    const move = Math.floor((draw(walk) / WORD) * clashes.troubles * (k - 1));
    const at = Math.floor(move / (k - 1));
    const v = troubled[at]!;
    const before = colours[v]!;
    const other = move - at * (k - 1);
    const colour = other < before ? other : other + 1;
    const more = count[v * k + colour]! - count[v * k + before]!;
    if (more > 0 && (more > MOST_MORE || draw(walk) >= accepted[more]!)) continue;
    recolour(clashes, v, colour);
    looks += start[v + 1]! - start[v]!;
  }
  return looks;
}

function draw(walk: Walk): number {
  walk.random = (walk.random + 0x9e3779b9) | 0;
  return mix32(walk.random) >>> 0;
}
