/**
 * Chooses which constraints to violate if k clusters cannot satisfy all of them. The result is a cluster for each unit (vertex of the
 * constraint graph). It has a low total penalty and, among equal penalties, a low cost.
 *
 * A unit with fewer than k neighbours always finds a cluster without a neighbour. Such units are removed repeatedly, and placed last. The
 * remaining units are the core, and only the core can force a violation. Each connected part of the core is solved separately. If the
 * solver finds a legal colouring, the part has no violations. Otherwise tabu search finds a placement with a low penalty. Branch and bound
 * tries to prove that no lower penalty is possible.
 *
 * Sections: tabu search, branch and bound, the cheapest legal placement (`cheapestSteps`), removal of leaves.
 */
import { type Graph, graphOf } from "../../colouring/graphs/graph.js";
import { fillGreedily, peelCliques } from "../../colouring/graphs/reduce.js";
import { upTo } from "../../linalg/indices.js";
import type { Steps } from "../../steps/index.js";
import type { Lists } from "../../structures/components.js";
import { exactSteps, type Limits, smallParts } from "./exact.js";
import { improveSteps } from "./improve.js";
import { greedySteps, renameSteps } from "./legal.js";
import { connectedParts, openPlacement, type Placement, totalCost } from "./placement.js";
import { PLACING, spend, type Work } from "./work.js";

export interface Relaxed {
  readonly labels: Int32Array;
  readonly penalty: number;
  readonly proven: boolean;
}

/** The solver's answer for a connected part: a legal colouring, a proof that there is none, or no decision within its limits. */
export type Verdict = Int32Array | "infeasible" | "undecided";

/** The tabu search of a part ends after MOVES_PER_UNIT · (number of units) iterations without an improvement. */
const MOVES_PER_UNIT = 60;
/** A unit does not return to a cluster that it left for TENURE · (number of units) iterations. */
const TENURE = 6;

export function* relaxSteps(given: PenalisedGraph, solve: (part: Graph) => Steps<Verdict>, work: Work): Steps<Relaxed> {
  const { graph, k } = given;
  const { rest, removed } = peelCliques(graph, k);
  const labels = new Int32Array(graph.vertices).fill(-1);
  const core = inducedGraph(graph, rest);
  let proven = true;
  for (const part of connectedParts(core)) {
    const units = Int32Array.from(part, (v) => rest[v]!).sort();
    const verdict = yield* solve(inducedGraph(graph, units));
    if (typeof verdict !== "string") {
      units.forEach((u, i) => {
        labels[u] = verdict[i]!;
      });
      continue;
    }
    const penalty = yield* tabuSteps(given, units, labels, work);
    // If the solver proved that at least one constraint is violated, a placement that violates only the cheapest constraint is optimal.
    const least = verdict === "infeasible" && penalty <= leastPenalty(given, units);
    if (!least && !(yield* cheapestProven(given, units, labels, work))) proven = false;
  }
  fillGreedily(graph, removed.reverse(), k, labels);
  return { labels, penalty: totalPenalty(given, upTo(graph.vertices), labels), proven };
}

/**
 * The constraint graph without the violated constraints of `labels`. If members of a clique share a cluster, only the member with the
 * highest penalty stays in the clique.
 */
export function withoutViolated({ graph, itemPenalty }: PenalisedGraph, labels: Int32Array): Graph {
  const { vertices, links, cliques } = graph;
  const pairs: [number, number][] = [];
  for (let v = 0; v < vertices; v++) {
    for (let p = links.start[v]!; p < links.start[v + 1]!; p++) {
      if (links.items[p]! > v && labels[links.items[p]!] !== labels[v]) pairs.push([v, links.items[p]!]);
    }
  }
  const sets = Array.from({ length: cliques.start.length - 1 }, (_, q) => {
    const highest = new Map<number, number>();
    for (let p = cliques.start[q]!; p < cliques.start[q + 1]!; p++) {
      const cluster = labels[cliques.items[p]!]!;
      const known = highest.get(cluster);
      if (known === undefined || itemPenalty[p]! > itemPenalty[known]!) highest.set(cluster, p);
    }
    return [...highest.values()].map((p) => cliques.items[p]!).sort((a, b) => a - b);
  });
  return graphOf(vertices, pairs, sets);
}

