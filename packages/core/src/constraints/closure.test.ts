import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConstraintSet, KnownLabels } from "../model/constraint-set.js";
import { processorMs } from "../testing/processor-ms.js";
import { tuples } from "../testing/tuples.js";
import { constraints } from "./build.js";
import { closeConstraints } from "./closure.js";
import { anySet, givenMustLinks, plainClosure } from "./closure.reference.js";
import { emptyConstraints } from "./sets.js";

test("components in order of their first rows, with members", () => {
  const closure = closeConstraints(
    constraints({ n: 7 }, { mustLink: tuples("5 1, 6 2, 1 3"), cannotLink: tuples("3 2, 5 6, 0 4") }),
  );
  expect([...closure.component]).toEqual([0, 1, 2, 1, 3, 1, 2]);
  expect(closure.componentCount).toBe(4);
  expect([...closure.sizes]).toEqual([1, 3, 2, 1]);
  expect([...closure.members.items]).toEqual([0, 1, 3, 5, 2, 6, 4]);
  expect([...closure.members.start]).toEqual([0, 1, 4, 6, 7]);
  expect([closure.apart(1, 2), closure.apart(2, 1), closure.apart(0, 3), closure.apart(0, 1), closure.apart(1, 1)]).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(closure.edges.other.length).toBe(4);
  expect(closure.degree(1)).toBe(1);
});

test("no rows, and no constraints", () => {
  expect(closeConstraints(emptyConstraints(0)).componentCount).toBe(0);
  const closure = closeConstraints(emptyConstraints(3));
  expect([...closure.component]).toEqual([0, 1, 2]);
  expect(closure.entailedMustWeight(0)).toBe(Infinity);
  expect([...closure.neighbours(1)]).toEqual([]);
});

describe("agrees with the definition, pair by pair", () => {
  test("components and who is apart, with weights", () => {
    fc.assert(
      fc.property(anySet, (set) => {
        const closure = closeConstraints(set);
        const { joined, apartWeight } = plainClosure(set);
        for (let i = 0; i < set.n; i++) {
          for (let j = 0; j < set.n; j++) {
            const [a, b] = [closure.component[i]!, closure.component[j]!];
            expect(a === b).toBe(joined[i]![j]);
            if (a === b) continue;
            expect(closure.apart(a, b)).toBe(apartWeight[i]![j]! > 0);
            expect(closure.entailedCannotWeight(a, b)).toBe(apartWeight[i]![j]);
          }
        }
      }),
      { numRuns: 400 },
    );
  });
  test("neighbours, each once, and degrees", () => {
    fc.assert(
      fc.property(anySet, (set) => {
        const closure = closeConstraints(set);
        for (let c = 0; c < closure.componentCount; c++) {
          const neighbours = [...closure.neighbours(c)];
          const expected: number[] = [];
          for (let d = 0; d < closure.componentCount; d++) if (closure.apart(c, d)) expected.push(d);
          expect(neighbours.toSorted((x, y) => x - y)).toEqual(expected);
          expect(closure.degree(c)).toBe(expected.length);
        }
      }),
      { numRuns: 400 },
    );
  });
  test("weights of entailed must-links", () => {
    fc.assert(
      fc.property(anySet, (set) => {
        const closure = closeConstraints(set);
        const smallest = new Array<number>(closure.componentCount).fill(Infinity);
        for (const [a, , weight] of givenMustLinks(set)) {
          const c = closure.component[a]!;
          smallest[c] = Math.min(smallest[c]!, weight);
        }
        expect(smallest.map((_, c) => closure.entailedMustWeight(c))).toEqual(smallest);
      }),
    );
  });
});

describe("large sets close in a moment, and nothing is expanded", () => {
  const timed = (set: ConstraintSet) => {
    const begin = processorMs();
    const closure = closeConstraints(set);
    expect(processorMs() - begin).toBeLessThan(10_000);
    return closure;
  };
  const links = (count: number, a: (s: number) => number, b: (s: number) => number) => ({
    a: Int32Array.from({ length: count }, (_, s) => a(s)),
    b: Int32Array.from({ length: count }, (_, s) => b(s)),
    weight: new Float64Array(count).fill(1),
  });

  test("100,000 must-links in a chain", () => {
    const n = 100_001;
    for (const order of [(s: number) => s, (s: number) => n - 2 - s]) {
      const chain = links(n - 1, order, (s) => order(s) + 1);
      const closure = timed({ ...emptyConstraints(n), mustLinks: chain });
      expect(closure.componentCount).toBe(1);
      expect(closure.edges.other.length).toBe(0);
    }
  });
  test("an exclusive group of 100,000 rows", () => {
    const n = 100_000;
    const exclusive = [{ column: "source", codes: new Int32Array(n), names: ["only"] }];
    const closure = timed({ ...emptyConstraints(n), exclusive });
    expect(closure.edges.other.length).toBe(0);
    expect(closure.cliques.items.length).toBe(n);
    expect(closure.cliques.of.items.length).toBe(n);
    expect(closure.degree(17)).toBe(n - 1);
    expect(closure.apart(3, 99_999)).toBe(true);
  });
  test.each([10, 100_000])("a labelling of 1,000,000 rows with %i classes", (classes) => {
    const n = 1_000_000;
    const labels: KnownLabels = {
      row: Int32Array.from({ length: n }, (_, i) => i),
      code: Int32Array.from({ length: n }, (_, i) => (i * 7919) % classes),
      weight: new Float64Array(n).fill(1),
      names: Array.from({ length: classes }, (_, c) => `class ${c}`),
    };
    const closure = timed({ ...emptyConstraints(n), labels });
    expect(closure.componentCount).toBe(classes);
    expect(closure.edges.other.length).toBe(0);
    expect(closure.cliques.items.length).toBe(classes);
    expect(closure.apart(0, classes - 1)).toBe(true);
  });
  test("a component in 100,000 groups answers quickly", () => {
    const n = 200_000;
    const groups = n / 2;
    const codes = Int32Array.from({ length: n }, (_, i) => i % groups);
    const star = links(
      groups - 1,
      () => 0,
      (s) => s + 1,
    );
    const closure = timed({ ...emptyConstraints(n), mustLinks: star, exclusive: [{ column: "frame", codes, names: [] }] });
    expect(closure.degree(0)).toBe(groups);
    let apart = 0;
    for (let c = 1; c < closure.componentCount; c++) if (closure.apart(0, c)) apart++;
    expect(apart).toBe(groups);
  });
});
