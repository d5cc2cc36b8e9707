import fc from "fast-check";
import { expect, test } from "vitest";
import { randomFrom } from "../random/random.js";
import { processorMs } from "../testing/processor-ms.js";
import { bestMatching, insideMatch } from "./assignment.js";
import { contingency } from "./contingency.js";

type Table = Parameters<typeof bestMatching>[0];

function tableOf(rows: readonly (readonly number[])[], columns: number): Table {
  const cells = rows.flatMap((row, r) => row.flatMap((count, c) => (count > 0 ? [{ r, c, count }] : [])));
  const start = Int32Array.from({ length: rows.length + 1 }, (_, r) => cells.filter((cell) => cell.r < r).length);
  return {
    start,
    column: Int32Array.from(cells, ({ c }) => c),
    count: Int32Array.from(cells, ({ count }) => count),
    columnSums: new Int32Array(columns),
  };
}

function totalOf({ start, column, count }: Table, columnOf: Int32Array): number {
  const used = [...columnOf].filter((c) => c >= 0);
  expect(new Set(used).size).toBe(used.length);
  let total = 0;
  columnOf.forEach((c, r) => {
    for (let p = start[r]!; p < start[r + 1]!; p++) if (column[p] === c) total += count[p]!;
  });
  return total;
}

/** The best total by brute force over every assignment. */
function bestTotal(rows: readonly (readonly number[])[], columns: number, r = 0, used = 0): number {
  if (r === rows.length) return 0;
  let best = bestTotal(rows, columns, r + 1, used);
  for (let c = 0; c < columns; c++) {
    if (!(used & (1 << c))) best = Math.max(best, rows[r]![c]! + bestTotal(rows, columns, r + 1, used | (1 << c)));
  }
  return best;
}

const anyTable = fc
  .tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: 6 }), fc.constantFrom(2, 9, 1000))
  .chain(([rows, columns, most]) => {
    const count = fc.oneof(fc.constant(0), fc.nat(most));
    const row = fc.array(count, { minLength: columns, maxLength: columns });
    return fc.tuple(fc.array(row, { minLength: rows, maxLength: rows }), fc.constant(columns));
  });

test("the total is the best of all assignments", () => {
  fc.assert(
    fc.property(anyTable, ([rows, columns]) => {
      const table = tableOf(rows, columns);
      expect(totalOf(table, bestMatching(table))).toBe(bestTotal(rows, columns));
    }),
    { numRuns: 1000 },
  );
});

test("greed is not enough", () => {
  expect([
    ...bestMatching(
      tableOf(
        [
          [10, 9],
          [9, 1],
        ],
        2,
      ),
    ),
  ]).toEqual([1, 0]);
});

test("entries inside their match, for any labels", () => {
  expect([...insideMatch(Int32Array.of(5, 5, 2_000_000_000, -1), Int32Array.of(1_999_999_999, 3, 3, 3))]).toEqual([1, 0, 1, 0]);
});

test("1,000 by 1,000, dense and sparse, quickly", () => {
  const random = randomFrom(4);
  const begin = processorMs();
  const draw = (n: number, below: number) => Int32Array.from({ length: n }, () => random.int(below));
  const dense = contingency(draw(1_000_000, 1000), draw(1_000_000, 1000));
  expect(totalOf(dense, bestMatching(dense))).toBeGreaterThan(3500);
  const sparse = contingency(draw(200_000, 100_000), draw(200_000, 100_000));
  // A random graph of mean degree 2 leaves (2γ + γ²)/4 of its vertices unmatched, γ·e^γ = 2: 78,393 pairs are expected.
  expect(Math.abs(totalOf(sparse, bestMatching(sparse)) - 78_393)).toBeLessThan(600);
  expect(processorMs() - begin).toBeLessThan(20_000);
});
