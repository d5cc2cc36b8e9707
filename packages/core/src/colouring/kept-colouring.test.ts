import fc from "fast-check";
import { expect, test } from "vitest";
import { randomFrom } from "../random/random.js";
import { graphOf } from "./graphs/graph.js";
import type { Plain } from "./graphs/graphs.reference.js";
import { complete, cycle, graphFrom, isColourable, isProper, mycielskian, randomGraph } from "./graphs/graphs.reference.js";
import { type IncrementalColouring, keepColouring } from "./kept-colouring.js";

function kept(plain: Plain, k: number): IncrementalColouring | null {
  const answer = keepColouring(graphFrom(plain), k);
  return answer.status === "feasible" ? answer.kept : null;
}

/** Pairs of vertices, renamed to the vertices they were merged into; null if both ends of an edge were merged into one vertex. */
function contractedPlain(plain: Plain, standsFor: (v: number) => number): Plain | null {
  const pairs = plain.pairs.map(([u, v]) => [standsFor(u), standsFor(v)] as const);
  return pairs.some(([u, v]) => u === v) ? null : { n: plain.n, pairs };
}

test("answers equal brute force at every step of a random merging, which always ends at k classes", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      fc.nat(),
      fc.double({ min: 0.1, max: 0.7, noNaN: true }),
      (n, k, seed, density) => {
        const plain = randomGraph(n, Math.round((density * n * (n - 1)) / 2), seed);
        const holder = kept(plain, k);
        expect(holder !== null).toBe(isColourable(plain, k));
        if (!holder) return;
        const random = randomFrom(seed);
        const standing = new Set(Array.from({ length: n }, (_, v) => v));
        for (let stuck = false; !stuck && standing.size > k; ) {
          stuck = true;
          const order = Int32Array.from(standing);
          random.shuffle(order);
          for (const u of order) {
            for (const v of order) {
              if (u === v || !standing.has(u) || !standing.has(v)) continue;
              const now = (w: number): number => holder.standsFor(w);
              const merged = contractedPlain(plain, (w) => (now(w) === v ? u : now(w)));
              const possible = merged !== null && isColourable(merged, k);
              expect(holder.canMerge(u, v)).toBe(possible ? "yes" : "no");
              expect(
                isProper(
                  plain,
                  Array.from({ length: n }, (_, w) => holder.colourOf(w)),
                  k,
                ),
              ).toBe(true);
              if (!possible || standing.size <= k) continue;
              holder.merge(u, v);
              standing.delete(v);
              stuck = false;
            }
          }
        }
        expect(standing.size).toBeLessThanOrEqual(Math.max(k, Math.min(n, k)));
      },
    ),
    { numRuns: 150 },
  );
});

test("Grötzsch's graph with four colours: merges end at four classes; with three there is a core", () => {
  const plain = mycielskian(cycle(5));
  const answer = keepColouring(graphFrom(plain), 3);
  expect(answer.status === "infeasible" && answer.core.vertices.length).toBe(11);
  const holder = kept(plain, 4)!;
  for (let u = 0; u < 11; u++) for (let v = u + 1; v < 11; v++) if (holder.canMerge(u, v) === "yes") holder.merge(u, v);
  expect(new Set(Array.from({ length: 11 }, (_, v) => holder.standsFor(v))).size).toBe(4);
});

test("groups that exclude are honoured", () => {
  const answer = keepColouring(
    graphOf(
      6,
      [[0, 3]],
      [
        [0, 1, 2],
        [3, 4, 5],
      ],
    ),
    3,
  );
  if (answer.status !== "feasible") throw new Error(answer.status);
  const { kept: holder } = answer;
  expect(holder.canMerge(0, 1)).toBe("no");
  expect(holder.canMerge(0, 3)).toBe("no");
  holder.merge(1, 3);
  holder.merge(0, 4);
  // Vertices 2 and 5 remain, one in each group, so they must be merged.
  expect(holder.canMerge(2, 5)).toBe("yes");
  expect(() => holder.merge(3, 4)).toThrow(RangeError);
});

test('too little effort gives "undecided" and leaves the colouring proper; more effort decides the same questions', () => {
  const [n, k] = [60, 5];
  const plain = { n, pairs: randomGraph(n, 465, 2).pairs.filter(([u, v]) => u % k !== v % k) };
  const answersWith = (questionEffort: number): string[] => {
    const answer = keepColouring(graphFrom(plain), k, { questionEffort });
    if (answer.status !== "feasible") throw new Error(answer.status);
    const answers: string[] = [];
    for (let u = 0; u < n; u++) for (let v = 0; v < u; v++) answers.push(answer.kept.canMerge(u, v));
    const colours = Array.from({ length: n }, (_, v) => answer.kept.colourOf(v));
    expect(isProper(plain, colours, k)).toBe(true);
    return answers;
  };
  const [little, much] = [answersWith(1), answersWith(100_000)];
  expect(new Set(little)).toEqual(new Set(["yes", "no", "undecided"]));
  expect(new Set(much)).toEqual(new Set(["yes", "no"]));
  little.forEach((answer, i) => {
    if (answer !== "undecided") expect(answer).toBe(much[i]);
  });
});

test("600 vertices are merged down to k, most proposals being right", () => {
  const k = 5;
  // A planted colouring: edges only between different residues modulo k.
  const pairs = randomGraph(600, 1500, 8).pairs.filter(([u, v]) => u % k !== v % k);
  const holder = kept({ n: 600, pairs }, k)!;
  const random = randomFrom(1);
  const standing = Array.from({ length: 600 }, (_, v) => v);
  const answers = { yes: 0, no: 0, undecided: 0 };
  while (standing.length > k) {
    const i = random.int(standing.length);
    const j = random.int(standing.length);
    const [u, v] = [standing[i]!, standing[j]!];
    if (i === j || (u % k !== v % k && random.int(50) > 0)) continue;
    const answer = holder.canMerge(u, v);
    answers[answer]++;
    if (answer !== "yes") continue;
    holder.merge(u, v);
    standing[j] = standing.at(-1)!;
    standing.pop();
  }
  expect(answers.yes).toBe(595);
  expect(answers.no).toBeGreaterThan(0);
  expect(pairs.every(([u, v]) => holder.standsFor(u) !== holder.standsFor(v))).toBe(true);
});

test("a complete graph keeps its colours", () => {
  const holder = kept(complete(4), 4)!;
  expect(holder.canMerge(1, 1)).toBe("yes");
  expect(holder.canMerge(1, 2)).toBe("no");
});

test("vertices of unconnected parts can always merge, also with more colours than a mask has bits", () => {
  for (const k of [3, 31]) {
    const { pairs } = complete(k);
    const plain = { n: 2 * k, pairs: [...pairs, ...pairs.map(([u, v]) => [u + k, v + k] as const)] };
    const holder = kept(plain, k)!;
    for (let v = 0; v < k; v++) {
      expect(holder.canMerge(v, k + ((v + 2) % k))).toBe("yes");
      holder.merge(v, k + ((v + 2) % k));
      const colours = Array.from({ length: 2 * k }, (_, w) => holder.colourOf(w));
      expect(isProper(plain, colours, k)).toBe(true);
    }
  }
});
