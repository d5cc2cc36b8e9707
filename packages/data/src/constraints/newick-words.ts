/** The words of a Newick file, one after the other: marks, names, lengths of branches. Blanks and [comments] are passed over. */
import { badInput, type CoterieError } from "@coterie/core/internal";

export interface NewickWords {
  /** The next character that is neither blank nor comment, undefined at the end. */
  next(): string | undefined;
  /** Goes on behind that character. */
  pass(): void;
  /** The name and the length of a branch that come next, either of which may be left out. */
  label(): { id?: string; length?: number };
  /** What is left, from the next character on. */
  rest(): string;
  /** The error at this place. */
  failure(what: string, remedy: string): CoterieError;
}

export function newickWords(text: string, file: string): NewickWords {
  let p = 0;
  const fail = (what: string, remedy: string, at: number) => badInput(`${what} at character ${at + 1}.`, { file, remedy });

  const next = () => {
    for (;;) {
      while (p < text.length && /\s/.test(text[p]!)) p++;
      if (text[p] !== "[") return text[p];
      const close = text.indexOf("]", p);
      if (close < 0) throw fail("A comment opens and is never closed", "Close it with ].", p);
      p = close + 1;
    }
  };
  const quotedName = (): string => {
    const end = endOfQuoted(text, p);
    if (end < 0) throw fail("A quote opens and is never closed", "Close it, or double it inside a quoted name.", p);
    const quote = text[p]!;
    const name = text.slice(p + 1, end - 1).replaceAll(quote + quote, quote);
    p = end;
    return name;
  };
  const bareName = (): string => {
    const from = p;
    while (p < text.length && !/[\s()[\]{},:;'"]/.test(text[p]!)) p++;
    return text.slice(from, p);
  };
  const branchLength = (): number => {
    const from = p;
    while (p < text.length && /[0-9eE.+-]/.test(text[p]!)) p++;
    const length = p > from ? Number(text.slice(from, p)) : Number.NaN;
    if (!Number.isFinite(length)) throw fail("A branch length is no number", "Write :NUMBER.", from);
    return length;
  };

  return {
    next,
    pass() {
      p++;
    },
    label() {
      const first = next();
      const quoted = first === "'" || first === '"';
      const id = quoted ? quotedName() : bareName();
      const named = quoted || id !== "" ? { id } : {};
      if (next() !== ":") return named;
      p++;
      next();
      return { ...named, length: branchLength() };
    },
    rest() {
      next();
      return text.slice(p);
    },
    failure: (what, remedy) => fail(what, remedy, p),
  };
}

/** Behind the quote that closes the one at `from`, where a doubled one closes nothing; -1 if none does. */
function endOfQuoted(text: string, from: number): number {
  const quote = text[from]!;
  for (let p = text.indexOf(quote, from + 1); p >= 0; p = text.indexOf(quote, p + 2)) {
    if (text[p + 1] !== quote) return p + 1;
  }
  return -1;
}
