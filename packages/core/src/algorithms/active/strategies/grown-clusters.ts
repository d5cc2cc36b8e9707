/**
 * The rows of clusters that grow by merging, and their roots. The root of a cluster is the row that questions about the cluster
 * show: its medoid, the member of least total distance to the cluster's rows, the lowest on ties (the paper does not define the root).
 */

import type { Lists } from "../../../constraints/index.js";
import { upTo } from "../../../linalg/indices.js";
import type { Journal } from "../journal.js";

export class GrownClusters {
  readonly #rows: Lists;
  /** n × m: total distance from each row to the rows of each of the m start clusters. */
  readonly #totals: Float64Array;
  readonly #m: number;
  /** Total distance of each row to its own cluster. */
  readonly #own: Float64Array;
  /** The start clusters in each cluster, as a circular list. */
  readonly #ring: Int32Array;
  readonly #journal: Journal;

  /** `rows`: the rows of each start cluster; `totals`: total distance from each row to the rows of each start cluster. */
  constructor(rows: Lists, totals: Float64Array, journal: Journal) {
    this.#rows = rows;
    this.#totals = totals;
    this.#m = rows.start.length - 1;
    this.#journal = journal;
    this.#ring = upTo(this.#m);
    this.#own = new Float64Array(rows.items.length);
    for (let c = 0; c < this.#m; c++) for (const row of this.startRows(c)) this.#own[row] = totals[row * this.#m + c]!;
  }

  /** All rows of a cluster. */
  *members(cluster: number): Generator<number, void, void> {
    for (const part of this.parts(cluster)) yield* this.startRows(part);
  }

  /** The start clusters that the cluster consists of. */
  parts(cluster: number): number[] {
    const parts = [cluster];
    for (let c = this.#ring[cluster]!; c !== cluster; c = this.#ring[c]!) parts.push(c);
    return parts;
  }

  root(cluster: number): number {
    let best = -1;
    for (const row of this.members(cluster)) {
      const better = best < 0 ? -1 : this.#own[row]! - this.#own[best]!;
      if (better < 0 || (better === 0 && row < best)) best = row;
    }
    return best;
  }

  merge(a: number, b: number): void {
    const sides = [this.parts(a), this.parts(b)] as const;
    for (const [side, other] of [sides, [sides[1], sides[0]]] as const) {
      for (const part of side) {
        for (const row of this.startRows(part)) {
          let total = this.#own[row]!;
          for (const c of other) total += this.#totals[row * this.#m + c]!;
          this.#journal.set(this.#own, row, total);
        }
      }
    }
    const next = this.#ring[a]!;
    this.#journal.set(this.#ring, a, this.#ring[b]!);
    this.#journal.set(this.#ring, b, next);
  }

  /** The rows of a start cluster. */
  startRows(part: number): Int32Array {
    return this.#rows.items.subarray(this.#rows.start[part]!, this.#rows.start[part + 1]!);
  }
}
