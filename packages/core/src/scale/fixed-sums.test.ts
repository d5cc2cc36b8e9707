import fc from "fast-check";
import { expect, test } from "vitest";
import { addUnits, BLOCK_ROWS, gridFor, openTotals, setUnits, sumOfUnits, unitsAt } from "./fixed-sums.js";

/** Each term by the rule in the head comment, with big integers. */
function exactUnits(terms: readonly number[], grid: ReturnType<typeof gridFor>): [bigint, bigint] {
  let [coarse, fine] = [0n, 0n];
  for (const term of terms) {
    const rounded = term + grid.coarseRound - grid.coarseRound;
    coarse += BigInt(rounded / grid.coarseUnit);
    fine += BigInt((term - rounded + grid.fineRound - grid.fineRound) / grid.fineUnit);
  }
  return [coarse, fine];
}

const terms = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1, maxLength: 300 });

test("sums of blocks of any size, in any order, are the same whole units", () => {
  fc.assert(
    fc.property(terms, fc.integer({ min: 1, max: 50 }), fc.nat(), (values, block, shift) => {
      const grid = gridFor(1e6, values.length, "A term");
      const [coarse, fine] = exactUnits(values, grid);
      const rotated = values.map((_, i) => values[(i + shift) % values.length]!);
      const totals = openTotals(2);
      for (let from = 0; from < rotated.length; from += block) {
        let [a, b] = [0, 0];
        for (const term of rotated.slice(from, from + block)) {
          const rounded = term + grid.coarseRound - grid.coarseRound;
          a += rounded;
          b += term - rounded + grid.fineRound - grid.fineRound;
        }
        addUnits(totals, 0, a / grid.coarseUnit);
        addUnits(totals, 1, b / grid.fineUnit);
      }
      expect([unitsAt(totals, 0), unitsAt(totals, 1)]).toEqual([coarse, fine]);
    }),
  );
});

test("a sum is right to the fine unit of each term", () => {
  fc.assert(
    fc.property(terms, (values) => {
      const grid = gridFor(1e6, values.length, "A term");
      const sum = sumOfUnits(grid, ...exactUnits(values, grid));
      const plain = values.reduce((total, value) => total + value, 0);
      expect(Math.abs(sum - plain)).toBeLessThanOrEqual(1e-9);
    }),
  );
});

test("a full block of the largest terms, and the maximum number of rows of a grid, do not overflow", () => {
  for (const rows of [1, 1000, 1e7, 1e10, 2 ** 40]) {
    const grid = gridFor(3.7, rows, "A term");
    const block = BLOCK_ROWS * (4 / grid.coarseUnit);
    expect(Number.isSafeInteger(block)).toBe(true);
    expect(BigInt(rows) * BigInt(4 / grid.coarseUnit) < 2n ** 63n).toBe(true);
  }
  expect(() => gridFor(1e200, 10, "A squared column")).toThrow("A squared column is too large to be added up exactly.");
});

test("units that another machine has added up come back as they were", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), (units) => {
      const totals = openTotals(1);
      setUnits(totals, 0, units);
      expect(unitsAt(totals, 0)).toBe(units);
    }),
  );
});
