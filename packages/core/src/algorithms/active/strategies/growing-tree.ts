/** The merges of a dialogue, appended to the merges before it, numbered as in SciPy's linkage matrix; the journal can undo them. */

import type { Lists } from "../../../constraints/index.js";
import type { Merge } from "../../../model/result.js";
import type { Journal } from "../journal.js";

export class GrowingTree {
  readonly merges: Merge[];
  readonly #n: number;
  /** For each cluster of the dialogue: its node number in the hierarchy, and its number of rows. */
  readonly #name: Int32Array;
  readonly #size: Int32Array;
  readonly #journal: Journal;

  /** `merges` over all rows lead to the start clusters, whose rows are given by the lists. */
  constructor(merges: readonly Merge[], { start, items }: Lists, journal: Journal) {
    const n = items.length;
    this.#n = n;
    this.#journal = journal;
    this.merges = [...merges];
    this.#size = Int32Array.from({ length: start.length - 1 }, (_, c) => start[c + 1]! - start[c]!);
    const clusterOf = new Int32Array(n + merges.length);
    this.#size.forEach((size, c) => {
      for (let p = start[c]!; p < start[c]! + size; p++) clusterOf[items[p]!] = c;
    });
    this.#name = this.#size.map((_, c) => items[start[c]!]!);
    // The node number of a cluster is that of its last merge.
    merges.forEach(([left], t) => {
      clusterOf[n + t] = clusterOf[left]!;
      this.#name[clusterOf[left]!] = n + t;
    });
  }

  /** Merges cluster b into a. */
  merge(a: number, b: number, height: number): void {
    const [one, other] = [this.#name[a]!, this.#name[b]!];
    const size = this.#size[a]! + this.#size[b]!;
    this.merges.push([Math.min(one, other), Math.max(one, other), height, size]);
    this.#journal.did(() => this.merges.pop());
    this.#journal.set(this.#name, a, this.#n + this.merges.length - 1);
    this.#journal.set(this.#size, a, size);
  }
}
