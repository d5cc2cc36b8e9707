/** Complete linkage from estimates has the merges of the plain kernels, over their matrix of distances, to the bit: or it gives up. */
import { linkages, pairKernelsOf, plainKernels, type ScreenedMetric } from "@coterie/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tuples } from "../../core/src/testing/tuples.js";
import { createHost, type OwnedHost } from "./create-host.js";
import { createKernels, createSimdKernels } from "./index.js";
import { type Limits, openScreened } from "./linkage.js";
import { firstDifference } from "./testing/bits.js";
import { noise, type Rows, tables } from "./testing/tables.js";

const host = createHost(2 ** 30);
const NEVER_GIVE_UP: Limits = {
  workShare: Number.POSITIVE_INFINITY,
  workAtOnce: Number.POSITIVE_INFINITY,
  mostNear: Number.POSITIVE_INFINITY,
};

function plainMerges({ n, d, x }: Rows, metric: ScreenedMetric = "euclidean"): Float64Array {
  const arena = plainKernels.arena();
  const rows = arena.f64(n * d);
  rows.view().set(x);
  const out = arena.f64(n * n);
  pairKernelsOf(plainKernels).distanceMatrix(metric, rows, n, d, null, out, arena).fill(0, n);
  const state = pairKernelsOf(plainKernels).chainLinkage("complete", out, n, arena);
  state.advance(n);
  return state.merges();
}

/** The merges, or why there are none. */
function screenedMerges(
  { n, d, x }: Rows,
  { metric = "euclidean" as ScreenedMetric, type = "f64" as "f64" | "f32", limits = NEVER_GIVE_UP, on = host as OwnedHost } = {},
): Float64Array | "given up" | "refused" {
  const arena = on.arena();
  try {
    const rows = arena[type](n * d);
    rows.view().set(x);
    const state = openScreened(on, limits, metric, rows, n, d, arena);
    if (state === null) return "refused";
    for (let calls = 0; calls < 10 * n + 100; calls++) {
      const { phase } = state.advance();
      if (phase === "given up") return phase;
      if (phase === "done") return state.merges();
    }
    throw new Error("The kernel does not end.");
  } finally {
    arena.release();
  }
}

/** Rows repeated side by side until their distances are expanded. */
function widened({ n, d, x }: Rows): Rows {
  const times = Math.ceil(32 / d);
  const wide = d * times;
  return { n, d: wide, x: Float64Array.from({ length: n * wide }, (_, p) => x[Math.floor(p / wide) * d + (p % d)]!) };
}

/** Clouds with copies of some rows. */
function clouds(n: number, d: number, seed: number, spread: number, offset = 0, scale = 1): Rows {
  const values = noise(n * d, seed);
  const middles = noise(9 * d, seed + 1);
  const x = values.map((value, p) => scale * (offset + middles[(Math.floor(p / d) % 9) * d + (p % d)]! + spread * (value - 0.5)));
  if (n > 6) x.copyWithin(d * (n - 3), 0, 3 * d);
  return { n, d, x };
}

function withOutlier({ n, d, x }: Rows, far: number): Rows {
  const moved = x.slice();
  for (let f = 0; f < d; f++) moved[(n >> 1) * d + f]! += far;
  return { n, d, x: moved };
}

const metrics = fc.constantFrom<ScreenedMetric>("euclidean", "sqeuclidean", "cosine");

test("any rows: ties, duplicates, offsets and scales, distances, their squares and cosines, doubles and singles", () => {
  let made = 0;
  fc.assert(
    fc.property(tables(70, 40), metrics, fc.boolean(), (narrow, metric, asked) => {
      const rows = widened(narrow);
      const single = asked && rows.x.every((value) => Math.fround(value) === value);
      const found = screenedMerges(rows, { metric, type: single ? "f32" : "f64" });
      if (typeof found === "string") return;
      made++;
      expect(firstDifference(found, plainMerges(rows, metric))).toBe(-1);
    }),
    { numRuns: 300 },
  );
  expect(made).toBeGreaterThan(60);
});

test("small whole numbers, where most comparisons are ties", () => {
  for (const [n, d, most] of tuples("81 32 2, 160 33 3, 240 64 5")) {
    const rows = { n, d, x: noise(n * d, n).map((value) => Math.floor(most * value)) };
    expect(firstDifference(screenedMerges(rows) as Float64Array, plainMerges(rows))).toBe(-1);
  }
});

test.each([2, 3, 4, 63, 64, 65, 79, 80, 81, 159, 161, 191, 193, 640, 641])("%i rows", (n) => {
  for (const spread of [1.5, 0.4]) {
    const rows = clouds(n, 67, n, spread);
    const found = screenedMerges(rows);
    if (n > 4) expect(found).not.toBe("refused");
    if (typeof found !== "string") expect(firstDifference(found, plainMerges(rows))).toBe(-1);
  }
});

test.each([
  ["far from the origin", clouds(400, 96, 1, 1, 1e6)],
  ["tiny", clouds(400, 96, 2, 1, 0, 1e-120)],
  ["huge", clouds(400, 96, 3, 1, 0, 1e140)],
  ["with a row far off", withOutlier(clouds(400, 96, 4, 1), 30)],
  ["in tight clouds", clouds(400, 96, 5, 0.02)],
])("rows %s", (_, rows) => {
  const found = screenedMerges(rows);
  expect(found).not.toBe("refused");
  expect(firstDifference(found as Float64Array, plainMerges(rows))).toBe(-1);
});

