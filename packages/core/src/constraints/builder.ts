/**
 * Builds a constraint set, one constraint at a time. The library and the file readers share this builder, so both apply the same rules and
 * print the same messages.
 *
 * - Duplicates are stored once, with the largest weight.
 * - Constraints without effect are dropped and counted: a must-link of a row with itself, and a relative constraint with a = b.
 * - These constraints are rejected: a cannot-link of a row with itself, a relative constraint with c equal to a or b, and a second label on
 *   a row.
 */
import { badInput } from "../errors.js";
import type { ConstraintSet, Grouping } from "../model/constraint-set.js";
import { counted, quoted } from "../model/wording.js";

class GrowingArray<A extends Int32Array | Float64Array> {
  #values: A;
  length = 0;

  constructor(initial: A) {
    this.#values = initial;
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new (this.#values.constructor as new (length: number) => A)(2 * this.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  at(index: number): number {
    return this.#values[index]!;
  }

  put(index: number, value: number): void {
    this.#values[index] = value;
  }

  whole(): A {
    return this.#values.slice(0, this.length) as A;
  }
}

class GrowingFloats extends GrowingArray<Float64Array> {
  constructor() {
    super(new Float64Array(64));
  }
}

class GrowingInts extends GrowingArray<Int32Array> {
  constructor() {
    super(new Int32Array(64));
  }
}

/** Position of a constraint for error messages: file and line, if known. */
export interface Place {
  readonly file?: string;
  readonly line?: number;
}

export interface Tidied {
  readonly set: ConstraintSet;
  readonly notices: readonly string[];
}

/** Constraints that were dropped for one reason: their number, and the position of the first one. */
interface Dropped {
  count: number;
  first: Place;
}

export class ConstraintBuilder {
  readonly #n: number;
  readonly #nameOf: (row: number) => string;
  readonly #mustLinks = new DistinctTriples();
  readonly #cannotLinks = new DistinctTriples();
  readonly #relative = new DistinctTriples();
  readonly #labels = new DistinctTriples();
  readonly #labelOf = new Map<number, number>();
  readonly #classes = new Map<string, number>();
  readonly #duplicates: Dropped = { count: 0, first: {} };
  readonly #selfMustLinks: Dropped = { count: 0, first: {} };
  readonly #emptyTriples: Dropped = { count: 0, first: {} };

  /** `nameOf`: returns the name that the user gave a row, for messages. */
  constructor(n: number, nameOf: (row: number) => string) {
    this.#n = n;
    this.#nameOf = nameOf;
  }

