import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { referenceLinkage } from "./linkage.reference.js";
import { euclideanMatrix, LINKAGES, plainMerges, symmetricMatrix } from "./testing/linkage-cases.js";

/** The rows and the height of each merge's cluster, in merge order. */
function clustersOf(raw: Float64Array, n: number): { rows: number[]; height: number }[] {
  const members = Array.from({ length: n }, (_, row) => [row]);
  return Array.from({ length: raw.length / 3 }, (_, m) => {
    const [a, b] = [members[raw[3 * m]!]!, members[raw[3 * m + 1]!]!];
    const rows = [...a, ...b].sort((p, q) => p - q);
    for (const row of rows) members[row] = rows;
    return { rows, height: raw[3 * m + 2]! };
  });
}

function sortedByHeight(raw: Float64Array): Float64Array {
  const triples = Array.from({ length: raw.length / 3 }, (_, m) => raw.subarray(3 * m, 3 * m + 3));
  return Float64Array.from(triples.sort((p, q) => p[2]! - q[2]!).flatMap((triple) => [...triple]));
}

/** Points drawn uniformly from a cube: fast-check's own doubles favour a few values and therefore produce ties. */
const scatter = fc.record({ n: fc.integer({ min: 1, max: 22 }), seed: fc.nat(1e9) }).map(({ n, seed }) => {
  const draw = evenly(seed);
  return Array.from({ length: n }, () => [draw(), draw(), draw()]);
});

function evenly(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Entries with many ties, zeros and forbidden pairs. */
const withTies = fc.integer({ min: 1, max: 80 }).chain((n) => {
  const count = (n * (n - 1)) / 2;
  const entry = fc.constantFrom(0, 1, 1, 2, 3, 5, Number.POSITIVE_INFINITY);
  return fc.array(entry, { minLength: count, maxLength: count }).map((entries) => ({ n, matrix: symmetricMatrix(n, entries) }));
});

describe.each(LINKAGES)("%s linkage", (linkage) => {
  test("matches its definition on points without ties", () => {
    fc.assert(
      fc.property(scatter, (points) => {
        const n = points.length;
        const raw = plainMerges(linkage, euclideanMatrix(points), n);
        const ours = clustersOf(linkage === "centroid" || linkage === "median" ? raw : sortedByHeight(raw), n);
        const reference = referenceLinkage(linkage, points);
        expect(ours.map(({ rows }) => rows)).toEqual(reference.map(({ rows }) => rows));
        ours.forEach(({ height }, m) => {
          expect(height).toBeCloseTo(reference[m]!.height, 9);
        });
      }),
      { numRuns: 60 },
    );
  });

  test("can be made in pieces of any size", () => {
    fc.assert(
      fc.property(withTies, fc.integer({ min: 1, max: 30 }), ({ n, matrix }, step) => {
        expect(plainMerges(linkage, matrix, n, step)).toEqual(plainMerges(linkage, matrix, n));
      }),
      { numRuns: 40 },
    );
  });

  test("keeps forbidden pairs for the end and never gives NaN", () => {
    fc.assert(
      fc.property(withTies, ({ n, matrix }) => {
        const raw = plainMerges(linkage, matrix, n);
        expect(raw.length).toBe(3 * (n - 1));
        expect(raw.some(Number.isNaN)).toBe(false);
        const heights = raw.filter((_, i) => i % 3 === 2);
        const forbidden = heights.filter((height) => height === Number.POSITIVE_INFINITY).length;
        if (linkage === "single") expect(forbidden).toBe(components(n, matrix) - 1);
        else expect(heights.indexOf(Number.POSITIVE_INFINITY)).toBe(forbidden === 0 ? -1 : n - 1 - forbidden);
      }),
      { numRuns: 40 },
    );
  });

  test("joins what is all forbidden from the lowest slots up", () => {
    const raw = plainMerges(linkage, symmetricMatrix(5, new Array(10).fill(Number.POSITIVE_INFINITY)), 5);
    const up = [0, 1, 2, 3].flatMap((slot) => [slot, slot + 1, Number.POSITIVE_INFINITY]);
    expect([...raw]).toEqual(up);
  });

  test("survives distances whose squares overflow", () => {
    const n = 40;
    const draw = evenly(5);
    const entries = Array.from({ length: (n * (n - 1)) / 2 }, () => 1e155 * (1 + draw()));
    const raw = plainMerges(linkage, symmetricMatrix(n, entries), n);
    expect(raw.length).toBe(3 * (n - 1));
    expect(raw.some(Number.isNaN)).toBe(false);
  });

  test("keeps to single precision in an f32 matrix", () => {
    const draw = evenly(3);
    const points = Array.from({ length: 30 }, () => [draw(), draw()]);
    const heights = plainMerges(linkage, Float32Array.from(euclideanMatrix(points)), 30).filter((_, i) => i % 3 === 2);
    const exact = plainMerges(linkage, euclideanMatrix(points), 30).filter((_, i) => i % 3 === 2);
    heights.forEach((height, m) => {
      expect(Math.fround(height)).toBe(height);
      expect(height).toBeCloseTo(exact[m]!, 5);
    });
  });

  test("one row has no merges", () => {
    expect([...plainMerges(linkage, new Float64Array(1), 1)]).toEqual([]);
  });
});

/** Groups of rows connected by finite distances. */
function components(n: number, matrix: Float64Array): number {
  const seen = new Set<number>();
  let count = 0;
  for (let start = 0; start < n; start++) {
    if (seen.has(start)) continue;
    count++;
    const open = [start];
    seen.add(start);
    for (let row = open.pop(); row !== undefined; row = open.pop()) {
      for (let j = 0; j < n; j++) {
        if (seen.has(j) || matrix[row * n + j] === Number.POSITIVE_INFINITY) continue;
        seen.add(j);
        open.push(j);
      }
    }
  }
  return count;
}
