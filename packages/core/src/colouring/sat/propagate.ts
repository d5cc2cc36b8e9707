/** Draws the consequences of assigned variables: from the graph, from the colours left to a vertex, from learned clauses. */
import { CLAUSE_HEAD } from "./clauses.js";
import { assign, LAST_COLOUR, type Solver } from "./state.js";

/** A clause all of whose literals are false: of a vertex without colours, of two variables, or a learned one. */
export type Conflict = { readonly vertex: number } | { readonly pair: readonly [number, number] } | { readonly clause: number };

/** Draws all consequences; a clause that failed, if one did. */
export function propagate(solver: Solver): Conflict | null {
  const { value, trail, vertexOf } = solver;
  while (solver.propagated < solver.length) {
    const x = trail[solver.propagated++]!;
    const conflict = value[x] === 1 ? exclude(solver, x) : narrow(solver, vertexOf[x]!);
    if (conflict) return conflict;
    const failed = propagateClauses(solver, x);
    if (failed >= 0) return { clause: failed };
  }
  return null;
}

/** x is true: no other colour for its vertex, not this colour for its neighbours. */
function exclude(solver: Solver, x: number): Conflict | null {
  const { graph, k, value, vertexOf } = solver;
  const { start, items } = graph;
  const v = vertexOf[x]!;
  const c = x - v * k;
  for (let y = v * k; y < v * k + k; y++) {
    if (y === x || value[y] === -1) continue;
    if (value[y] === 1) return { pair: [x, y] };
    assign(solver, y, false, x);
  }
  const end = start[v + 1]!;
  for (let p = start[v]!; p < end; p++) {
    const y = items[p]! * k + c;
    if (value[y] === -1) continue;
    if (value[y] === 1) return { pair: [x, y] };
    assign(solver, y, false, x);
  }
  return null;
}

function narrow(solver: Solver, v: number): Conflict | null {
  const { k, value, open, colour } = solver;
  if (open[v] === 0) return { vertex: v };
  if (open[v]! > 1 || colour[v] !== -1) return null;
  let x = v * k;
  while (value[x] === -1) x++;
  assign(solver, x, true, LAST_COLOUR);
  return null;
}

/** Variable x was assigned: assigns what the clauses now say; the place of a clause that failed, or -1. */
function propagateClauses(solver: Solver, x: number): number {
  const { value, clauses } = solver;
  const { words, watchers } = clauses;
  const failing = 2 * x + (value[x] === 1 ? 1 : 0);
  const list = watchers[failing]!;
  const count = list.length;
  let kept = 0;
  for (let i = 0; i < count; i += 2) {
    const place = list[i]!;
    const other = list[i + 1]!;
    if (value[other >> 1] === ((other & 1) === 0 ? 1 : -1)) {
      list[kept++] = place;
      list[kept++] = other;
      continue;
    }
    const at = place + CLAUSE_HEAD;
    if (words[at] === failing) {
      words[at] = words[at + 1]!;
      words[at + 1] = failing;
    }
    const first = words[at]!;
    const truth = (first & 1) === 0 ? 1 : -1;
    if (value[first >> 1] !== truth && watchAnother(words, place, value, watchers)) continue;
    list[kept++] = place;
    list[kept++] = first;
    if (value[first >> 1] === truth) continue;
    if (value[first >> 1] !== 0) {
      for (let rest = i + 2; rest < count; rest++) list[kept++] = list[rest]!;
      list.length = kept;
      return place;
    }
    assign(solver, first >> 1, truth === 1, value.length + place);
  }
  list.length = kept;
  return -1;
}

/** The second literal failed: watches one that has not, if there is one. */
function watchAnother(words: Int32Array, place: number, value: Int8Array, watchers: number[][]): boolean {
  const at = place + CLAUSE_HEAD;
  const end = at + words[place]!;
  for (let j = at + 2; j < end; j++) {
    const literal = words[j]!;
    if (value[literal >> 1] === ((literal & 1) === 0 ? -1 : 1)) continue;
    words[j] = words[at + 1]!;
    words[at + 1] = literal;
    watchers[literal]!.push(place, words[at]!);
    return true;
  }
  return false;
}