/**
 * Tabu search for a placement of one part with a low penalty. Writes the best placement into `labels` and returns its penalty.
 *
 * At the start, units are placed one by one where they violate least. Then units move one by one to clusters where they violate less. If no
 * such move exists, a unit moves to the best other cluster. It does not return for TENURE · (number of units) iterations.
 */
function* tabuSteps(given: PenalisedGraph, units: Int32Array, labels: Int32Array, work: Work): Steps<number> {
  const { k } = given;
  const until = new Map<number, number>();
  for (const u of units) labels[u] = leastViolation(given, labels, u, () => true).c;
  let penalty = totalPenalty(given, units, labels);
  let best = { penalty, labels: units.map((u) => labels[u]!) };
  const patience = MOVES_PER_UNIT * units.length;
  let idle = 0;
  for (let iteration = 0, last = 0; best.penalty > 0 && iteration < last + patience && work.left > 0; iteration++) {
    const u = units[iteration % units.length]!;
    const home = labels[u]!;
    if (spend(work, k * penaltyReads(given, u))) yield PLACING;
    labels[u] = -1;
    const before = penaltyAt(given, labels, u, home);
    const move = before > 0 && leastViolation(given, labels, u, (c) => c !== home && (until.get(u * k + c) ?? 0) <= iteration);
    const kick = ++idle > units.length;
    labels[u] = move && (move.penalty < before || (kick && move.c >= 0)) ? move.c : home;
    if (!move || labels[u] === home) continue;
    idle = 0;
    until.set(u * k + home, iteration + TENURE * units.length);
    penalty += move.penalty - before;
    if (penalty >= best.penalty - 1e-9) continue;
    best = { penalty, labels: units.map((v) => labels[v]!) };
    last = iteration;
  }
  units.forEach((u, i) => {
    labels[u] = best.labels[i]!;
  });
  return totalPenalty(given, units, labels);
}

/**
 * The cluster in which unit u adds the least penalty, among the clusters that `isOpen` accepts. Ties: the lowest cost. -1 if no cluster is
 * accepted.
 */
function leastViolation(
  given: PenalisedGraph,
  labels: Int32Array,
  u: number,
  isOpen: (c: number) => boolean,
): { readonly c: number; readonly penalty: number } {
  const { k, costs } = given;
  let best = -1;
  let least = Infinity;
  for (let c = 0; c < k; c++) {
    if (!isOpen(c)) continue;
    const penalty = penaltyAt(given, labels, u, c);
    if (best >= 0 && (penalty > least || (penalty === least && costs[u * k + c]! >= costs[u * k + best]!))) continue;
    best = c;
    least = penalty;
  }
  return { c: best, penalty: least };
}

/*
 * Branch and bound over the clusters of the units of one connected part. It finds a placement with a lower penalty, or proves that there is
 * none. Lower bound: each unplaced unit adds at least its smallest penalty with the placed units.
 */

interface Search {
  readonly given: PenalisedGraph;
  readonly units: Int32Array;
  readonly labels: Int32Array;
  readonly best: Int32Array;
  bestPenalty: number;
  bestCost: number;
  /** Whether placements of equal penalty are compared by cost. Without costs, empty clusters are equivalent, and the search is shorter. */
  readonly costs: boolean;
  nodes: number;
}

const MOST_UNITS = 40;
const MOST_NODES = 20_000;

