/**
 * The relations between pairs of rows during a dialogue: the given constraints, the answers, and everything that follows from them.
 * Must-links form components. A cannot-link separates all members of two components. Labels of different classes and exclusive groups form
 * cliques, whose members are all separated from each other. Only pairs without a known relation can be asked, so no answer contradicts
 * another answer.
 *
 * Cost: recording an answer takes time near-linear in the smaller of the two components. The journal can undo it.
 */

import { closeConstraints, refuseContradictions } from "../../constraints/index.js";
import { upTo } from "../../linalg/indices.js";
import type { ConstraintSet, Links } from "../../model/constraint-set.js";
import type { InstanceId } from "../../model/points.js";
import type { PairAnswer } from "../../steps/index.js";
import type { Journal } from "./journal.js";

export interface Learned {
  /**
   * The rows of the two components that the answer joined; null if it joined none. The component of the first row of the pair comes first.
   */
  readonly joined: readonly [readonly number[], readonly number[]] | null;
  /** Number of pairs of rows, besides the pair of the question, whose relation follows from the answer. */
  readonly impliedPairs: number;
}

const NONE: ReadonlySet<number> = new Set();

export class Knowledge {
  readonly n: number;
  readonly #given: ConstraintSet;
  readonly #journal: Journal;
  /**
   * Union-find trees of rows: a root holds -size, every other row holds its parent. There is no path compression, so each parent is set
   * only once and the journal stays short.
   */
  readonly #trees: Int32Array;
  /** For each row, the next row of its component. The rows of a component form a circle. */
  readonly #ring: Int32Array;
  /**
   * For each root row of a component: the roots of the components that a cannot-link keeps apart from it, and (`#cliques`) the cliques that
   * contain it. A root without such components or cliques is absent.
   */
  readonly #apart = new Map<number, Set<number>>();
  readonly #cliques = new Map<number, Set<number>>();
  /** For each clique of separated components, one row of each component. */
  readonly #inClique: Int32Array[] = [];
  readonly #unsure = new Map<number, Set<number>>();
  readonly #answers: (readonly [number, number, PairAnswer])[] = [];

