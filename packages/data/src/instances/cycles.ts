/**
 * Columns that go round: hours of a day, days of a week, months of a year. Each becomes two features, its place on a circle of
 * diameter 1, so that 23:00 is near 1:00 and opposite moments are at distance 1.
 */
import { badInput, badOption, cos, sin } from "@coterie/core/internal";
import { shellFlag } from "@coterie/core/shell";
import { CYCLES, type Cycle, turnOf } from "../table/dates.js";
import { quoted } from "../table/sentences.js";
import type { Column } from "../table/table.js";
import type { Feature } from "./scaling.js";

export function checkCycles(cyclic: Readonly<Record<string, readonly (Cycle | number)[]>>): void {
  for (const [name, cycles] of Object.entries(cyclic)) {
    for (const cycle of cycles) {
      const isFine = typeof cycle === "number" ? cycle > 0 && cycle < Infinity : CYCLES.includes(cycle);
      if (!isFine)
        throw badOption(
          "--cyclic",
          `${name}=${cycle}`,
          `COL=${CYCLES.join("|")}, or the length of a turn for a column of numbers`,
        );
    }
  }
}

/** The features of a column on its circles. */
export function onCircles(feature: Feature, column: Column, cycles: readonly (Cycle | number)[], file: string): Feature[] {
  const { name, values, fill, notation: _, ...rest } = feature;
  return cycles.flatMap((cycle) => {
    const turn = turnBy(column, cycle, file);
    const around = (of: (angle: number) => number, which: string): Feature => {
      const place = (value: number) => (Number.isNaN(value) ? Number.NaN : of(2 * Math.PI * turn(value)) / 2);
      return {
        ...rest,
        name: `${name} (${cycle}, ${which})`,
        values: values.map(place),
        ...(typeof fill === "number" ? { fill: place(fill) } : {}),
      };
    };
    return [around(cos, "cosine"), around(sin, "sine")];
  });
}

function turnBy(column: Column, cycle: Cycle | number, file: string): (value: number) => number {
  const option = shellFlag("--cyclic", `${column.name}=${cycle}`);
  if (column.kind !== "numeric")
    throw badInput(`Column ${quoted(column.name)} holds text, which goes round nothing (${option}).`, {
      file,
      remedy: "Name a column of dates, times or numbers.",
    });
  if (typeof cycle === "number") return (value) => value / cycle - Math.floor(value / cycle);
  if (column.date === undefined)
    throw badInput(`Column ${quoted(column.name)} holds numbers, not dates (${option}).`, {
      file,
      remedy: `Say after how much they begin anew, such as ${shellFlag("--cyclic", `${column.name}=24`)} for hours.`,
    });
  return (days) => turnOf(days, cycle);
}
