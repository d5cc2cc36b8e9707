/** Maximum number of names that are searched for a suggestion. With a million ids, the search would take too long. */
const MOST_NAMES = 20_000;
const LONGEST = 64;

/**
 * The name with the smallest edit distance to a mistyped name. Undefined if this distance is above both 1 and a third of the length of the
 * mistyped name.
 */
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

/** Three rows of the table of edit distances, reused between calls. */
let table = [new Int32Array(64), new Int32Array(64), new Int32Array(64)] as const;

/**
 * Edit distance with insertions, deletions, substitutions and swaps of neighbours. Returns `most` if the distance is `most` or more. A cell
 * (i, j) of the table needs at least |i - j| edits. So only cells with |i - j| < `most` are computed (Ukkonen 1985).
 */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) >= most) return most;
  if (b.length + 2 > table[0].length) {
    const length = 2 * (b.length + 2);
    table = [new Int32Array(length), new Int32Array(length), new Int32Array(length)];
  }
  let [older, previous, row]: Int32Array[] = [...table];
  for (let j = 0; j <= b.length; j++) previous![j] = j;
  for (let i = 1; i <= a.length; i++) {
    const [from, to] = [Math.max(1, i - most + 1), Math.min(b.length, i + most - 1)];
    const letter = a.charCodeAt(i - 1);
    row![from - 1] = from === 1 ? i : most;
    let least = row![from - 1]!;
    for (let j = from; j <= to; j++) {
      const other = b.charCodeAt(j - 1);
      let edits = previous![j - 1]! + (letter === other ? 0 : 1);
      if (previous![j]! + 1 < edits) edits = previous![j]! + 1;
      if (row![j - 1]! + 1 < edits) edits = row![j - 1]! + 1;
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other && older![j - 2]! + 1 < edits)
        edits = older![j - 2]! + 1;
      row![j] = edits;
      if (edits < least) least = edits;
    }
    if (least >= most) return most;
    row![to + 1] = most;
    [older, previous, row] = [previous, row, older];
  }
  return Math.min(most, previous![b.length]!);
}