test.each([
  ["so small that squares lose digits", clouds(100, 40, 1, 1, 0, 1e-150)],
  ["whose squares overflow", clouds(100, 40, 2, 1, 0, 1e170)],
  ["all alike", { n: 100, d: 40, x: new Float64Array(4000).fill(3) }],
  ["with one so far off that all others are near", withOutlier(clouds(100, 40, 3, 1), 1e9)],
])("rows are left to the matrix that are %s", (_, rows) => {
  expect(screenedMerges(rows)).toBe("refused");
});

test("rows by their directions: of length 1, of any length, in a narrow bundle; rows without one are left to the matrix", () => {
  const scaled = (rows: Rows, lengthOf: (row: number) => number): Rows => ({
    ...rows,
    x: rows.x.map((value, p) => value * lengthOf(Math.floor(p / rows.d))),
  });
  const about = clouds(400, 96, 11, 1, -0.5);
  const lengths = about.x.reduce((sums, value, p) => {
    sums[Math.floor(p / 96)]! += value * value;
    return sums;
  }, new Float64Array(400));
  const tables = [scaled(about, (row) => 1 / Math.sqrt(lengths[row]!)), scaled(about, (row) => 2 ** ((row % 7) - 3))];
  for (const rows of [...tables, clouds(400, 96, 12, 1, 3), clouds(400, 96, 13, 1, -0.5, 1e-160)]) {
    const found = screenedMerges(rows, { metric: "cosine" });
    expect(found).not.toBe("refused");
    expect(firstDifference(found as Float64Array, plainMerges(rows, "cosine"))).toBe(-1);
  }
  expect(
    screenedMerges(
      scaled(about, (row) => (row === 5 ? 0 : 1)),
      { metric: "cosine" },
    ),
  ).toBe("refused");
});

describe("giving up", () => {
  const limits: Limits = { workShare: 0.25, workAtOnce: 4e8, mostNear: 8 };
  const wholes = { n: 800, d: 64, x: noise(800 * 64, 5).map((value) => Math.floor(2 * value)) };

  test("where the first rows have many that may be nearest", () => {
    const tight = clouds(800, 64, 6, 1e-3);
    expect(screenedMerges(tight, { limits })).toBe("given up");
  });

  test("where exact work exceeds what is allowed, in merges and in heights", () => {
    expect(screenedMerges(wholes, { limits: { ...limits, mostNear: 1e9 } })).toBe("given up");
    expect(screenedMerges(clouds(300, 64, 7, 1), { limits: { ...limits, workShare: 1e-3 } })).toBe("given up");
    expect(screenedMerges(clouds(300, 64, 7, 1), { limits: { ...limits, workAtOnce: 1, workShare: 1e9 } })).toBe("given up");
  });
});

test("threads change nothing, and few or narrow rows are left to the matrix", async () => {
  const simd = createSimdKernels();
  const threaded = await createKernels({ threads: 3 });
  try {
    const rows = clouds(700, 70, 8, 1.4);
    const of = (kernels: typeof simd, { n, d, x }: Rows) => {
      const arena = kernels.arena();
      const block = arena.f64(n * d);
      block.view().set(x);
      const state = pairKernelsOf(kernels).screenedLinkage("euclidean", block, n, d, arena);
      if (state === null) return null;
      let phase = "";
      while (phase !== "done" && phase !== "given up") phase = state.advance().phase;
      const merges = phase === "done" ? state.merges() : null;
      arena.release();
      return merges;
    };
    const plain = plainMerges(rows);
    expect(firstDifference(of(simd, rows)!, plain)).toBe(-1);
    expect(firstDifference(of(threaded, rows)!, plain)).toBe(-1);
    expect(of(simd, clouds(700, 20, 9, 1.4))).toBeNull();
    expect(of(simd, clouds(200, 70, 9, 1.4))).toBeNull();
  } finally {
    threaded.dispose();
  }
});

test("memory may move whenever somebody takes some", () => {
  const own = createHost(2 ** 28);
  const moving: OwnedHost = {
    ...own,
    scratch: (bytes, use) => {
      own.memory.grow(1);
      return own.scratch(bytes, use);
    },
    arena: () => {
      const arena = own.arena();
      const moved =
        <A extends unknown[], R>(take: (...args: A) => R) =>
        (...args: A): R => {
          own.memory.grow(1);
          return take(...args);
        };
      return { ...arena, f64: moved(arena.f64), f32: moved(arena.f32), i32: moved(arena.i32), u8: moved(arena.u8) };
    },
  };
  const rows = clouds(200, 40, 12, 1);
  expect(firstDifference(screenedMerges(rows, { on: moving }) as Float64Array, plainMerges(rows))).toBe(-1);
});

test("the method gives the same hierarchy with either set of kernels, estimates or not", () => {
  const kernels = createSimdKernels();
  const wholes = noise(600 * 64, 11).map((value) => Math.floor(3 * value));
  for (const rows of [clouds(600, 64, 10, 1.2), { n: 600, d: 64, x: wholes }]) {
    for (const options of [{}, { distance: "sqeuclidean" }, { storage: "f32" }] as const) {
      const plain = linkages.complete(rows, undefined, { k: 9, ...options });
      const fast = linkages.complete(rows, undefined, { k: 9, ...options, kernels });
      expect(fast.merges).toEqual(plain.merges);
      expect(fast.labels).toEqual(plain.labels);
    }
  }
});
