/** Makes the cells of claims, with their texts, from numbers. */
import { type Mean, pairedTest, shareTest, shifted, type Test, welchTest } from "@coterie/workbench/trials";
import type { Cell } from "./paper.js";

export interface Place {
  readonly row: string;
  readonly column: string;
}

function signed(difference: number, digits = 3): string {
  if (Number.isNaN(difference)) return "–";
  const text = Math.abs(difference).toFixed(digits);
  return Number(text) === 0 ? text : `${difference > 0 ? "+" : "-"}${text}`;
}

export function percent(share: number): string {
  return Number.isNaN(share) ? "–" : `${Math.round(100 * share)}%`;
}

export function testCell(place: Place, test: Test, least?: number, digits = 3): Cell {
  const words = Number.isNaN(test.difference) ? "no runs" : `${signed(test.difference, digits)} ± ${test.error.toFixed(digits)}`;
  const { difference, p } = test;
  return { ...place, kind: "difference", said: words, difference, p, ...(least === undefined ? {} : { least }) };
}

export function pairedCell(
  place: Place,
  first: readonly (number | null)[],
  second: readonly (number | null)[],
  least?: number,
): Cell {
  const both = bothOf(first, second);
  return testCell(
    place,
    pairedTest(
      both.map(([one]) => one),
      both.map(([, other]) => other),
    ),
    least,
  );
}

export function bothOf(first: readonly (number | null)[], second: readonly (number | null)[]): (readonly [number, number])[] {
  return first.flatMap((one, at) => {
    const other = second[at];
    return one === null || one === undefined || other === null || other === undefined ? [] : [[one, other] as const];
  });
}

export function welchCell(place: Place, first: readonly number[], second: readonly number[], least?: number): Cell {
  return testCell(place, welchTest(first, second), least);
}

export function evenCell(place: Place, { difference, error, p }: Test, most: number): Cell {
  const words = `${signed(difference)} ± ${error.toFixed(3)}`;
  return { ...place, kind: "even", said: words, difference, error, p, most };
}

export function numberCell(place: Place, ours: Mean, published: number, within: number, show: (value: number) => string): Cell {
  return {
    ...place,
    kind: "number",
    said: `${show(ours.mean)} ± ${show(ours.error)} (${show(published)})`,
    ours: ours.mean,
    error: ours.error,
    published,
    within,
  };
}

export function atLeastCell(place: Place, test: Test, margin: number): Cell {
  return { ...testCell(place, shifted(test, margin)), said: testCell(place, test).said };
}

/**
 * A cell for the claim that at least the share `least` of all trials have a property.
 * cases: number of trials with the property. count: number of all trials.
 */
export function shareCell(place: Place, [cases, count]: readonly [number, number], least: number, words: string): Cell {
  return { ...testCell(place, shareTest(cases, count, least)), said: words };
}

/**
 * A cell for the claim that the largest of several values is above a bound.
 * @param test the test of the largest value against the bound, as if it were the only value
 * @param values the number of values
 */
export function largestCell(place: Place, test: Test, values: number, words: string): Cell {
  // Bonferroni's correction: by chance, the largest of several values exceeds a bound more often than a single value does. If the largest
  // value is below the bound, p needs no correction.
  const p = test.difference > 0 ? Math.min(1, values * test.p) : test.p;
  return { ...testCell(place, { ...test, p }), said: words };
}

/**
 * A cell for the claim that two comparisons both support a claim. If a comparison refutes the claim, returns the cell of this comparison.
 * Otherwise returns the less certain cell.
 */
export function weaker(first: Cell, second: Cell): Cell {
  if (first.kind !== "difference" || second.kind !== "difference") throw new Error("Both cells have to test a difference.");
  const [p, q] = [first.p, second.p].map((value) => (Number.isNaN(value) ? 1 : value)) as [number, number];
  const refuted = first.difference < 0;
  if (refuted !== second.difference < 0) return refuted ? first : second;
  return (refuted ? p <= q : p > q) ? first : second;
}

/**
 * A cell for the claim that a fact is true. trials: number of random trials that tested the fact; absent if the fact is not about trials.
 */
export function factCell(place: Place, holds: boolean, words: string, trials?: number): Cell {
  return { ...place, kind: "fact", holds, said: words, ...(trials === undefined ? {} : { trials }) };
}
