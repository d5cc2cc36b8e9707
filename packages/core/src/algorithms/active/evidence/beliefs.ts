/**
 * What to believe after answers of which some are wrong. Classes are those that explain the answers best, given how rows lie: what is
 * known about a row spreads to its neighbours, and an answer that its neighbourhood speaks against needs others to be believed.
 *
 * The chance of a row's class, given the classes of all others, is what reaches it of that class, times the chance of its answers. A row
 * never hears its own echo: what reaches it comes from other rows alone.
 */
import { exp, log } from "../../../linalg/elementary.js";
import type { Knowledge } from "../knowledge.js";
import type { NeighbourGraph } from "../neighbours/neighbour-graph.js";
import { propagateLabels } from "../neighbours/propagate-labels.js";
import { groupsOf, LAW, type Tie } from "./ties.js";

/** An answer about two rows, in the order they were shown, and how much it weighs. */
export interface Evidence {
  readonly i: number;
  readonly j: number;
  readonly same: boolean;
  readonly weight: number;
}

export interface Ground {
  readonly graph: NeighbourGraph;
  /** What is law: constraints from before. */
  readonly law: Knowledge;
  readonly k: number;
  /** The row to begin with. */
  readonly first: number;
  /** How much of a row, or of its component, reaches each row. */
  readonly reach: (component: number) => Float64Array;
}

/** One thing to believe about a node: its class, -1 for one of its own, and the chance. */
export interface Chance {
  readonly group: number;
  readonly chance: number;
}

export interface Beliefs {
  /** Components that somebody spoke about, by a row of each, and the group of each: numbers from 0. */
  readonly nodes: Int32Array;
  readonly group: Int32Array;
  readonly count: number;
  /** The group of each row that is in a node; -1 elsewhere. */
  readonly known: Int32Array;
  /** What reaches each row of each group. */
  readonly mass: Float64Array;
  /** Chances of a node's groups given all others, the likeliest first. */
  readonly chances: (node: number) => readonly Chance[];
  readonly nodeOf: (row: number) => number | undefined;
}

/** Mass that stands for chance itself, that of a class nobody has met, and that of one more than there should be. */
const CHANCE = 0.03;
export const UNMET = 0.2;
export const BEYOND = 0.01;
const MOST_REACH = 0.9;
const ROUNDS = 10;

export function beliefsFrom(ground: Ground, evidence: readonly Evidence[]): Beliefs {
  const { law } = ground;
  const nodes = nodesOf(ground, evidence);
  const place = new Map(Array.from(nodes, (row, node) => [row, node]));
  const nodeOf = (row: number) => place.get(law.component(row));
  const ties = tiesOf(ground, nodes, place, evidence);
  const state = new Grouping(ground, nodes, ties);
  for (let round = 0; round < ROUNDS && state.improve(); round++);
  state.dissolve();
  return { ...state.finish(), nodes, nodeOf };
}

function nodesOf({ law, first }: Ground, evidence: readonly Evidence[]): Int32Array {
  const found = new Set<number>();
  for (let row = 0; row < law.n; row++) if (law.component(row) === row && law.size(row) > 1) found.add(row);
  for (const { i, j } of evidence) found.add(law.component(i)).add(law.component(j));
  if (found.size === 0) found.add(law.component(first));
  return Int32Array.from(found).sort();
}

function tiesOf({ law }: Ground, nodes: Int32Array, place: ReadonlyMap<number, number>, evidence: readonly Evidence[]): Tie[] {
  const ties: Tie[] = [];
  nodes.forEach((row, a) => {
    for (const other of law.apartFrom(row)) {
      const b = place.get(law.component(other));
      if (b !== undefined && a < b) ties.push({ a, b, weight: -LAW });
    }
  });
  for (const { i, j, same, weight } of evidence) {
    const [a, b] = [place.get(law.component(i))!, place.get(law.component(j))!];
    if (a !== b) ties.push({ a, b, weight: same ? weight : -weight });
  }
  return ties;
}

/** Groups on the way to those that explain most. */
class Grouping {
  readonly #ground: Ground;
  readonly #nodes: Int32Array;
  readonly #ties: readonly Tie[];
  readonly #around: readonly (readonly [other: number, weight: number])[][];
  readonly #group: Int32Array;
  readonly #size: Int32Array;

  constructor(ground: Ground, nodes: Int32Array, ties: readonly Tie[]) {
    this.#ground = ground;
    this.#nodes = nodes;
    this.#ties = ties;
    const around = Array.from(nodes, (): [number, number][] => []);
    for (const { a, b, weight } of ties) {
      around[a]!.push([b, weight]);
      around[b]!.push([a, weight]);
    }
    this.#around = around;
    this.#group = groupsOf(nodes.length, ties);
    this.#size = new Int32Array(nodes.length + 1);
    for (const group of this.#group) this.#size[group]!++;
  }

  /** Each node goes where it most likely is, then groups join that answers say are one; whether anything changed. */
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
    for (const { a, b, weight } of this.#ties) {
      const [low, high] = [this.#group[a]!, this.#group[b]!].sort((p, q) => p - q) as [number, number];
      if (low !== high) between.set(`${low} ${high}`, (between.get(`${low} ${high}`) ?? 0) + weight);
    }
    return between;
  }

  /** The rest of what the law forbids is left: more groups than k where answers and law need them. */
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
    found.push({ group: -1, score: log(mass.size < k ? UNMET : BEYOND) });
    for (const each of found)
      for (const [other, weight] of this.#around[node]!) {
        const together = this.#group[other] === each.group;
        if (together !== weight > 0) each.score -= Math.abs(weight);
      }
    return normalised(found);
  }

  finish(): Omit<Beliefs, "nodes" | "nodeOf"> {
    const { law, graph } = this.#ground;
    const names = [...new Set(this.#group)].sort((a, b) => a - b);
    const known = new Int32Array(law.n).fill(-1);
    const group = this.#group.map((name) => names.indexOf(name));
    this.#nodes.forEach((row, node) => {
      for (const member of law.members(row)) known[member] = group[node]!;
    });
    const chances = (node: number) => this.chances(node).map((each) => ({ ...each, group: names.indexOf(each.group) }));
    return { group, count: names.length, known, mass: propagateLabels(graph, known, names.length), chances };
  }
}

/** Below this a group that answers made stays, though there are more than there should be. */
const LEAST_CHANCE = 1e-3;

function normalised(found: readonly { readonly group: number; readonly score: number }[]): Chance[] {
  const top = found.reduce((most, { score }) => Math.max(most, score), -Infinity);
  const parts = found.map(({ group, score }) => ({ group, chance: exp(score - top) }));
  const total = parts.reduce((sum, { chance }) => sum + chance, 0);
  return parts
    .map(({ group, chance }) => ({ group, chance: chance / total }))
    .sort((a, b) => b.chance - a.chance || a.group - b.group);
}

/** What answers say for each two of `count` groups being one, both ways; below 0 against it. */
export function netWeights(evidence: readonly Evidence[], groupOf: (row: number) => number, count: number): Float64Array {
  const net = new Float64Array(count * count);
  for (const { i, j, same, weight } of evidence) {
    const [a, b] = [groupOf(i), groupOf(j)];
    net[a * count + b]! += same ? weight : -weight;
    net[b * count + a]! += same ? weight : -weight;
  }
  return net;
}

/** Answers that are not believed, by their places. */
export function overruledBy({ known }: Beliefs, evidence: readonly Evidence[]): number[] {
  return evidence.flatMap(({ i, j, same }, place) => ((known[i] === known[j]) === same ? [] : [place]));
}
