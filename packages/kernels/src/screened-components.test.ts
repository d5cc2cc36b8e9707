/** Constrained complete linkage from estimates has the hierarchy that the matrix of components gives, to the bit. */
import type { Arena, Kernels, PairKernels } from "@coterie/core/internal";
import { ccl, constraints, generateConstraints, pairKernelsOf, plainKernels, randomFrom } from "@coterie/core/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createHost } from "./create-host.js";
import { createSimdKernels } from "./index.js";
import { openScreened } from "./linkage.js";
import type { Rows } from "./testing/tables.js";

const host = createHost(2 ** 30);
const limits = { workShare: 1e9, workAtOnce: 1e18, mostNear: 1e9 };

/** Plain kernels but for the linkage from estimates, whatever the number of rows; and what came of it. */
function screening(): { readonly kernels: Kernels; readonly ends: string[]; readonly release: () => void } {
  const ends: string[] = [];
  const arenas: Arena[] = [];
  const screenedLinkage: PairKernels["screenedLinkage"] = (metric, x, n, d, _arena, items) => {
    const arena = host.arena();
    arenas.push(arena);
    const rows = arena.f64(n * d);
    rows.view().set(x.view());
    const state = openScreened(host, limits, metric, rows, n, d, arena, items);
    if (state === null) ends.push("refused");
    return (
      state && {
        advance: () => {
          const progress = state.advance();
          if (progress.phase === "done" || progress.phase === "given up") ends.push(progress.phase);
          return progress;
        },
        merges: state.merges,
      }
    );
  };
  return {
    kernels: { ...plainKernels, pairs: { ...pairKernelsOf(plainKernels), screenedLinkage } },
    ends,
    release: () => {
      for (const arena of arenas) arena.release();
    },
  };
}

/** Rows of many columns, all about as far from each other, in classes; of whole numbers where `ties`. */
const cases = fc
  .record({
    n: fc.integer({ min: 12, max: 110 }),
    d: fc.integer({ min: 32, max: 60 }),
    k: fc.integer({ min: 1, max: 6 }),
    count: fc.integer({ min: 0, max: 40 }),
    labelled: fc.nat(12),
    ties: fc.boolean(),
    seed: fc.nat(),
    scale: fc.constantFrom(1, 1, 1, 1e-3, 1e5),
    distance: fc.constantFrom("euclidean" as const, "sqeuclidean" as const, "cosine" as const),
  })
  .map(({ n, d, k, count, labelled, ties, seed, scale, distance }) => {
    const random = randomFrom(seed);
    const codes = Int32Array.from({ length: n }, (_, i) => (i < k ? i : random.int(k)));
    const value = () => (ties ? random.int(3) : random.normal());
    const x = Float64Array.from({ length: n * d }, (_, p) => scale * (value() + (p % d === codes[Math.floor(p / d)] ? 2 : 0)));
    const drawn = generateConstraints({ codes, names: [...codes].map(String) }, { count, random });
    const labels = Array.from({ length: Math.min(n, labelled) }, (_, i): [number, string] => [n - 1 - i, `${codes[n - 1 - i]}`]);
    return { rows: { n, d, x }, drawn, labels, k, distance };
  });

function compare(
  rows: Rows,
  known: Parameters<typeof ccl>[1],
  k: number,
  distance: "euclidean" | "sqeuclidean" | "cosine",
): string[] {
  const { kernels, ends, release } = screening();
  const plain = ccl(rows, known, { k, distance });
  const fast = ccl(rows, known, { k, distance, kernels });
  release();
  expect(fast.merges).toEqual(plain.merges);
  expect(fast.labels).toEqual(plain.labels);
  expect(fast.notices).toEqual(plain.notices);
  return ends;
}

test("any constraints on wide rows: must-links, cannot-links and labels, kept or broken, ties or none", () => {
  const all: string[] = [];
  fc.assert(
    fc.property(cases, ({ rows, drawn, k, distance }) => {
      all.push(...compare(rows, drawn, Math.min(k, rows.n), distance));
    }),
    { numRuns: 150 },
  );
  fc.assert(
    fc.property(cases, ({ rows, labels, k, distance }) => {
      all.push(...compare(rows, constraints({ n: rows.n }, { labels }), k, distance));
    }),
    { numRuns: 50 },
  );
  expect(all.filter((end) => end === "done").length).toBeGreaterThan(40);
});

test("rows of which must-linked ones are near others: a way over them may be shorter, so the matrix is made", () => {
  const random = randomFrom(1);
  const n = 60;
  const x = Float64Array.from({ length: n * 40 }, () => random.normal());
  x.copyWithin(0, 40, 80);
  const known = constraints({ n }, { mustLink: [[1, 2]] });
  expect(compare({ n, d: 40, x }, known, 3, "euclidean")).toEqual(["given up"]);
});

test("many rows and chunklets, with either set of kernels", () => {
  const random = randomFrom(2);
  const [n, d] = [900, 70];
  const codes = Int32Array.from({ length: n }, () => random.int(6));
  const x = Float64Array.from({ length: n * d }, (_, p) => random.normal() + (p % d === codes[Math.floor(p / d)] ? 3 : 0));
  const pairs = Array.from({ length: 300 }, (_, t): [number, number] => [t, (7 * t + 301) % n]);
  const known = constraints(
    { n },
    {
      mustLink: pairs.filter(([a, b]) => codes[a] === codes[b] && a !== b),
      cannotLink: pairs.filter(([a, b]) => codes[a] !== codes[b]).slice(0, 30),
    },
  );
  const plain = ccl({ n, d, x }, known, { k: 6 });
  const fast = ccl({ n, d, x }, known, { k: 6, kernels: createSimdKernels() });
  expect(fast.merges).toEqual(plain.merges);
  expect(fast.labels).toEqual(plain.labels);
});