  mustLink(a: number, b: number, weight: number, place: Place = {}): void {
    if (a === b) drop(this.#selfMustLinks, place);
    else this.#add(this.#mustLinks, a, b, 0, weight, place);
  }

  cannotLink(a: number, b: number, weight: number, place: Place = {}): void {
    if (a === b) {
      throw badInput(`The cannot-link parts ${quoted(this.#nameOf(a))} from itself.`, {
        ...place,
        remedy: "Name two different rows.",
      });
    }
    this.#add(this.#cannotLinks, a, b, 0, weight, place);
  }

  relative(a: number, b: number, c: number, weight: number, place: Place = {}): void {
    if (c === a || c === b) {
      throw badInput(`The relative constraint has ${quoted(this.#nameOf(c))} both inside and outside of its pair.`, {
        ...place,
        remedy: "c must differ from a and b.",
      });
    }
    if (a === b) drop(this.#emptyTriples, place);
    else this.#add(this.#relative, a, b, c, weight, place);
  }

  label(row: number, name: string, weight: number, place: Place = {}): void {
    const code = this.#classes.get(name) ?? this.#classes.size;
    this.#classes.set(name, code);
    const known = this.#labelOf.get(row) ?? code;
    if (known !== code) {
      const other = [...this.#classes.keys()][known]!;
      throw badInput(`Row ${quoted(this.#nameOf(row))} is labelled ${quoted(name)}, but ${quoted(other)} earlier.`, {
        ...place,
        remedy: "Keep one of the two labels.",
      });
    }
    this.#labelOf.set(row, code);
    this.#add(this.#labels, row, row, code, weight, place);
  }

  #add(triples: DistinctTriples, a: number, b: number, c: number, weight: number, place: Place): void {
    if (!triples.add(a, b, c, weight)) drop(this.#duplicates, place);
  }

  finish(exclusive: readonly Grouping[]): Tidied {
    const links = ({ a, b, weight }: DistinctTriples) => ({ a: a.whole(), b: b.whole(), weight: weight.whole() });
    const set: ConstraintSet = {
      n: this.#n,
      mustLinks: links(this.#mustLinks),
      cannotLinks: links(this.#cannotLinks),
      relative: { ...links(this.#relative), c: this.#relative.c.whole() },
      labels: {
        row: this.#labels.a.whole(),
        code: this.#labels.c.whole(),
        weight: this.#labels.weight.whole(),
        names: [...this.#classes.keys()],
      },
      exclusive,
    };
    return { set, notices: this.#notices() };
  }

  #notices(): string[] {
    return [
      ...noticeOf(
        this.#selfMustLinks,
        (count) => `${counted(count, "must-link of a row with itself", "must-links of rows with themselves")} ignored.`,
      ),
      ...noticeOf(this.#emptyTriples, (count) => `${counted(count, "relative constraint")} with a = b dropped.`),
      ...noticeOf(
        this.#duplicates,
        (count) => `${counted(count, "duplicate constraint")} left out; each is kept once, with its largest weight.`,
      ),
    ];
  }
}

function drop(dropped: Dropped, place: Place): void {
  if (dropped.count++ === 0) dropped.first = place;
}

function noticeOf({ count, first }: Dropped, sentence: (count: number) => string): string[] {
  if (count === 0) return [];
  const line = first.line === undefined ? "" : `, line ${first.line}`;
  return [`${first.file === undefined ? "" : `${first.file}${line}: `}${sentence(count)}`];
}

/** A set of weighted triples without duplicates. ab|c equals ba|c. Triples are found by an open-addressing hash table of flat arrays. */
class DistinctTriples {
  readonly a = new GrowingInts();
  readonly b = new GrowingInts();
  readonly c = new GrowingInts();
  readonly weight = new GrowingFloats();
  #table = new Int32Array(64).fill(-1);

  /** Returns false if the triple was already stored; the stored triple then keeps the larger of the two weights. */
  add(a: number, b: number, c: number, weight: number): boolean {
    const slot = this.#slotOf(a, b, c);
    const known = this.#table[slot]!;
    if (known >= 0) {
      if (weight > this.weight.at(known)) this.weight.put(known, weight);
      return false;
    }
    this.#table[slot] = this.a.length;
    this.a.push(a);
    this.b.push(b);
    this.c.push(c);
    this.weight.push(weight);
    if (2 * this.a.length > this.#table.length) this.#widen();
    return true;
  }

  /** The table slot of the triple, or the free slot where it belongs. */
  #slotOf(a: number, b: number, c: number): number {
    const [low, high] = a < b ? [a, b] : [b, a];
    const mask = this.#table.length - 1;
    let slot = hashOf(low, high, c) & mask;
    for (let s = this.#table[slot]!; s >= 0; s = this.#table[slot]!) {
      const same = Math.min(this.a.at(s), this.b.at(s)) === low && Math.max(this.a.at(s), this.b.at(s)) === high;
      if (same && this.c.at(s) === c) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #widen(): void {
    this.#table = new Int32Array(2 * this.#table.length).fill(-1);
    for (let s = 0; s < this.a.length; s++) this.#table[this.#slotOf(this.a.at(s), this.b.at(s), this.c.at(s))] = s;
  }
}

function hashOf(a: number, b: number, c: number): number {
  let h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b + 0x7f4a7c15, 0x85ebca6b) ^ Math.imul(c + 0x165667b1, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return h ^ (h >>> 13);
}
