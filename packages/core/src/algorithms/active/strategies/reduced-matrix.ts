/**
 * The distances between clusters in active complete linkage: a merge takes the larger distance, the answer "same" contracts
 * the space around two clusters, "different" bars a pair. Bars are flags: the effective distance of a barred pair is
 * `barred + distance`, it is never lowered, and no path leads through the pair.
 */
import type { Journal } from "../journal.js";

export class ReducedMatrix {
  readonly m: number;
  /** Larger than any distance at the start. */
  readonly barred: number;
  readonly #d: Float64Array;
  readonly #bars: Uint8Array;
  readonly #alive: Uint8Array;
  readonly #count: Int32Array;
  readonly #journal: Journal;

  /** Takes ownership of m × m distances and flags, both symmetric. */
  constructor(d: Float64Array, bars: Uint8Array, barred: number, journal: Journal) {
    this.m = Math.round(Math.sqrt(d.length));
    this.barred = barred;
    this.#d = d;
    this.#bars = bars;
    this.#journal = journal;
    this.#alive = new Uint8Array(this.m).fill(1);
    this.#count = Int32Array.of(this.m);
  }

  /** Number of clusters left. */
  get count(): number {
    return this.#count[0]!;
  }

  clusters(): number[] {
    const left: number[] = [];
    for (let a = 0; a < this.m; a++) if (this.#alive[a] === 1) left.push(a);
    return left;
  }

  isBarred(a: number, b: number): boolean {
    return this.#bars[a * this.m + b] === 1;
  }

  effective(a: number, b: number): number {
    const distance = this.#d[a * this.m + b]!;
    return this.isBarred(a, b) ? this.barred + distance : distance;
  }

  /** The closest two clusters that are not barred, the lower ones on ties; null if all are barred. */
  nearest(): readonly [number, number] | null {
    return this.#nearest(0);
  }

  /** The closest two barred clusters; null if there are none. */
  nearestBarred(): readonly [number, number] | null {
    return this.#nearest(1);
  }

  #nearest(flag: number): readonly [number, number] | null {
    const { m } = this;
    const left = Int32Array.from(this.clusters());
    let least = Infinity;
    let low = -1;
    let high = -1;
    for (let p = 0; p < left.length; p++) {
      const row = left[p]! * m;
      for (let q = p + 1; q < left.length; q++) {
        const at = row + left[q]!;
        if (this.#d[at]! < least && this.#bars[at] === flag) {
          least = this.#d[at]!;
          low = left[p]!;
          high = left[q]!;
        }
      }
    }
    return low < 0 ? null : [low, high];
  }

  bar(a: number, b: number): void {
    this.#journal.set(this.#bars, a * this.m + b, 1);
    this.#journal.set(this.#bars, b * this.m + a, 1);
  }

  /** Sets the distance of the two to 0: distances become shortest paths through them, and a pair barred for one is barred for both. */
  contract(a: number, b: number): void {
    const others = this.clusters().filter((x) => x !== a && x !== b);
    for (const x of others) if (this.isBarred(a, x) !== this.isBarred(b, x)) this.bar(this.isBarred(a, x) ? b : a, x);
    const near = others.filter((x) => !this.isBarred(a, x));
    const reach = new Map(near.map((x) => [x, Math.min(this.#d[a * this.m + x]!, this.#d[b * this.m + x]!)]));
    for (const [x, length] of reach) for (const end of [a, b]) this.#lower(x, end, length);
    for (const [x, toX] of reach) for (const [y, toY] of reach) if (x < y && !this.isBarred(x, y)) this.#lower(x, y, toX + toY);
    this.#lower(a, b, 0);
  }

  #lower(a: number, b: number, distance: number): void {
    if (!(distance < this.#d[a * this.m + b]!)) return;
    this.#journal.set(this.#d, a * this.m + b, distance);
    this.#journal.set(this.#d, b * this.m + a, distance);
  }

  /** Complete linkage: merges b into a, with the larger of their distances to each other cluster. */
  merge(a: number, b: number): void {
    const { m } = this;
    this.#journal.set(this.#alive, b, 0);
    this.#journal.set(this.#count, 0, this.count - 1);
    for (let x = 0; x < m; x++) {
      if (this.#alive[x] === 0 || x === a) continue;
      if (this.isBarred(b, x) && !this.isBarred(a, x)) this.bar(a, x);
      const larger = this.#d[b * m + x]!;
      if (larger <= this.#d[a * m + x]!) continue;
      this.#journal.set(this.#d, a * m + x, larger);
      this.#journal.set(this.#d, x * m + a, larger);
    }
  }
}
