/**
 * Keeps the neighbourhoods of a dialogue: must-link components that are known to be apart from each other, so each is part of a different
 * cluster. To find the cluster of a new row, a strategy compares the row with one neighbourhood after another. The question shows the
 * member of the neighbourhood that is nearest to the row, because near rows are the easiest to compare.
 */
import type { Journal } from "../journal.js";
import type { Knowledge } from "../knowledge.js";

export class Neighbourhoods {
  /** One row of each neighbourhood. Only the first `count` entries are used. */
  readonly #rows: Int32Array;
  readonly #count = new Int32Array(1);
  readonly #knowledge: Knowledge;
  readonly #journal: Journal;

  /**
   * Starts with the must-link components of the given constraints, the largest first. A component becomes a neighbourhood if it is known to
   * be apart from all earlier neighbourhoods.
   */
  constructor(knowledge: Knowledge, journal: Journal) {
    this.#knowledge = knowledge;
    this.#journal = journal;
    this.#rows = new Int32Array(knowledge.n);
    for (const row of componentsBySize(knowledge)) {
      if (this.rows().every((other) => knowledge.relation(row, other) === "different")) this.add(row);
    }
  }

  /** One row of each neighbourhood, oldest neighbourhood first. */
  rows(): readonly number[] {
    return Array.from(this.#rows.subarray(0, this.#count[0]));
  }

  get count(): number {
    return this.#count[0]!;
  }

  /** Makes the row's component a neighbourhood. */
  add(row: number): void {
    this.#journal.set(this.#rows, this.count, row);
    this.#journal.set(this.#count, 0, this.count + 1);
  }

  /** Whether the row is in a neighbourhood. */
  hold(row: number): boolean {
    const component = this.#knowledge.component(row);
    return this.rows().some((other) => this.#knowledge.component(other) === component);
  }

  /**
   * Whether only one neighbourhood is possible for the row, because there are k neighbourhoods and the row must be apart from all others.
   */
  isLeftWithOne(row: number, k: number): boolean {
    return this.count >= k && this.possible(row).length === 1;
  }

  /** Makes the row's component a neighbourhood if it is known to be apart from all existing neighbourhoods. */
  addIfApart(row: number): void {
    if (this.possible(row).length === 0) this.add(row);
  }

  /** The neighbourhoods that the row is in or can still be in, each given by one row. */
  possible(row: number): number[] {
    return this.rows().filter((other) => this.#knowledge.relation(row, other) !== "different");
  }

  /**
   * The neighbourhoods, each given by one row, that the row can be compared with in a question. There are none if the row is in a
   * neighbourhood, or if only one of k neighbourhoods is possible. Neighbourhoods about which the answer was "unsure" are left out.
   */
  toAsk(row: number, k: number): number[] {
    if (this.hold(row) || this.isLeftWithOne(row, k)) return [];
    return this.possible(row).filter((other) => !this.#knowledge.unsureAbout(row, other));
  }
}

/** The member of the component of `other` that is nearest to `row`, the lowest row number on ties, and its distance. */
export function nearestMember(
  knowledge: Knowledge,
  row: number,
  other: number,
  distance: (i: number, j: number) => number,
): { readonly member: number; readonly distance: number } {
  let best = -1;
  let least = Infinity;
  for (const member of knowledge.members(other)) {
    const length = distance(row, member);
    if (length < least) {
      least = length;
      best = member;
    }
  }
  return { member: best, distance: least };
}

/** The mean distance from `row` to the members of the component of `other`. */
export function meanDistance(
  knowledge: Knowledge,
  row: number,
  other: number,
  distance: (i: number, j: number) => number,
): number {
  const members = knowledge.members(other);
  return members.reduce((sum, member) => sum + distance(row, member), 0) / members.length;
}

/** The item for which `measure` is smallest, the first item on ties; undefined if there are no items. */
export function leastBy<T>(items: readonly T[], measure: (item: T) => number): T | undefined {
  let best: T | undefined;
  let least = Infinity;
  for (const item of items) {
    const value = measure(item);
    if (value < least || best === undefined) {
      least = value;
      best = item;
    }
  }
  return best;
}

/** One row of each component that has several rows or must be apart from another component. Larger components come first. */
function componentsBySize(knowledge: Knowledge): number[] {
  const rows: number[] = [];
  for (let row = 0; row < knowledge.n; row++) {
    if (knowledge.component(row) === row && (knowledge.size(row) > 1 || knowledge.isSeparated(row))) rows.push(row);
  }
  return rows.sort((a, b) => knowledge.size(b) - knowledge.size(a) || a - b);
}
