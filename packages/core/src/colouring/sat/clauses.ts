/**
 * Clauses that a search has learned: literals of which at least one is true. Literal 2x says that variable x is true, 2x + 1
 * that it is false. The first two literals of a clause are watched: as long as neither is false, the clause has nothing to say.
 */

export interface Clauses {
  /** Clause after clause: how many literals, levels spanned when it was learned, its derivation, the literals. */
  words: Int32Array;
  length: number;
  /** Where each clause starts. */
  places: number[];
  /** For each literal the clauses that watch it, each followed by another of its literals: while that is true, it need not be looked at. */
  readonly watchers: number[][];
  room: number;
}

/** Words before the literals. */
export const CLAUSE_HEAD = 3;

const FIRST_ROOM = 2000;
const MORE_ROOM = 300;
const WORTHY_SPAN = 2;

export function openClauses(variables: number): Clauses {
  const watchers = Array.from({ length: 2 * variables }, () => []);
  return { words: new Int32Array(1024), length: 0, places: [], watchers, room: FIRST_ROOM };
}

/** Adds a clause of two literals or more; its place. */
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

/** Writes the variables of a clause, but for x, to `into`; how many they are. */
export function gatherClause({ words }: Clauses, place: number, x: number, into: Int32Array): number {
  const end = place + CLAUSE_HEAD + words[place]!;
  let count = 0;
  for (let at = place + CLAUSE_HEAD; at < end; at++) {
    const y = words[at]! >> 1;
    if (y !== x) into[count++] = y;
  }
  return count;
}

/**
 * Once there are more clauses than room, forgets the half of them that span the most levels; gives more room. Places change, so
 * nothing above level 0 may have a clause for its reason.
 */
export function forgetClauses(clauses: Clauses): void {
  const { words, places, watchers } = clauses;
  if (places.length <= clauses.room) return;
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
  clauses.room += MORE_ROOM;
  for (const place of kept) watch(clauses, place);
}
