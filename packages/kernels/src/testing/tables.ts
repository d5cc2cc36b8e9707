import fc from "fast-check";

export interface Rows {
  readonly n: number;
  readonly d: number;
  readonly x: Float64Array;
}

/** Rows with duplicates, ties and zeros, or without, at one scale from tiny to huge. */
export function tables(mostRows: number, mostColumns: number): fc.Arbitrary<Rows> {
  return fc
    .record({
      n: fc.integer({ min: 1, max: mostRows }),
      d: fc.integer({ min: 1, max: mostColumns }),
      scale: fc.constantFrom(1, 1, 1, 1e-30, 1e-170, 1e-310, 1e30, 1e150, 1e300),
      offset: fc.constantFrom(0, 0, 1e6),
      fine: fc.boolean(),
    })
    .chain(({ n, d, scale, offset, fine }) =>
      fc
        .array(fine ? fc.double({ min: -1, max: 1, noNaN: true }) : fc.integer({ min: -2, max: 2 }), {
          minLength: n * d,
          maxLength: n * d,
        })
        .map((values) => ({ n, d, x: Float64Array.from(values, (value) => (value + offset) * scale) })),
    );
}

/** Numbers in [0, 1) that look random and are the same everywhere. */
export function noise(length: number, seed: number): Float64Array {
  let state = seed >>> 0;
  return Float64Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const high = state >>> 8;
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (high + (state >>> 8) / 2 ** 24) / 2 ** 24;
  });
}
