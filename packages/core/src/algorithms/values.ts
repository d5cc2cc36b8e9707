/** Values that no method can work with, said before one tries: not finite, or with squares that are. */
import { badInput } from "../errors.js";
import { type Instances, idOf } from "../model/points.js";

/** Sums of squares of any table that fits into memory stay finite up to here, and above 0 down to its inverse. */
const LARGEST = 1e150;

export function checkValues(points: Instances): void {
  const { n, d, x, nominal, distances } = points;
  for (let c = 0; c < d; c++) {
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < n; i++) {
      const value = x[i * d + c]!;
      if (!Number.isFinite(value))
        throw badInput(`${columnName(points, c)} holds ${value} in row ${idOf(points, i)}.`, NOT_FINITE);
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (nominal?.[c]) continue;
    if (Math.max(-low, high) > LARGEST) throw badInput(`${columnName(points, c)} holds numbers too large to square.`, OTHER_UNIT);
    if (high > low && high - low < 1 / LARGEST) {
      throw badInput(`${columnName(points, c)} holds numbers too close to each other to square their differences.`, OTHER_UNIT);
    }
  }
  if (distances?.some((distance) => !(distance <= LARGEST))) throw badInput("Some distances are too large to square.");
}

const NOT_FINITE = { remedy: "Every value must be a finite number." };
const OTHER_UNIT = { remedy: "Give them in another unit (--scale minmax would do)." };

function columnName({ names }: Instances, c: number): string {
  return names?.[c] === undefined ? `Column ${c}` : `Column "${names[c]}"`;
}
