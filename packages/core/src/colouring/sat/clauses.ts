/**
 * Learned clauses: lists of literals of which at least one must be true. Literal 2x means that variable x is true, literal 2x + 1
 * that it is false. The first two literals of a clause are watched: while neither is false, the clause implies nothing.
 */

export interface Clauses {
  /**
   * All clauses in one array. Per clause: number of literals, levels spanned when it was learned, its derivation, then the
   * literals.
   */
  words: Int32Array;
  length: number;
  /** Start of each clause in `words`. */
  places: number[];
  /**
   * For each literal, the clauses that watch it, as pairs of a clause and another literal of it. While that other literal is true,
   * the clause can be skipped.
   */
  readonly watchers: number[][];
  capacity: number;
}

const FIRST_CAPACITY = 2000;

export function openClauses(variables: number): Clauses {
  const watchers = Array.from({ length: 2 * variables }, () => []);
  return { words: new Int32Array(1024), length: 0, places: [], watchers, capacity: FIRST_CAPACITY };
}

/** Header entries before the literals. */
export const CLAUSE_HEAD = 3;

/** Adds a clause of at least two literals. Returns its position in `words`. */
export function addClause(clauses: Clauses, literals: readonly number[], span: number, derivation: number): number {
  const place = clauses.length;
  const end = place + CLAUSE_HEAD + literals.length;
  if (end > clauses.words.length) {
    const larger: Int32Array<ArrayBuffer> = new Int32Array(2 * end);
    larger.set(clauses.words);
    clauses.words = larger;
  }
  clauses.words.set([literals.length, span, derivation], place);
  clauses.words.set(literals, place + CLAUSE_HEAD);
  clauses.length = end;
  clauses.places.push(place);
  watch(clauses, place);
  return place;
}

function watch({ words, watchers }: Clauses, place: number): void {
  const first = words[place + CLAUSE_HEAD]!;
  const second = words[place + CLAUSE_HEAD + 1]!;
  watchers[first]!.push(place, second);
  watchers[second]!.push(place, first);
}

export function derivationOf({ words }: Clauses, place: number): number {
  return words[place + 2]!;
}

/** Writes the variables of a clause, except x, to `into`. Returns their number. */
export function gatherClause({ words }: Clauses, place: number, x: number, into: Int32Array): number {
  const end = place + CLAUSE_HEAD + words[place]!;
  let count = 0;
  for (let at = place + CLAUSE_HEAD; at < end; at++) {
    const y = words[at]! >> 1;
    if (y !== x) into[count++] = y;
  }
  return count;
}

const MORE_CAPACITY = 300;
/** Clauses that span at most this many levels are never deleted. */
const WORTHY_SPAN = 2;

/**
 * If there are more clauses than `capacity`, deletes the half of the candidates that spans the most levels, and increases `capacity`.
 * Positions change, so no variable above level 0 can have a clause as its reason.
 */
export function forgetClauses(clauses: Clauses): void {
  const { words, places, watchers } = clauses;
  if (places.length <= clauses.capacity) return;
  const size = (place: number): number => words[place]!;
  const span = (place: number): number => words[place + 1]!;
  const candidates = places.filter((place) => size(place) > 2 && span(place) > WORTHY_SPAN);
  candidates.sort((a, b) => span(b) - span(a) || size(b) - size(a) || a - b);
  const forgotten = new Set(candidates.slice(0, candidates.length >> 1));
  for (const list of watchers) list.length = 0;
  const kept: number[] = [];
  let length = 0;
  for (const place of places) {
    if (forgotten.has(place)) continue;
    words.copyWithin(length, place, place + CLAUSE_HEAD + size(place));
    kept.push(length);
    length += CLAUSE_HEAD + words[length]!;
  }
  clauses.length = length;
  clauses.places = kept;
  clauses.capacity += MORE_CAPACITY;
  for (const place of kept) watch(clauses, place);
}
