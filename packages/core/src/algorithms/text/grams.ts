/** What texts are compared by: their words, and the pairs and triples of letters in each word. The order of words does not matter. */

/** Words longer than this are cut: nobody tells two of them apart by their ends. */
const LONGEST_WORD = 64;
/** Words of one text that are looked at. */
const MOST_WORDS = 64;

const letters = /[\p{L}\p{N}]+/gu;

/** The words of a text: no accents, no capitals, no marks between. "Meyer, Anna" has those of "Anna Meyer". */
export function wordsOf(text: string): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss");
  return (plain.match(letters) ?? []).slice(0, MOST_WORDS).map((word) => word.slice(0, LONGEST_WORD));
}

/** Each word, and its pairs and triples of letters with its ends marked; each once. */
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