function* cheapestProven(given: PenalisedGraph, units: Int32Array, labels: Int32Array, work: Work): Steps<boolean> {
  if (units.length > MOST_UNITS) return false;
  const order = byAttachment(given, units);
  for (const costs of [true, false]) {
    const search: Search = {
      given,
      units: order,
      labels: new Int32Array(labels.length).fill(-1),
      best: order.map((u) => labels[u]!),
      bestPenalty: totalPenalty(given, units, labels),
      bestCost: order.reduce((sum, u) => sum + given.costs[u * given.k + labels[u]!]!, 0),
      costs,
      nodes: MOST_NODES,
    };
    branch(search, 0, 0, 0, 0);
    order.forEach((u, i) => {
      labels[u] = search.best[i]!;
    });
    const reads = order.reduce((sum, u) => sum + penaltyReads(given, u), 0);
    if (spend(work, (MOST_NODES - search.nodes) * reads)) yield PLACING;
    if (search.nodes > 0) return true;
    if (work.left <= 0) return false;
  }
  return false;
}

/** The order of placing. The first unit has the most neighbours. Each next unit has the most neighbours among the units before it. */
function byAttachment({ graph }: PenalisedGraph, units: Int32Array): Int32Array {
  const { links, cliques, cliquesOf } = graph;
  const attached = new Map<number, number>(Array.from(units, (u) => [u, 0]));
  const left = new Set(units);
  const order: number[] = [];
  const degree = (u: number): number => lengthOf(links.start, u) + lengthOf(cliquesOf.start, u);
  while (left.size > 0) {
    let next = -1;
    for (const u of left) {
      const more = next === -1 ? 1 : attached.get(u)! - attached.get(next)! || degree(u) - degree(next);
      if (more > 0) next = u;
    }
    order.push(next);
    left.delete(next);
    const note = (v: number): void => {
      if (left.has(v)) attached.set(v, attached.get(v)! + 1);
    };
    for (let p = links.start[next]!; p < links.start[next + 1]!; p++) note(links.items[p]!);
    for (let q = cliquesOf.start[next]!; q < cliquesOf.start[next + 1]!; q++) {
      const clique = cliquesOf.items[q]!;
      for (let p = cliques.start[clique]!; p < cliques.start[clique + 1]!; p++) note(cliques.items[p]!);
    }
  }
  return Int32Array.from(order);
}

function lengthOf(start: Int32Array, u: number): number {
  return start[u + 1]! - start[u]!;
}

function branch(search: Search, depth: number, penalty: number, cost: number, used: number): void {
  const { given, units, labels, best, costs } = search;
  const { k } = given;
  if (--search.nodes <= 0) return;
  if (depth === units.length) {
    search.bestPenalty = penalty;
    search.bestCost = cost;
    units.forEach((u, i) => {
      best[i] = labels[u]!;
    });
    return;
  }
  const u = units[depth]!;
  const rest = leastOfRest(search, depth + 1);
  // Without costs, empty clusters are equivalent, so only the first empty cluster is tried.
  const clusters = Array.from({ length: costs ? k : Math.min(k, used + 1) }, (_, c) => ({
    c,
    penalty: penaltyAt(given, labels, u, c),
  }));
  clusters.sort(
    (a, b) => a.penalty - b.penalty || (costs ? given.costs[u * k + a.c]! - given.costs[u * k + b.c]! : 0) || a.c - b.c,
  );
  for (const { c, penalty: more } of clusters) {
    const own = costs ? given.costs[u * k + c]! : 0;
    if (!isBetter(search, penalty + more + rest.penalty, cost + own + rest.cost)) continue;
    labels[u] = c;
    branch(search, depth + 1, penalty + more, cost + own, Math.max(used, c + 1));
    labels[u] = -1;
  }
}

/** Whether a penalty and cost are better than the best so far. Penalties have a tolerance for rounding errors. */
function isBetter({ bestPenalty, bestCost, costs }: Search, penalty: number, cost: number): boolean {
  const slack = 1e-9 * (1 + Math.abs(bestPenalty));
  if (penalty < bestPenalty - slack) return true;
  return costs && penalty <= bestPenalty + slack && cost < bestCost - 1e-12 * (1 + Math.abs(bestCost));
}