  /** Starts with the given constraints. Throws if these constraints contradict each other. `ids`: the names of rows in the error. */
  constructor(given: ConstraintSet, journal: Journal, ids?: readonly InstanceId[]) {
    const closure = closeConstraints(given);
    refuseContradictions(closure, ids);
    this.n = given.n;
    this.#given = given;
    this.#journal = journal;
    this.#trees = new Int32Array(given.n).fill(-1);
    this.#ring = upTo(given.n);
    const { componentCount, members, edges, cliques } = closure;
    const first = (component: number): number => members.items[members.start[component]!]!;
    for (let c = 0; c < componentCount; c++) {
      for (let p = members.start[c]! + 1; p < members.start[c + 1]!; p++) this.#link(first(c), members.items[p]!);
    }
    for (let c = 0; c < componentCount; c++) {
      const root = this.component(first(c));
      for (let p = edges.start[c]!; p < edges.start[c + 1]!; p++) add(this.#apart, root, this.component(first(edges.other[p]!)));
      for (let p = cliques.of.start[c]!; p < cliques.of.start[c + 1]!; p++) add(this.#cliques, root, cliques.of.items[p]!);
    }
    for (let q = 0; q < cliques.count; q++)
      this.#inClique.push(cliques.items.slice(cliques.start[q]!, cliques.start[q + 1]!).map(first));
  }

  /** The root row of the row's component, by which components are compared. The root can change when components are joined. */
  component(row: number): number {
    while (this.#trees[row]! >= 0) row = this.#trees[row]!;
    return row;
  }

  /** The number of rows in the row's component. */
  size(row: number): number {
    return -this.#trees[this.component(row)]!;
  }

  /** All rows of the row's component, ascending. */
  members(row: number): number[] {
    const rows = [row];
    for (let other = this.#ring[row]!; other !== row; other = this.#ring[other]!) rows.push(other);
    return rows.sort((a, b) => a - b);
  }

  /**
   * The relation of rows i and j: "same" or "different" if it is known or follows, "unsure" if this pair was answered so, null if unknown.
   */
  relation(i: number, j: number): PairAnswer | null {
    const a = this.component(i);
    const b = this.component(j);
    if (a === b) return "same";
    if (this.#areApart(a, b)) return "different";
    return this.#unsure.get(i)?.has(j) ? "unsure" : null;
  }

  /** Whether `row` and some member of the component of `other` were asked about and answered "unsure". */
  unsureAbout(row: number, other: number): boolean {
    for (const asked of this.#unsure.get(row) ?? []) if (this.component(asked) === this.component(other)) return true;
    return false;
  }

  /** Whether a question about the row was answered "unsure". */
  hasDoubts(row: number): boolean {
    return (this.#unsure.get(row)?.size ?? 0) > 0;
  }

  /** Whether a constraint or an answer keeps the row's component apart from some other component. */
  isSeparated(row: number): boolean {
    const root = this.component(row);
    return (this.#apart.get(root)?.size ?? 0) > 0 || (this.#cliques.get(root)?.size ?? 0) > 0;
  }

  /**
   * What keeps the row's component apart from other components: the roots of components that a cannot-link separates from it, and the
   * numbers of the cliques that contain it.
   */
  separation(row: number): { readonly apart: ReadonlySet<number>; readonly cliques: ReadonlySet<number> } {
    const root = this.component(row);
    return { apart: this.#apart.get(root) ?? NONE, cliques: this.#cliques.get(root) ?? NONE };
  }

  /** One row of each component that must be apart from the row's component, in no particular order. */
  apartFrom(row: number): Set<number> {
    const root = this.component(row);
    const found = new Set(this.#apart.get(root));
    for (const q of this.#cliques.get(root) ?? []) for (const other of this.#inClique[q]!) found.add(this.component(other));
    found.delete(root);
    return found;
  }

  /** Records the answer about rows i and j. Throws if their relation is already known. */
  learn(i: number, j: number, answer: PairAnswer): Learned {
    if (this.relation(i, j) !== null) throw new Error(`Rows ${i} and ${j} are known already.`);
    const answers = this.#answers;
    answers.push([i, j, answer]);
    this.#journal.did(() => answers.pop());
    if (answer === "unsure") {
      this.#add(this.#unsure, i, j);
      this.#add(this.#unsure, j, i);
      return { joined: null, impliedPairs: 0 };
    }
    const [a, b] = [this.component(i), this.component(j)];
    if (answer === "different") {
      this.#add(this.#apart, a, b);
      this.#add(this.#apart, b, a);
      return { joined: null, impliedPairs: this.size(a) * this.size(b) - 1 };
    }
    const joined = [this.members(i), this.members(j)] as const;
    const impliedPairs = this.size(a) * this.size(b) - 1 + this.#newlySeparated(a, b) + this.#newlySeparated(b, a);
    this.#join(a, b);
    return { joined, impliedPairs };
  }

  /** The given constraints, followed by a link for each answer "same" or "different", in the order of the answers. */
  constraints(): ConstraintSet {
    return {
      ...this.#given,
      mustLinks: this.#extended(this.#given.mustLinks, "same"),
      cannotLinks: this.#extended(this.#given.cannotLinks, "different"),
    };
  }

  #extended(links: Links, kind: PairAnswer): Links {
    const learned = this.#answers.filter(([, , answer]) => answer === kind);
    return {
      a: Int32Array.from([...links.a, ...learned.map(([i]) => i)]),
      b: Int32Array.from([...links.b, ...learned.map(([, j]) => j)]),
      weight: Float64Array.from([...links.weight, ...learned.map(() => 1)]),
    };
  }

  #areApart(a: number, b: number): boolean {
    if (this.#apart.get(a)?.has(b)) return true;
    const [few, many] = [this.#cliques.get(a), this.#cliques.get(b)];
    if (!few || !many) return false;
    for (const q of few) if (many.has(q)) return true;
    return false;
  }

  /**
   * The number of pairs of rows that become separated if components a and b are joined. In such a pair, one row is in b, and the other row
   * is in a component that is already kept apart from a, but not from b.
   */
  #newlySeparated(a: number, b: number): number {
    let pairs = 0;
    for (const other of this.apartFrom(a)) if (!this.#areApart(b, other)) pairs += this.size(b) * this.size(other);
    return pairs;
  }

  /** Joins two components. The union inherits the relations of both components. */
  #join(a: number, b: number): void {
    const { root, gone } = this.#link(a, b);
    for (const other of this.#apart.get(gone) ?? []) {
      this.#add(this.#apart, root, other);
      this.#remove(this.#apart, other, gone);
      this.#add(this.#apart, other, root);
    }
    for (const q of this.#cliques.get(gone) ?? []) this.#add(this.#cliques, root, q);
  }

  #link(i: number, j: number): { readonly root: number; readonly gone: number } {
    const [a, b] = [this.component(i), this.component(j)];
    const [root, gone] = this.#trees[b]! < this.#trees[a]! ? [b, a] : [a, b];
    const journal = this.#journal;
    journal.set(this.#trees, root, this.#trees[root]! + this.#trees[gone]!);
    journal.set(this.#trees, gone, root);
    const after = this.#ring[root]!;
    journal.set(this.#ring, root, this.#ring[gone]!);
    journal.set(this.#ring, gone, after);
    return { root, gone };
  }

  #add(sets: Map<number, Set<number>>, key: number, value: number): void {
    if (add(sets, key, value)) this.#journal.did(() => sets.get(key)!.delete(value));
  }

  #remove(sets: Map<number, Set<number>>, key: number, value: number): void {
    if (sets.get(key)?.delete(value)) this.#journal.did(() => sets.get(key)!.add(value));
  }
}

function add(sets: Map<number, Set<number>>, key: number, value: number): boolean {
  const set = sets.get(key);
  if (set?.has(value)) return false;
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
  return true;
}
