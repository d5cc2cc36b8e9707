/** The cells of a column that turned out to hold both numbers and text: how many of each, the first of them, and the sentence. */
import { badInput } from "@coterie/core/internal";
import { shellListFlag } from "@coterie/core/shell";
import { notationOf, saysMissing } from "./number-notation.js";
import { quoted } from "./sentences.js";

/** How many offending cells a sentence names. */
const NAMED_CELLS = 3;

interface Example {
  /** Its line, or its row where the format has no lines. */
  readonly place: number;
  readonly text: string;
}

class Kind {
  count = 0;
  readonly examples: Example[] = [];

  add(place: () => number, text: string): void {
    if (this.count++ < NAMED_CELLS) this.examples.push({ place: place(), text });
  }
}

export class MixedCells {
  readonly #numbers = new Kind();
  readonly #texts = new Kind();
  /** Texts that were meant as numbers, and texts that were meant as no value. */
  #notations = 0;
  #missing = 0;
  #notation: string | undefined;

  number(place: () => number, text: string): void {
    this.#numbers.add(place, text);
  }

  text(place: () => number, text: string): void {
    this.#texts.add(place, text);
    const notation = notationOf(text);
    this.#notation ??= notation;
    if (notation !== undefined) this.#notations++;
    else if (saysMissing(text)) this.#missing++;
  }

  /** The rarer kind is the likelier slip; but texts that were meant as numbers or as no value are slips however many there are. */
  error(name: string, file: string, unit: "line" | "row"): Error {
    const [texts, numbers] = [this.#texts.count, this.#numbers.count];
    const textOffends = texts <= numbers || 2 * (this.#notations + this.#missing) >= texts;
    const [offending, others] = textOffends ? [this.#texts, this.#numbers] : [this.#numbers, this.#texts];
    const at = ({ place, text }: Example) => `${unit} ${place} ${quoted(text)}`;
    const named = offending.examples.map(at).join(", ");
    const more = offending.count > offending.examples.length ? ", …" : "";
    const what = textOffends ? "text" : offending.count === 1 ? "a number" : "numbers";
    const rest = `the ${others.count === 1 ? "other is" : "others are"} ${textOffends ? (others.count === 1 ? "a number" : "numbers") : "text"}`;
    return badInput(
      `Column ${quoted(name)} mixes numbers and text: ${offending.count} of its ${texts + numbers} cells ${offending.count === 1 ? "is" : "are"} ${what} (${named}${more}); ${rest} (${at(others.examples[0]!)}${others.count > 1 ? ", …" : ""})${unit === "row" ? "; rows count from 0" : ""}.`,
      {
        file,
        ...(unit === "line" ? { line: offending.examples[0]!.place } : {}),
        remedy: `${this.#mend(textOffends)}, read the column as text (${shellListFlag("--nominal", name)}), or leave it out (${shellListFlag("--ignore", name)}).`,
      },
    );
  }

  #mend(textOffends: boolean): string {
    if (!textOffends || this.#notations + this.#missing === 0) return "Mend them";
    const plain = this.#notations > 0 ? `write the numbers without ${this.#notation}` : "";
    const empty = this.#missing > 0 ? "leave cells empty where there is no value" : "";
    const both = [plain, empty].filter((part) => part !== "").join(" and ");
    return `${both[0]!.toUpperCase()}${both.slice(1)}`;
  }
}
