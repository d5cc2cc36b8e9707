/**
 * Independent sets of more than a given weight, by tabu search: again and again the vertex that gains the most is put in, its
 * neighbours go out, and may not come back for a while. Each set as large as can be on the way counts. It proves nothing, but
 * finds several at once where greedy choices no longer find any, and spares most of the exact searches.
 */
import type { Random } from "../../random/random.js";
import type { Adjacency } from "../graphs/adjacency.js";

const STEPS = 300;
/** Sets that are kept, the heaviest. */
const MOST = 20;
/** Steps that a vertex stays out: this and a random number of more. */
const STAY_OUT = 2;
const LONGER = 10;

interface Walk {
  readonly graph: Adjacency;
  readonly weights: Float64Array;
  readonly inside: Uint8Array;
  /** Weight and number of the neighbours that are in. */
  readonly against: Float64Array;
  readonly barred: Int32Array;
  total: number;
}

/** Distinct sets, vertices ascending; each weighs more than `moreThan`, and no vertex of positive weight fits into it. */
export function heavySets(graph: Adjacency, weights: Float64Array, moreThan: number, random: Random): Int32Array[] {
  const { n, start, items } = graph;
  const walk: Walk = {
    graph,
    weights,
    inside: new Uint8Array(n),
    against: new Float64Array(n),
    barred: new Int32Array(n),
    total: 0,
  };
  const until = new Int32Array(n);
  const found = new Map<string, { readonly set: Int32Array; readonly total: number }>();
  for (let step = 1; step <= STEPS; step++) {
    const v = bestMove(walk, until, step);
    if (v === -1) continue;
    for (let p = start[v]!; p < start[v + 1]!; p++) {
      const other = items[p]!;
      if (walk.inside[other] === 0) continue;
      change(walk, other, -1);
      until[other] = step + STAY_OUT + random.int(LONGER);
    }
    change(walk, v, 1);
    if (walk.total <= moreThan || hasRoom(walk)) continue;
    const set = membersOf(walk);
    found.set(set.join(), { set, total: walk.total });
  }
  const heaviest = [...found.values()].sort((a, b) => b.total - a.total);
  return heaviest.slice(0, MOST).map(({ set }) => set);
}

/** The vertex outside whose weight is most above that of its neighbours inside, the lowest of equals; -1 if none may move. */
function bestMove({ weights, inside, against }: Walk, until: Int32Array, step: number): number {
  let best = -1;
  let most = -Infinity;
  for (let v = 0; v < weights.length; v++) {
    if (inside[v] === 1 || until[v]! > step) continue;
    const gain = weights[v]! - against[v]!;
    if (gain <= most) continue;
    most = gain;
    best = v;
  }
  return best;
}

/** Puts v in (1) or takes it out (-1). Weights are whole numbers, so that sums taken back are what they were. */
function change(walk: Walk, v: number, sign: 1 | -1): void {
  const { graph, weights, inside, against, barred } = walk;
  const weight = sign * weights[v]!;
  inside[v] = sign === 1 ? 1 : 0;
  walk.total += weight;
  for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) {
    against[graph.items[p]!]! += weight;
    barred[graph.items[p]!]! += sign;
  }
}

function hasRoom({ weights, inside, barred }: Walk): boolean {
  for (let v = 0; v < weights.length; v++) if (inside[v] === 0 && barred[v] === 0 && weights[v]! > 0) return true;
  return false;
}

function membersOf({ inside }: Walk): Int32Array {
  const set: number[] = [];
  for (let v = 0; v < inside.length; v++) if (inside[v] === 1) set.push(v);
  return Int32Array.from(set);
}
