/** Refuses input that no method can use: values whose squares are not finite, and constraints for another number of rows. */
import { badInput } from "../errors.js";
import { type Instances, idOf, rowValues } from "../model/points.js";
import { checkConstraintSet, notFinite } from "../rows.js";
import type { Input } from "./method.js";

/**
 * The largest allowed absolute value. Also, if the values of a column differ, some value must differ from the first value by at least 1 /
 * LARGEST. Sums of squares then stay finite and above 0.
 */
const LARGEST = 1e150;

export function checkInput({ points, constraints }: Input): void {
  checkConstraintSet(constraints);
  if (constraints.n !== points.n)
    throw badInput(`The constraints are about ${constraints.n} rows, but there are ${points.n}.`, {
      remedy: "Make them for the rows that are clustered.",
    });
  checkColumns(points);
  checkRowWeights(points);
  if (points.distances?.some((distance) => !(distance <= LARGEST))) throw badInput("Some distances are too large to square.");
}

function checkColumns(points: Instances): void {
  const { d, nominal, holes } = points;
  const x = rowValues(points);
  for (let p = nextOdd(x, 0); p < x.length; p = nextOdd(x, p + 1)) {
    const value = x[p]!;
    if (holes && Number.isNaN(value)) continue;
    if (Number.isFinite(value)) throw badInput(`${columnName(points, p % d)} holds numbers too large to square.`, OTHER_UNIT);
    throw notFinite(points, p % d, Math.floor(p / d), value);
  }
  for (let c = 0; c < d; c++) {
    if (nominal?.[c] || !isCramped(points, c)) continue;
    throw badInput(`${columnName(points, c)} holds numbers too close to each other to square their differences.`, OTHER_UNIT);
  }
}

/** Throws if a weight is not above 0, or if weighted sums of squared distances could overflow. */
function checkRowWeights(points: Instances): void {
  const { d, nominal, rowWeights } = points;
  if (!rowWeights) return;
  const odd = rowWeights.findIndex((weight) => !(weight > 0 && weight < Infinity));
  const row = (i: number) => `Row ${idOf(points, i)} has the weight ${rowWeights[i]}`;
  if (odd >= 0) throw badInput(`${row(odd)}.`, { remedy: "Give every row a finite number above 0." });
  const x = rowValues(points);
  let largest = 1;
  for (let p = 0; p < x.length; p++) if (!nominal?.[p % d] && Math.abs(x[p]!) > largest) largest = Math.abs(x[p]!);
  const total = rowWeights.reduce((sum, weight) => sum + weight, 0);
  if (Number.isFinite(total * 4 * Math.max(1, d) * largest * largest)) return;
  const heaviest = rowWeights.reduce((best, weight, i) => (weight > rowWeights[best]! ? i : best), 0);
  throw badInput(`${row(heaviest)}: weights times squared distances are too large to add up.`, {
    remedy: "Divide all weights by the same number: only their proportions count.",
  });
}

/** The index of the next value, from index `from`, that is too large or not finite. `x.length` if there is none. */
function nextOdd(x: Float64Array | Float32Array, from: number): number {
  const { length } = x;
  let p = from;
  while (p < length && x[p]! <= LARGEST && x[p]! >= -LARGEST) p++;
  return p;
}

/**
 * Whether the values of column c differ, but the squares of their differences are 0. Usually the first rows already show that this is
 * false.
 */
function isCramped(points: Instances, c: number): boolean {
  const { n, d } = points;
  const x = rowValues(points);
  let differ = false;
  let first = 0;
  while (first < n && Number.isNaN(x[first * d + c]!)) first++;
  for (let i = first + 1; i < n; i++) {
    const difference = Math.abs(x[i * d + c]! - x[first * d + c]!);
    if (difference >= 1 / LARGEST) return false;
    differ ||= difference > 0;
  }
  return differ;
}

const OTHER_UNIT = { remedy: "Give them in another unit (--scale minmax would do)." };

function columnName({ names }: Instances, c: number): string {
  return names?.[c] === undefined ? `Column ${c}` : `Column "${names[c]}"`;
}
