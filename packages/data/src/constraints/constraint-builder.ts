/**
 * A constraint set as it is put together, statement by statement: duplicates are kept once with the largest weight, statements
 * that say nothing are dropped and counted, statements that cannot hold are refused.
 */
import { badInput, type ConstraintSet, type Grouping } from "@coterie/core/internal";
import { Growing, GrowingInt } from "../lines/growing.js";
import { counted, quoted } from "../table/sentences.js";
import type { Place } from "./row-names.js";

/** Links or triples, found again by their unordered pair (and third row). */
class Statements {
  readonly a = new GrowingInt();
  readonly b = new GrowingInt();
  readonly c = new GrowingInt();
  readonly weight = new Growing();
  /** Statements with the same pair are chained: triples of one pair differ in c. */
  readonly #first = new Map<number, number>();
  readonly #next = new GrowingInt();
  readonly #n: number;

  constructor(n: number) {
    this.#n = n;
  }

  /** False if the statement was known. */
  add(a: number, b: number, c: number, weight: number): boolean {
    const pair = Math.min(a, b) * this.#n + Math.max(a, b);
    const head = this.#first.get(pair) ?? -1;
    for (let s = head; s >= 0; s = this.#next.at(s)) {
      if (this.c.at(s) !== c) continue;
      if (weight > this.weight.at(s)) this.weight.put(s, weight);
      return false;
    }
    this.#first.set(pair, this.a.length);
    this.#next.push(head);
    this.a.push(a);
    this.b.push(b);
    this.c.push(c);
    this.weight.push(weight);
    return true;
  }
}

export class ConstraintBuilder {
  readonly #n: number;
  readonly #mustLinks: Statements;
  readonly #cannotLinks: Statements;
  readonly #relative: Statements;
  readonly #labelRow = new GrowingInt();
  readonly #labelCode = new GrowingInt();
  readonly #labelWeight = new Growing();
  readonly #labelOf = new Map<number, number>();
  readonly #classes = new Map<string, number>();
  readonly #nameOf: (row: number) => string;
  #duplicates = 0;
  #selfMustLinks = 0;
  #emptyTriples = 0;
  #firstDuplicate: Place | undefined;
  #firstSelf: Place | undefined;
  #firstEmpty: Place | undefined;

  constructor(n: number, nameOf: (row: number) => string) {
    this.#n = n;
    this.#nameOf = nameOf;
    this.#mustLinks = new Statements(n);
    this.#cannotLinks = new Statements(n);
    this.#relative = new Statements(n);
  }

  mustLink(a: number, b: number, weight: number, place: Place): void {
    if (a === b) {
      this.#selfMustLinks++;
      this.#firstSelf ??= place;
    } else this.#note(this.#mustLinks.add(a, b, -1, weight), place);
  }

  cannotLink(a: number, b: number, weight: number, place: Place): void {
    if (a === b) {
      throw badInput(`The cannot-link parts ${quoted(this.#nameOf(a))} from itself.`, {
        ...place,
        remedy: "Name two different rows.",
      });
    }
    this.#note(this.#cannotLinks.add(a, b, -1, weight), place);
  }

  relative(a: number, b: number, c: number, weight: number, place: Place): void {
    if (c === a || c === b) {
      throw badInput(`The relative constraint has ${quoted(this.#nameOf(c))} both inside and outside of its pair.`, {
        ...place,
        remedy: "c must differ from a and b.",
      });
    }
    if (a === b) {
      this.#emptyTriples++;
      this.#firstEmpty ??= place;
    } else this.#note(this.#relative.add(a, b, c, weight), place);
  }

  label(row: number, name: string, weight: number, place: Place): void {
    const code = this.#classes.get(name) ?? this.#classes.size;
    this.#classes.set(name, code);
    const earlier = this.#labelOf.get(row);
    if (earlier === undefined) {
      this.#labelOf.set(row, this.#labelRow.length);
      this.#labelRow.push(row);
      this.#labelCode.push(code);
      this.#labelWeight.push(weight);
      return;
    }
    const known = this.#labelCode.at(earlier);
    if (known !== code) {
      const other = [...this.#classes.keys()][known]!;
      throw badInput(`Row ${quoted(this.#nameOf(row))} is labelled ${quoted(name)}, but ${quoted(other)} earlier.`, {
        ...place,
        remedy: "Keep one of the two labels.",
      });
    }
    if (weight > this.#labelWeight.at(earlier)) this.#labelWeight.put(earlier, weight);
    this.#note(false, place);
  }

  #note(isNew: boolean, place: Place): void {
    if (isNew) return;
    this.#duplicates++;
    this.#firstDuplicate ??= place;
  }

  finish(exclusive: readonly Grouping[]): { readonly set: ConstraintSet; readonly notices: string[] } {
    const links = ({ a, b, weight }: Statements) => ({ a: a.whole(), b: b.whole(), weight: weight.whole() });
    const set: ConstraintSet = {
      n: this.#n,
      mustLinks: links(this.#mustLinks),
      cannotLinks: links(this.#cannotLinks),
      relative: { ...links(this.#relative), c: this.#relative.c.whole() },
      labels: {
        row: this.#labelRow.whole(),
        code: this.#labelCode.whole(),
        weight: this.#labelWeight.whole(),
        names: [...this.#classes.keys()],
      },
      exclusive,
    };
    return { set, notices: this.#notices() };
  }

  #notices(): string[] {
    const notices: string[] = [];
    if (this.#selfMustLinks > 0) {
      const what = counted(this.#selfMustLinks, "must-link of a row with itself", "must-links of rows with themselves");
      notices.push(`${at(this.#firstSelf)}${what} ignored.`);
    }
    if (this.#emptyTriples > 0) {
      const what = counted(this.#emptyTriples, "relative constraint", "relative constraints");
      notices.push(`${at(this.#firstEmpty)}${what} with a = b dropped.`);
    }
    if (this.#duplicates > 0) {
      const what = counted(this.#duplicates, "duplicate constraint");
      notices.push(`${at(this.#firstDuplicate)}${what} left out; each is kept once, with its largest weight.`);
    }
    return notices;
  }
}

function at(place: Place | undefined): string {
  if (!place) return "";
  return place.line === undefined ? `${place.file}: ` : `${place.file}, line ${place.line}: `;
}
