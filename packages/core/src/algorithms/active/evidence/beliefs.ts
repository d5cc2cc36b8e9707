/**
 * Estimates the classes of rows when some answers are wrong. It chooses the classes that explain the answers best, given the positions of
 * the rows. A row of known class adds evidence (mass) for this class to its neighbours. An answer that contradicts its neighbourhood is
 * believed only if other answers support it.
 *
 * A node is a component of must-linked rows. The probability that a node has a class is proportional to the mass of that class at the node,
 * times the probability of the node's answers. The mass comes from all other nodes with their current classes, so a node's own class never
 * reinforces itself.
 */
import { closeConstraints, emptyConstraints } from "../../../constraints/index.js";
import { exp, log } from "../../../linalg/elementary.js";
import { drain } from "../../../steps/index.js";
import type { NeighbourGraph } from "../../neighbours/neighbour-graph.js";
import { correlationSteps } from "../../pairs/correlation.js";
import type { Knowledge } from "../knowledge.js";
import { propagateLabels } from "../neighbours/propagate-labels.js";

/** An answer about two rows. i: the row that the question showed first. weight: how sure the answer is, as log-odds. */
export interface Evidence {
  readonly i: number;
  readonly j: number;
  readonly same: boolean;
  readonly weight: number;
}

export interface Ground {
  readonly graph: NeighbourGraph;
  /** The constraints given before the dialogue, which are always satisfied. */
  readonly hard: Knowledge;
  readonly k: number;
  /** The row whose component forms the first class while there are no constraints and no answers. */
  readonly first: number;
  /** The mass that one component of known class spreads to each row along the neighbour graph. `component`: one of its rows. */
  readonly reach: (component: number) => Float64Array;
}

/** A class that a node can have (-1: a new class), and the probability of this class. */
export interface Chance {
  readonly group: number;
  readonly chance: number;
}

export interface Beliefs {
  /**
   * The must-link components that have constraints or answers, each given by one of its rows. `group`: the class of each node, numbered
   * from 0.
   */
  readonly nodes: Int32Array;
  readonly group: Int32Array;
  readonly count: number;
  /** The estimated class of each row that belongs to a node; -1 for all other rows. */
  readonly known: Int32Array;
  /** n × count: the mass of each class at each row, also at rows without answers. */
  readonly mass: Float64Array;
  /** The probabilities of a node's possible classes if all other nodes keep their classes, most likely class first. */
  readonly chances: (node: number) => readonly Chance[];
  readonly nodeOf: (row: number) => number | undefined;
}

const ROUNDS = 10;

export function beliefsFrom(ground: Ground, evidence: readonly Evidence[]): Beliefs {
  const { hard } = ground;
  const nodes = nodesOf(ground, evidence);
  const place = new Map(Array.from(nodes, (row, node) => [row, node]));
  const nodeOf = (row: number) => place.get(hard.component(row));
  const edges = edgesOf(ground, nodes, place, evidence);
  const state = new Grouping(ground, nodes, edges);
  for (let round = 0; round < ROUNDS && state.improve(); round++);
  state.dissolve();
  return { ...state.finish(), nodes, nodeOf };
}

function nodesOf({ hard, first }: Ground, evidence: readonly Evidence[]): Int32Array {
  const found = new Set<number>();
  for (let row = 0; row < hard.n; row++) if (hard.component(row) === row && hard.size(row) > 1) found.add(row);
  for (const { i, j } of evidence) found.add(hard.component(i)).add(hard.component(j));
  if (found.size === 0) found.add(hard.component(first));
  return Int32Array.from(found).sort();
}

function edgesOf(
  { hard }: Ground,
  nodes: Int32Array,
  place: ReadonlyMap<number, number>,
  evidence: readonly Evidence[],
): SignedEdge[] {
  const edges: SignedEdge[] = [];
  nodes.forEach((row, a) => {
    for (const other of hard.apartFrom(row)) {
      const b = place.get(hard.component(other));
      if (b !== undefined && a < b) edges.push({ a, b, weight: -LAW });
    }
  });
  for (const { i, j, same, weight } of evidence) {
    const [a, b] = [place.get(hard.component(i))!, place.get(hard.component(j))!];
    if (a !== b) edges.push({ a, b, weight: same ? weight : -weight });
  }
  return edges;
}

/** Background mass: all known classes together have at least this mass at every node, even without any evidence. */
const CHANCE = 0.03;
/** Mass at every node of a class that no node has yet, while there are fewer than k classes. */
export const NEW_CLASS = 0.2;
/** Mass at every node of a class that no node has yet, once there are k classes. */
export const EXTRA_CLASS = 0.01;
/** Maximum total mass of the known classes at a node. A larger total is scaled down to this value. */
const MOST_REACH = 0.9;

