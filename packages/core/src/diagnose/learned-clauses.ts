/**
 * Clauses that a search has learned: literals of which at least one is true. Literal 2x says that statement x is true, 2x + 1
 * that it is false. The first two literals of a clause are watched: as long as neither is false, the clause has nothing to say.
 */

export interface Clauses {
  /** Null for a clause that was forgotten. */
  readonly literals: (Int32Array | null)[];
  /** What the derivation of each clause rests on. */
  readonly causes: Uint32Array[];
  /** Levels that each clause spanned when it was learned: the fewer, the more it is worth. */
  readonly spans: number[];
  /** Clauses that watch each literal. */
  readonly watchers: (number[] | undefined)[];
  kept: number;
  room: number;
}

const FIRST_ROOM = 2000;
const MORE_ROOM = 300;
const WORTHY_SPAN = 2;

export function openClauses(): Clauses {
  return { literals: [], causes: [], spans: [], watchers: [], kept: 0, room: FIRST_ROOM };
}

export function variable(literal: number): number {
  return literal >> 1;
}

export function addClause(clauses: Clauses, literals: Int32Array, span: number, causes: Uint32Array): number {
  const clause = clauses.literals.length;
  clauses.literals.push(literals);
  clauses.causes.push(causes);
  clauses.spans.push(span);
  clauses.kept++;
  if (literals.length > 1) {
    watch(clauses, literals[0]!, clause);
    watch(clauses, literals[1]!, clause);
  }
  return clause;
}

function watch({ watchers }: Clauses, literal: number, clause: number): void {
  const list = watchers[literal];
  if (list) list.push(clause);
  else watchers[literal] = [clause];
}

function isFalse(value: Int8Array, literal: number): boolean {
  return value[literal >> 1] === ((literal & 1) === 0 ? -1 : 1);
}

function isTrue(value: Int8Array, literal: number): boolean {
  return value[literal >> 1] === ((literal & 1) === 0 ? 1 : -1);
}

/** Statement x was settled: calls `force` for what the clauses now say; returns a clause that failed, or -1. */
export function followClauses(
  clauses: Clauses,
  value: Int8Array,
  x: number,
  force: (literal: number, clause: number) => void,
): number {
  const failing = 2 * x + (value[x] === 1 ? 1 : 0);
  const list = clauses.watchers[failing];
  if (!list) return -1;
  let kept = 0;
  for (let i = 0; i < list.length; i++) {
    const clause = list[i]!;
    const literals = clauses.literals[clause];
    if (!literals) continue;
    if (literals[0] === failing) {
      literals[0] = literals[1]!;
      literals[1] = failing;
    }
    if (!isTrue(value, literals[0]!)) {
      const other = nextWatch(literals, value);
      if (other !== -1) {
        literals[1] = literals[other]!;
        literals[other] = failing;
        watch(clauses, literals[1]!, clause);
        continue;
      }
      if (isFalse(value, literals[0]!)) {
        while (i < list.length) list[kept++] = list[i++]!;
        list.length = kept;
        return clause;
      }
      force(literals[0]!, clause);
    }
    list[kept++] = clause;
  }
  list.length = kept;
  return -1;
}

function nextWatch(literals: Int32Array, value: Int8Array): number {
  for (let i = 2; i < literals.length; i++) if (!isFalse(value, literals[i]!)) return i;
  return -1;
}

/** Once there are more clauses than room, forgets the half of them that span the most levels; gives more room. */
export function forgetClauses(clauses: Clauses, needed: (clause: number) => boolean): void {
  if (clauses.kept <= clauses.room) return;
  const { literals, spans } = clauses;
  const candidates: number[] = [];
  literals.forEach((list, clause) => {
    if (list && list.length > 2 && spans[clause]! > WORTHY_SPAN && !needed(clause)) candidates.push(clause);
  });
  candidates.sort((a, b) => spans[b]! - spans[a]! || a - b);
  for (const clause of candidates.slice(0, candidates.length >> 1)) {
    literals[clause] = null;
    clauses.causes[clause] = NOTHING;
    clauses.kept--;
  }
  clauses.room += MORE_ROOM;
}

const NOTHING = new Uint32Array(0);