/** Lower bounds of the penalty and the cost of the units from index `from`. */
function leastOfRest({ given, units, labels, costs }: Search, from: number): { readonly penalty: number; readonly cost: number } {
  const { k } = given;
  let penalty = 0;
  let cost = 0;
  for (let i = from; i < units.length; i++) {
    const u = units[i]!;
    let least = Infinity;
    for (let c = 0; c < k && least > 0; c++) least = Math.min(least, penaltyAt(given, labels, u, c));
    penalty += least;
    if (!costs) continue;
    let cheapest = Infinity;
    for (let c = 0; c < k; c++) cheapest = Math.min(cheapest, given.costs[u * k + c]!);
    cost += cheapest;
  }
  return { penalty, cost };
}

/*
 * Finds a legal placement of every vertex at a low cost. In small connected parts of the graph, the cost is minimal. In large parts, single
 * moves and Kempe chains improve a greedy placement or the solver's colouring.
 */

interface Places {
  readonly graph: Graph;
  readonly k: number;
  /** vertices × k: the cost of each vertex in each cluster. */
  readonly costs: Float64Array;
}

/** Limits of the exact search in connected parts. Few parts reach `nodesPerPart` nodes. */
const LIMITS: Limits = { mostMembers: 40, nodesPerPart: 2_000, nodesInAll: 100_000 };

/**
 * Finds a cluster for each vertex at a low cost. No two neighbours share a cluster. Null if no legal placement is found.
 *
 * - before: a legal placement to start from, or null
 * - colouring: the solver. It runs only if `before` is null and the greedy placement fails.
 */
export function* cheapestSteps(
  { graph, k, costs }: Places,
  before: Int32Array | null,
  colouring: () => Steps<Int32Array | null>,
  work: Work,
): Steps<Int32Array | null> {
  const pruned = pruneLeaves(graph, k, costs);
  const { units } = pruned;
  const parts = smallParts(pruned.graph, LIMITS);
  const open = (labels: Int32Array | null): Placement => openPlacement(pruned.graph, units.length, k, pruned.costs, labels, null);
  const refine = function* (placement: Placement): Steps<Placement> {
    yield* improveSteps(placement, work);
    yield* exactSteps(placement, parts, LIMITS, work);
    return placement;
  };
  yield PLACING;
  const kept = before && (yield* refine(open(units.map((v) => before[v]!))));
  let fresh = open(null);
  if (!(yield* greedySteps(fresh, work))) {
    const known = kept ? null : yield* colouring();
    if (known) {
      fresh = open(null);
      yield* renameSteps(
        fresh,
        units.map((v) => known[v]!),
        work,
      );
    } else if (kept) fresh = kept;
    else return null;
  }
  if (fresh !== kept) yield* refine(fresh);
  const best = kept && totalCost(kept) <= totalCost(fresh) + kept.slack ? kept : fresh;
  return putLeaves(pruned, k, best.labels);
}

/*
 * Leaves are vertices with at most one neighbour. They need no search: a leaf takes its cheapest cluster except the cluster of its
 * neighbour. So its cost depends only on the cluster of the neighbour. This cost is added to the costs of the neighbour, and the leaf is
 * removed.
 *
 * A removal can create new leaves. Trees disappear completely, graphs with cycles or cliques remain. Members of listed cliques are never
 * removed.
 */

interface Pruned {
  readonly graph: Graph;
  /** The remaining vertices, ascending. They are the units of the placement search. */
  readonly units: Int32Array;
  /** units × k: the cost of each remaining vertex in each cluster. Includes the costs of its removed leaves. */
  readonly costs: Float64Array;
  /** The removed leaves, in the order of removal. */
  readonly leaves: Int32Array;
  /** For each leaf: its neighbour when it was removed, or -1. */
  readonly holders: Int32Array;
  /** vertices × k: the cost of each vertex in each cluster, including its removed leaves. `putLeaves` uses these costs. */
  readonly folded: Float64Array;
}

/** The degree of members of listed cliques. It is so large that it never falls to 1, so these members never become leaves. */
const IN_A_CLIQUE = 2 ** 30;