/** Iterative search for the groups (classes of nodes) that explain the answers best. */
class Grouping {
  readonly #ground: Ground;
  readonly #nodes: Int32Array;
  readonly #edges: readonly SignedEdge[];
  readonly #around: readonly (readonly [other: number, weight: number])[][];
  readonly #group: Int32Array;
  readonly #size: Int32Array;

  constructor(ground: Ground, nodes: Int32Array, edges: readonly SignedEdge[]) {
    this.#ground = ground;
    this.#nodes = nodes;
    this.#edges = edges;
    const around = Array.from(nodes, (): [number, number][] => []);
    for (const { a, b, weight } of edges) {
      around[a]!.push([b, weight]);
      around[b]!.push([a, weight]);
    }
    this.#around = around;
    this.#group = groupsOf(nodes.length, edges);
    this.#size = new Int32Array(nodes.length + 1);
    for (const group of this.#group) this.#size[group]!++;
  }

  /**
   * Moves each node to its most likely group. Then joins every two groups between which the answers have a positive total weight. Returns
   * whether anything changed.
   */
  improve(): boolean {
    let changed = false;
    for (let node = 0; node < this.#nodes.length; node++) {
      if (this.#around[node]!.length === 0) continue;
      const [{ group }] = this.chances(node) as [Chance];
      const own = this.#group[node]!;
      if (group === own || (group < 0 && this.#size[own] === 1)) continue;
      this.#move(node, group < 0 ? this.#size.indexOf(0) : group);
      changed = true;
    }
    return this.#join() || changed;
  }

  #move(node: number, group: number): void {
    this.#size[this.#group[node]!]!--;
    this.#group[node] = group;
    this.#size[group]!++;
  }

  #join(): boolean {
    let joined = false;
    for (const [key, weight] of this.#between()) {
      const [a, b] = key.split(" ").map(Number) as [number, number];
      if (weight <= 1e-9 || this.#size[a] === 0 || this.#size[b] === 0) continue;
      for (let node = 0; node < this.#nodes.length; node++) if (this.#group[node] === b) this.#move(node, a);
      joined = true;
    }
    return joined;
  }

  #between(): Map<string, number> {
    const between = new Map<string, number>();
    for (const { a, b, weight } of this.#edges) {
      const [low, high] = [this.#group[a]!, this.#group[b]!].sort((p, q) => p - q) as [number, number];
      if (low !== high) between.set(`${low} ${high}`, (between.get(`${low} ${high}`) ?? 0) + weight);
    }
    return between;
  }

  /**
   * While there are more than k groups, moves nodes that are alone in their group to their most likely other group. Hard constraints and
   * certain answers can forbid a move.
   */
  dissolve(): void {
    for (let node = 0; node < this.#nodes.length; node++) {
      if (this.#count() <= this.#ground.k) return;
      if (this.#size[this.#group[node]!] !== 1) continue;
      const best = this.chances(node).find(({ group }) => group >= 0);
      const barred = best && this.#around[node]!.some(([other, weight]) => weight <= -LAW && this.#group[other] === best.group);
      if (best && !barred && best.chance > LEAST_CHANCE) this.#move(node, best.group);
    }
  }

  #count(): number {
    return this.#size.reduce((count, size) => count + (size > 0 ? 1 : 0), 0);
  }

  chances(node: number): Chance[] {
    const { reach, k } = this.#ground;
    const row = this.#nodes[node]!;
    const mass = new Map<number, number>();
    let total = 0;
    for (let other = 0; other < this.#nodes.length; other++) {
      if (other === node) continue;
      const part = reach(this.#nodes[other]!)[row]!;
      mass.set(this.#group[other]!, (mass.get(this.#group[other]!) ?? 0) + part);
      total += part;
    }
    const share = total > MOST_REACH ? MOST_REACH / total : 1;
    const found = [...mass].map(([group, part]) => ({ group, score: log(part * share + CHANCE / mass.size) }));
    found.push({ group: -1, score: log(mass.size < k ? NEW_CLASS : EXTRA_CLASS) });
    for (const each of found)
      for (const [other, weight] of this.#around[node]!) {
        const together = this.#group[other] === each.group;
        if (together !== weight > 0) each.score -= Math.abs(weight);
      }
    return normalised(found);
  }

  finish(): Omit<Beliefs, "nodes" | "nodeOf"> {
    const { hard, graph } = this.#ground;
    const names = [...new Set(this.#group)].sort((a, b) => a - b);
    const known = new Int32Array(hard.n).fill(-1);
    const group = this.#group.map((name) => names.indexOf(name));
    this.#nodes.forEach((row, node) => {
      for (const member of hard.members(row)) known[member] = group[node]!;
    });
    const chances = (node: number) => this.chances(node).map((each) => ({ ...each, group: names.indexOf(each.group) }));
    return { group, count: names.length, known, mass: propagateLabels(graph, known, names.length), chances };
  }
}

/**
 * Minimum probability of the group that `dissolve` moves a single node into. Below it, the node stays alone, even with more than k groups.
 */
const LEAST_CHANCE = 1e-3;

function normalised(found: readonly { readonly group: number; readonly score: number }[]): Chance[] {
  const top = found.reduce((most, { score }) => Math.max(most, score), -Infinity);
  const parts = found.map(({ group, score }) => ({ group, chance: exp(score - top) }));
  const total = parts.reduce((sum, { chance }) => sum + chance, 0);
  return parts
    .map(({ group, chance }) => ({ group, chance: chance / total }))
    .sort((a, b) => b.chance - a.chance || a.group - b.group);
}

/**
 * For each pair of `count` groups, the weight of answers "same" minus the weight of answers "different" between their rows (symmetric).
 * Negative: the answers are against joining the two groups.
 */
export function netWeights(evidence: readonly Evidence[], groupOf: (row: number) => number, count: number): Float64Array {
  const net = new Float64Array(count * count);
  for (const { i, j, same, weight } of evidence) {
    const [a, b] = [groupOf(i), groupOf(j)];
    net[a * count + b]! += same ? weight : -weight;
    net[b * count + a]! += same ? weight : -weight;
  }
  return net;
}

/** Indices of the answers that contradict the estimated classes. */
export function overruledBy({ known }: Beliefs, evidence: readonly Evidence[]): number[] {
  return evidence.flatMap(({ i, j, same }, place) => ((known[i] === known[j]) === same ? [] : [place]));
}

/*
 * Correlation clustering of answers (see `pairs/correlation.ts`). An answer that is wrong with probability e has the weight ln((1 - e) / e)
 * (log-odds). The groups maximise the total weight of the answers that agree with them. So answers of larger total weight can outweigh a
 * wrong answer.
 */

/** Evidence that two nodes are in the same group (weight above 0) or in different groups (below 0). */
export interface SignedEdge {
  readonly a: number;
  readonly b: number;
  readonly weight: number;
}

/** The weight of a hard constraint: no number of answers outweighs it. */
export const LAW = 1e6;

const LEAST_RATE = 0.005;
const MOST_RATE = 0.45;

/** The log-odds weight of an answer. `confidence`: how sure the person is, from 1 (full weight) down to 0.5 (a guess, weight 0). */
export function weightOf(errorRate: number, confidence = 1): number {
  const rate = Math.min(MOST_RATE, Math.max(LEAST_RATE, errorRate));
  const sureness = Math.max(0, 2 * confidence - 1);
  const wrong = 0.5 - (0.5 - rate) * sureness;
  return log((1 - wrong) / wrong);
}

/** Groups the nodes by the edges (`groupsOf`). Returns for each edge whether its sign agrees with the groups. */
export function believed(n: number, edges: readonly SignedEdge[]): boolean[] {
  const groups = groupsOf(n, edges);
  return edges.map(({ a, b, weight }) => (groups[a] === groups[b]) === weight > 0);
}

/** The total weight of edges that agree with the groups, minus the total weight of edges that disagree. */
export function agreement(edges: readonly SignedEdge[], groups: Int32Array): number {
  let total = 0;
  for (const { a, b, weight } of edges) total += groups[a] === groups[b] ? weight : -weight;
  return total;
}

/** Groups the nodes 0 … n-1 by correlation clustering. Returns the group of each node; a group is named by its lowest node. */
export function groupsOf(n: number, edges: readonly SignedEdge[]): Int32Array {
  const sums = new Map<number, number>();
  for (const { a, b, weight } of edges) {
    if (a === b) continue;
    const pair = Math.min(a, b) * n + Math.max(a, b);
    sums.set(pair, (sums.get(pair) ?? 0) + weight);
  }
  const pairs = [...sums.keys()];
  const weighted = {
    a: Int32Array.from(pairs, (pair) => Math.floor(pair / n)),
    b: Int32Array.from(pairs, (pair) => pair % n),
    weight: Float64Array.from(sums.values()),
  };
  const { labels } = drain(correlationSteps(weighted, closeConstraints(emptyConstraints(n)), 0));
  const lowest = new Map<number, number>();
  labels.forEach((label, node) => {
    if (!lowest.has(label)) lowest.set(label, node);
  });
  return labels.map((label) => lowest.get(label)!);
}
