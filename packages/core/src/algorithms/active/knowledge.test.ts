import fc from "fast-check";
import { expect, test } from "vitest";
import { closeConstraints, constraints } from "../../constraints/index.js";
import { CoterieError } from "../../errors.js";
import type { PairAnswer } from "../../steps/index.js";
import { Journal } from "./journal.js";
import { Knowledge } from "./knowledge.js";

const N = 12;

/** Classes of the rows, given pairs and groups consistent with them, and pairs to answer, some of them "unsure". */
const stories = fc.record({
  truth: fc.array(fc.nat(3), { minLength: N, maxLength: N }),
  given: fc.array(fc.tuple(fc.nat(N - 1), fc.nat(N - 1)), { maxLength: 4 }),
  labelled: fc.nat(3),
  grouped: fc.boolean(),
  asked: fc.array(fc.tuple(fc.nat(N - 1), fc.nat(N - 1), fc.nat(5)), { maxLength: 30 }),
});

function tell({ truth, given, labelled, grouped }: typeof stories extends fc.Arbitrary<infer S> ? S : never) {
  const pairs = given.filter(([i, j]) => i !== j);
  const firsts = [0, 1, 2, 3].map((code) => truth.indexOf(code));
  const codes = Int32Array.from(truth, (code, row) => (grouped && firsts[code] === row ? 0 : -1));
  return constraints(
    { n: N },
    {
      mustLink: pairs.filter(([i, j]) => truth[i] === truth[j]),
      cannotLink: pairs.filter(([i, j]) => truth[i] !== truth[j]),
      labels: truth.slice(0, labelled).map((code, row) => [row, `c${code}`] as const),
      exclusive: [{ column: "source", codes, names: ["s"] }],
    },
  );
}

/** The complete public state. */
function stateOf(knowledge: Knowledge): unknown {
  const rows = Array.from({ length: N }, (_, row) => row);
  return {
    relations: rows.map((i) => rows.map((j) => knowledge.relation(i, j))),
    members: rows.map((row) => knowledge.members(row)),
    sizes: rows.map((row) => knowledge.size(row)),
    parted: rows.map((row) => knowledge.isSeparated(row)),
    doubts: rows.map((row) => knowledge.hasDoubts(row)),
    apart: rows.map((row) => [...knowledge.apartFrom(row)].map((other) => knowledge.members(other)[0]).sort()),
    constraints: knowledge.constraints(),
  };
}

test("implied relations equal the closure of the same constraints, and undo reverts them", () => {
  fc.assert(
    fc.property(stories, (story) => {
      const journal = new Journal();
      const knowledge = new Knowledge(tell(story), journal);
      const past: { readonly mark: number; readonly state: unknown }[] = [];
      for (const [i, j, luck] of story.asked) {
        if (i === j || knowledge.relation(i, j) !== null) continue;
        past.push({ mark: journal.mark(), state: stateOf(knowledge) });
        const knownBefore = knownPairs(knowledge);
        const answer: PairAnswer = luck === 0 ? "unsure" : story.truth[i] === story.truth[j] ? "same" : "different";
        const { joined, impliedPairs } = knowledge.learn(i, j, answer);
        expect(joined !== null).toBe(answer === "same");
        expect(impliedPairs).toBe(Math.max(0, knownPairs(knowledge) - knownBefore - 1));
        const closure = closeConstraints(knowledge.constraints());
        for (let a = 0; a < N; a++) {
          for (let b = 0; b < N; b++) {
            const [p, q] = [closure.component[a]!, closure.component[b]!];
            const known = p === q ? "same" : closure.apart(p, q) ? "different" : null;
            const seen = knowledge.relation(a, b);
            expect(seen === "unsure" ? null : seen).toBe(known);
          }
        }
      }
      for (const { mark, state } of past.reverse()) {
        journal.rewind(mark);
        expect(stateOf(knowledge)).toEqual(state);
      }
    }),
    { numRuns: 60 },
  );
});

function knownPairs(knowledge: Knowledge): number {
  let known = 0;
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < i; j++) if (["same", "different"].includes(knowledge.relation(i, j) ?? "")) known++;
  }
  return known;
}

test("refuses answers about known pairs, and contradictions", () => {
  const knowledge = new Knowledge(constraints({ n: 3 }, { mustLink: [[0, 1]], cannotLink: [[1, 2]] }), new Journal());
  expect(() => knowledge.learn(0, 2, "same")).toThrow("known already");
  expect(() => knowledge.learn(0, 1, "different")).toThrow("known already");
  const clash = constraints({ n: 3, ids: ["a", "b", "c"] }, { mustLink: [["a", "b"]], cannotLink: [["a", "b"]] });
  expect(() => new Knowledge(clash, new Journal(), ["a", "b", "c"])).toThrow(CoterieError);
  expect(() => new Knowledge(clash, new Journal(), ["a", "b", "c"])).toThrow("a and b cannot link");
});

test('an "unsure" answer counts for the whole component of the other row', () => {
  const knowledge = new Knowledge(constraints({ n: 4 }, {}), new Journal());
  knowledge.learn(0, 1, "unsure");
  expect(knowledge.relation(1, 0)).toBe("unsure");
  expect(knowledge.unsureAbout(0, 2)).toBe(false);
  knowledge.learn(1, 2, "same");
  expect(knowledge.unsureAbout(0, 2)).toBe(true);
  expect(knowledge.relation(0, 2)).toBeNull();
});