/** Removes leaves until none is left. If the graph has an edge, k must be at least 2. */
export function pruneLeaves(graph: Graph, k: number, costs: Float64Array): Pruned {
  const { vertices, links, cliquesOf } = graph;
  const folded = costs.slice(0, vertices * k);
  const degree = Int32Array.from({ length: vertices }, (_, v) =>
    cliquesOf.start[v + 1]! > cliquesOf.start[v]! ? IN_A_CLIQUE : links.start[v + 1]! - links.start[v]!,
  );
  const gone = new Uint8Array(vertices);
  const leaves: number[] = [];
  const holders: number[] = [];
  for (let v = 0; v < vertices; v++) if (degree[v]! <= 1) leaves.push(v);
  for (let i = 0; i < leaves.length; i++) {
    const v = leaves[i]!;
    gone[v] = 1;
    holders[i] = -1;
    for (let p = links.start[v]!; p < links.start[v + 1]!; p++) {
      const u = links.items[p]!;
      if (gone[u] === 1) continue;
      holders[i] = u;
      fold(folded, k, v, u);
      if (--degree[u]! === 1) leaves.push(u);
    }
  }
  const units = Int32Array.from({ length: vertices }, (_, v) => v).filter((v) => gone[v] === 0);
  const left = new Float64Array(units.length * k);
  units.forEach((v, i) => {
    left.set(folded.subarray(v * k, (v + 1) * k), i * k);
  });
  return {
    graph: units.length === vertices ? graph : inducedGraph(graph, units),
    units,
    costs: left,
    leaves: Int32Array.from(leaves),
    holders: Int32Array.from(holders),
    folded,
  };
}

function fold(costs: Float64Array, k: number, v: number, u: number): void {
  const first = cheapestBut(costs, k, v, -1);
  const second = cheapestBut(costs, k, v, first);
  for (let c = 0; c < k; c++) costs[u * k + c]! += costs[v * k + (c === first ? second : first)]!;
}

function cheapestBut(costs: Float64Array, k: number, v: number, taken: number): number {
  let best = -1;
  for (let c = 0; c < k; c++) if (c !== taken && (best === -1 || costs[v * k + c]! < costs[v * k + best]!)) best = c;
  return best;
}

/**
 * Places the removed leaves, the last removed leaf first. Each leaf takes its cheapest cluster except the cluster of its neighbour. Returns
 * the clusters of all vertices.
 */
function putLeaves({ units, leaves, holders, folded }: Pruned, k: number, labels: Int32Array): Int32Array {
  const all = new Int32Array(units.length + leaves.length);
  units.forEach((v, i) => {
    all[v] = labels[i]!;
  });
  for (let i = leaves.length - 1; i >= 0; i--) {
    all[leaves[i]!] = cheapestBut(folded, k, leaves[i]!, holders[i]! < 0 ? -1 : all[holders[i]!]!);
  }
  return all;
}

/** The subgraph of the given vertices. `vertices`: ascending. Vertex i of the subgraph is vertices[i]. */
function inducedGraph(graph: Graph, vertices: Int32Array): Graph {
  const place = new Int32Array(graph.vertices).fill(-1);
  vertices.forEach((v, i) => {
    place[v] = i;
  });
  const links = filterLists(graph.links, vertices, place);
  const everyClique = Int32Array.from({ length: graph.cliques.start.length - 1 }, (_, q) => q);
  const cliques = filterLists(graph.cliques, everyClique, place);
  const newNumber = new Int32Array(everyClique.length).fill(-1);
  let count = 0;
  everyClique.forEach((q) => {
    if (cliques.start[q + 1]! - cliques.start[q]! > 1) newNumber[q] = count++;
  });
  const large = everyClique.filter((q) => newNumber[q]! >= 0);
  return {
    vertices: vertices.length,
    links,
    cliques: filterLists(graph.cliques, large, place),
    cliquesOf: filterLists(graph.cliquesOf, vertices, newNumber),
  };
}

