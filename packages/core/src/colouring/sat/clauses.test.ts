import { expect, test } from "vitest";
import { randomFrom } from "../../random/index.js";
import { drain } from "../../steps/index.js";
import { expand } from "../graphs/graph.js";
import { graphFrom, randomGraph } from "../graphs/graphs.reference.js";
import {
  addClause,
  CLAUSE_HEAD,
  type Clauses,
  derivationOf,
  forgetClauses,
  gatherClause,
  openClauses,
  searchLearning,
} from "./search.js";

interface Plain {
  readonly literals: readonly number[];
  readonly span: number;
}

/** Clause s has derivation s. */
function filled(count: number): { clauses: Clauses; plain: Plain[] } {
  const random = randomFrom(5);
  const variables = 400;
  const clauses = openClauses(variables);
  const plain = Array.from({ length: count }, () => {
    const size = 2 + random.int(6);
    return { literals: Array.from(random.sample(variables, size), (x) => 2 * x + random.int(2)), span: 1 + random.int(8) };
  });
  for (const [s, { literals, span }] of plain.entries()) addClause(clauses, literals, span, s);
  return { clauses, plain };
}

function literalsAt({ words }: Clauses, place: number): number[] {
  return [...words.subarray(place + CLAUSE_HEAD, place + CLAUSE_HEAD + words[place]!)];
}

test("as long as there is capacity nothing is forgotten", () => {
  const { clauses } = filled(2000);
  const [places, watched] = [clauses.places.slice(), clauses.watchers.map(({ length }) => length)];
  forgetClauses(clauses);
  expect(clauses.places).toEqual(places);
  expect(clauses.watchers.map(({ length }) => length)).toEqual(watched);
});

test("above the capacity, half of the long clauses of many levels are deleted, the clauses of most levels first; all other clauses do not change", () => {
  const { clauses, plain } = filled(2001);
  const capacity = clauses.capacity;
  forgetClauses(clauses);
  const worthless = [...plain.keys()].filter((s) => plain[s]!.literals.length > 2 && plain[s]!.span > 2);
  const ranked = worthless.toSorted(
    (s, t) => plain[t]!.span - plain[s]!.span || plain[t]!.literals.length - plain[s]!.literals.length || s - t,
  );
  const forgotten = new Set(ranked.slice(0, ranked.length >> 1));
  const expected = [...plain.keys()].filter((s) => !forgotten.has(s));
  expect(forgotten.size).toBeGreaterThan(500);
  expect(clauses.places.map((place) => derivationOf(clauses, place))).toEqual(expected);
  expect(clauses.places.map((place) => literalsAt(clauses, place))).toEqual(expected.map((s) => plain[s]!.literals));
  expect(clauses.capacity).toBeGreaterThan(capacity);
});

test("each clause is watched by its first two literals, before and after", () => {
  const { clauses } = filled(2001);
  for (const _ of ["before", "after"]) {
    const watched = clauses.watchers.flatMap((list, literal) =>
      Array.from({ length: list.length / 2 }, (_, i) => `${literal} ${list[2 * i]} ${list[2 * i + 1]}`),
    );
    const expected = clauses.places.flatMap((place) => {
      const [first, second] = literalsAt(clauses, place);
      return [`${first} ${place} ${second}`, `${second} ${place} ${first}`];
    });
    expect(watched.toSorted()).toEqual(expected.toSorted());
    forgetClauses(clauses);
  }
});

test("a clause added later is stored after the remaining clauses", () => {
  const { clauses } = filled(2001);
  forgetClauses(clauses);
  const place = addClause(clauses, [2, 7, 9], 3, 77);
  expect(place).toBe(clauses.places.at(-1));
  const into = new Int32Array(8);
  expect([...into.subarray(0, gatherClause(clauses, place, 3, into))]).toEqual([1, 4]);
});

test("a search that forgets three times still proves that five colours do not suffice", () => {
  const plain = randomGraph(45, 270, 1);
  const every = Int32Array.from({ length: plain.n }, (_, v) => v);
  const answer = drain(searchLearning(expand(graphFrom(plain), every, 1e6)!, 5, new Int32Array(0), { left: 1e5 }));
  expect(answer.status).toBe("infeasible");
});
