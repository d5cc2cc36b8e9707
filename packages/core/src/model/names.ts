/** Maximum number of names searched: a suggestion is not worth a long wait among a million ids. */
const MOST_NAMES = 20_000;
const LONGEST = 64;

/** The name closest to a mistyped one: at most one edit away, or a third of its characters. */
export function nearestName(typed: string, names: Iterable<string>): string | undefined {
  if (typed.length > LONGEST) return undefined;
  const word = typed.trim().toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  let searched = 0;
  for (const name of names) {
    if (searched++ === MOST_NAMES) break;
    const edits = editDistance(word, name.trim().toLowerCase(), least);
    if (edits >= least) continue;
    least = edits;
    best = name;
  }
  return best;
}

/** Edit distance with insertions, deletions, substitutions and swaps of neighbours; returns `most` if it is at least that. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) >= most) return most;
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let edits = Math.min(change, previous[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = Math.min(edits, older[j - 2]! + 1);
      row.push(edits);
    }
    older = previous;
    previous = row;
  }
  return Math.min(most, previous[b.length]!);
}