/** Copies the lists with the indices `wanted`, and renumbers their items. `number`: the new number of each item; -1 leaves the item out. */
function filterLists({ start, items }: Lists, wanted: Int32Array, number: Int32Array): Lists {
  const starts = new Int32Array(wanted.length + 1);
  let length = 0;
  wanted.forEach((list, i) => {
    for (let p = start[list]!; p < start[list + 1]!; p++) if (number[items[p]!]! >= 0) length++;
    starts[i + 1] = length;
  });
  const kept = new Int32Array(length);
  wanted.forEach((list, i) => {
    let to = starts[i]!;
    for (let p = start[list]!; p < start[list + 1]!; p++) if (number[items[p]!]! >= 0) kept[to++] = number[items[p]!]!;
  });
  return { start: starts, items: kept };
}

export interface PenalisedGraph {
  readonly graph: Graph;
  readonly k: number;
  /** For each entry of `graph.links.items`: the penalty if both vertices of the edge share a cluster. */
  readonly linkPenalty: Float64Array;
  /**
   * For each entry of `graph.cliques.items`: the penalty of this member. It is paid if the member shares its cluster with a member of a
   * higher penalty.
   */
  readonly itemPenalty: Float64Array;
  /** vertices × k: the cost of each vertex in each cluster. Compares placements of equal penalty. */
  readonly costs: Float64Array;
}

/** The penalty that vertex v adds in cluster c. Vertices without a cluster (label -1) add nothing. */
function penaltyAt({ graph, linkPenalty, itemPenalty }: PenalisedGraph, labels: Int32Array, v: number, c: number): number {
  const { links, cliques, cliquesOf } = graph;
  let penalty = 0;
  for (let p = links.start[v]!; p < links.start[v + 1]!; p++) if (labels[links.items[p]!] === c) penalty += linkPenalty[p]!;
  for (let q = cliquesOf.start[v]!; q < cliquesOf.start[v + 1]!; q++) {
    const clique = cliquesOf.items[q]!;
    let own = 0;
    let highest = 0;
    for (let p = cliques.start[clique]!; p < cliques.start[clique + 1]!; p++) {
      if (cliques.items[p] === v) own = itemPenalty[p]!;
      else if (labels[cliques.items[p]!] === c && itemPenalty[p]! > highest) highest = itemPenalty[p]!;
    }
    penalty += Math.min(own, highest);
  }
  return penalty;
}

/** The total penalty of the violated constraints between the given vertices. `vertices`: ascending. */
export function totalPenalty(given: PenalisedGraph, vertices: Int32Array, labels: Int32Array): number {
  const placed = new Int32Array(labels.length).fill(-1);
  let penalty = 0;
  for (const v of vertices) {
    if (labels[v]! >= 0) penalty += penaltyAt(given, placed, v, labels[v]!);
    placed[v] = labels[v]!;
  }
  return penalty;
}

function leastPenalty({ graph, linkPenalty, itemPenalty }: PenalisedGraph, vertices: Int32Array): number {
  const { links, cliques, cliquesOf } = graph;
  const inside = new Set(vertices);
  let least = Infinity;
  for (const v of vertices) {
    for (let p = links.start[v]!; p < links.start[v + 1]!; p++) {
      if (inside.has(links.items[p]!)) least = Math.min(least, linkPenalty[p]!);
    }
    for (let q = cliquesOf.start[v]!; q < cliquesOf.start[v + 1]!; q++) {
      const clique = cliquesOf.items[q]!;
      for (let p = cliques.start[clique]!; p < cliques.start[clique + 1]!; p++) {
        if (cliques.items[p] === v) least = Math.min(least, itemPenalty[p]!);
      }
    }
  }
  return least;
}

/** Number of graph entries that `penaltyAt` reads for vertex v. */
function penaltyReads({ graph: { links, cliques, cliquesOf } }: PenalisedGraph, v: number): number {
  let reads = 1 + links.start[v + 1]! - links.start[v]!;
  for (let q = cliquesOf.start[v]!; q < cliquesOf.start[v + 1]!; q++) {
    const clique = cliquesOf.items[q]!;
    reads += cliques.start[clique + 1]! - cliques.start[clique]!;
  }
  return reads;
}
