/**
 * Reference for tests: the words of clusters by definition. Counts every word and pair of words in every cluster. Does not remove stop
 * words.
 */
import { wordsOf } from "./grams.js";

export function slowClusterWords(texts: readonly string[], labels: readonly number[], k: number): [string, number][][] {
  const sentences = texts.map((text) => text.split(/[.!?;:·\n]/).map(wordsOf));
  const used = labels.flatMap((label, row) => (label < 0 ? [] : [row]));
  const rowsOf = Array.from({ length: k }, (_, c) => used.filter((row) => labels[row] === c));
  const filled = rowsOf.filter((rows) => rows.length > 0);
  const has = (row: number, term: string) =>
    sentences[row]!.some((words) =>
      term.includes(" ") ? words.some((word, i) => `${words[i - 1]} ${word}` === term) : words.includes(term),
    );
  const count = (rows: readonly number[], term: string) => rows.filter((row) => has(row, term)).length;
  const vocabulary = [...new Set(used.flatMap((row) => sentences[row]!.flat()))]
    .filter((word) => word.length > 1 && !/^\d+$/.test(word))
    .filter(
      (word) =>
        filled.length < 2 ||
        2 * count(used, word) <= used.length ||
        filled.filter((rows) => 2 * count(rows, word) > rows.length).length < 2,
    );
  const able = new Set(vocabulary);
  const mean = vocabulary.reduce((sum, word) => sum + count(used, word), 0) / Math.max(1, filled.length);
  const weight = (rows: readonly number[], term: string) =>
    (count(rows, term) / rows.length) * Math.log(1 + mean / count(used, term));
  const order = (a: [string, number], b: [string, number]) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1);
  return rowsOf.map((rows) => {
    const words = vocabulary
      .filter((word) => count(rows, word) > 0)
      .filter((word) => filled.length < 2 || count(rows, word) * used.length > count(used, word) * rows.length)
      .map((word): [string, number] => [word, weight(rows, word)])
      .sort(order);
    const pairs = [...new Set(rows.flatMap((row) => sentences[row]!.flatMap(pairsOf)))].filter((pair) => {
      const [a, b] = pair.split(" ");
      return a !== b && able.has(a!) && able.has(b!) && count(rows, pair) >= 2;
    });
    const taken = new Set<string>();
    const listed: string[] = [];
    for (const [word] of words) {
      if (taken.has(word) || listed.length === 10) continue;
      const [best] = pairs
        .filter((pair) => pair.split(" ").includes(word) && pair.split(" ").every((part) => !taken.has(part)))
        .filter((pair) => count(rows, pair) >= 0.75 * count(rows, word))
        .sort((a, b) => count(rows, b) - count(rows, a) || (a < b ? -1 : 1));
      listed.push(best ?? word);
      for (const part of (best ?? word).split(" ")) taken.add(part);
    }
    return listed.map((term): [string, number] => [term, weight(rows, term)]).sort(order);
  });
}

function pairsOf(words: readonly string[]): string[] {
  return words.slice(1).map((word, i) => `${words[i]} ${word}`);
}
