/** The words of a Newick file, one after the other: marks, names, lengths of branches. Blanks and [comments] are passed over. */
import { badInput, type CoterieError } from "@coterie/core";

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
  const quotedName = (quote: string): string => {
    const from = p;
    let content = "";
    for (p++; p < text.length; p++) {
      if (text[p] !== quote) content += text[p];
      else if (text[p + 1] === quote) {
        content += quote;
        p++;
      } else {
        p++;
        return content;
      }
    }
    throw fail("A quote opens and is never closed", "Close it, or double it inside a quoted name.", from);
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
      const id = quoted ? quotedName(first) : bareName();
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
