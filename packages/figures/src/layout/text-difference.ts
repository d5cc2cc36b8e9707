/** Finds the letters in which two texts differ, so that a page can mark them. */

/** A piece of a text, and whether the other text has it too. */
export interface TextPiece {
  readonly text: string;
  readonly same: boolean;
}

/**
 * Splits `text` into pieces if the texts are similar: at least half of the letters are common, and some letters are not. Null if the texts
 * are equal or differ too much.
 */
export function nearDifference(text: string, other: string): TextPiece[] | null {
  if (text === other) return null;
  const pieces = textDifference(text, other);
  const common = pieces.reduce((sum, piece) => sum + (piece.same ? piece.text.length : 0), 0);
  return common < text.length && 2 * common >= Math.max(text.length, other.length) ? pieces : null;
}

/** In texts with more letters than this, only the common start and the common end count as equal. */
const MOST_LETTERS = 200;

/**
 * Splits `text` into pieces that the other text has too, in the same order, and pieces that only `text` has. The common pieces together are
 * a longest common subsequence.
 */
export function textDifference(text: string, other: string): TextPiece[] {
  const [a, b] = [[...text], [...other]];
  let [start, end] = [0, 0];
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = a.map((_, i) => i < start || i >= a.length - end);
  const [middle, others] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (middle.length <= MOST_LETTERS && others.length <= MOST_LETTERS)
    commonLetters(middle, others).forEach((common, i) => {
      if (common) same[start + i] = true;
    });
  const pieces: { text: string; same: boolean }[] = [];
  a.forEach((letter, i) => {
    const last = pieces.at(-1);
    if (last && last.same === same[i]) last.text += letter;
    else pieces.push({ text: letter, same: same[i]! });
  });
  return pieces;
}

/** For each letter of `a`, whether it belongs to a longest common subsequence with `b`. */
function commonLetters(a: readonly string[], b: readonly string[]): boolean[] {
  const width = b.length + 1;
  const length = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      length[i * width + j] =
        a[i] === b[j] ? length[(i + 1) * width + j + 1]! + 1 : Math.max(length[(i + 1) * width + j]!, length[i * width + j + 1]!);
  const common = a.map(() => false);
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      common[i++] = true;
      j++;
    } else if (length[(i + 1) * width + j]! >= length[i * width + j + 1]!) i++;
    else j++;
  }
  return common;
}
