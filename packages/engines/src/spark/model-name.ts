/** A model as the name of a function: what the jar's Functions reads back. Numbers are little-endian, columns and clusters in order. */
import type { Grid, PassModel } from "@coterie/core/scale";

const METRICS = { plain: 0, diagonal: 1, full: 2 } as const;
const MOMENTS = { none: 0, diagonal: 1, full: 2 } as const;

export function modelName(kind: "pass" | "label", model: PassModel): string {
  const { d, k, metric, moments, several, scaling, centres, maps, bias, sumGrids, momentGrids, costGrid } = model;
  const whole = Int32Array.of(d, k, METRICS[metric], MOMENTS[moments], several ? 1 : 0, scaling ? 1 : 0);
  const numbers = [
    ...centres,
    ...maps,
    ...bias,
    ...(scaling ? [...scaling.offset, ...scaling.factor] : []),
    ...sumGrids.flatMap(facts),
    ...momentGrids.flatMap(facts),
    ...facts(costGrid),
  ];
  const bytes = Buffer.alloc(4 * whole.length + 8 * numbers.length);
  whole.forEach((value, i) => {
    bytes.writeInt32LE(value, 4 * i);
  });
  numbers.forEach((value, i) => {
    bytes.writeDoubleLE(value, 4 * whole.length + 8 * i);
  });
  return `${kind}_${bytes.toString("base64url")}`;
}

/** Units are powers of two, so that multiplying by their inverse is exact. */
function facts({ coarseRound, fineRound, coarseUnit, fineUnit }: Grid): number[] {
  return [coarseRound, fineRound, 1 / coarseUnit, 1 / fineUnit];
}
