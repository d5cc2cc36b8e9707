/** The features for comparing texts: words, and the pairs and triples of letters in each word. Ignores the order of words. */

/** Longer words are cut to this length. Words that agree in 64 characters are almost always equal. */
const LONGEST_WORD = 64;
/** Maximum number of words that are read from a text. */
const MOST_WORDS = 64;

const letters = /[\p{L}\p{N}]+/gu;

/** The words of a text in lower case, without accents and punctuation. "Meyer, Anna" and "Anna Meyer" have the same words. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss");
  return (plain.match(letters) ?? []).slice(0, MOST_WORDS).map((word) => word.slice(0, LONGEST_WORD));
}

/** The n-grams of words, without duplicates: each whole word, and its pairs and triples of letters. Each word has marks at both ends. */
export function gramsOf(words: readonly string[]): string[] {
  const grams = new Set<string>();
  for (const word of words) {
    grams.add(`=${word}`);
    const marked = `^${word}$`;
    for (let size = 2; size <= 3; size++) {
      for (let i = 0; i + size <= marked.length; i++) grams.add(marked.slice(i, i + size));
    }
  }
  return [...grams];
}
