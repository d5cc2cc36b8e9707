/** Number columns told by fewer numbers: principal components, with what they keep; and rows of length 1. */
import { alongAxes, badInput, badOption, drain, type Kernels, principalAxes, type Scaling } from "@coterie/core/internal";
import { counted } from "../table/sentences.js";
import { rowMajor } from "./points.js";
import type { Feature } from "./scaling.js";

/** The way from scaled columns to components: (value - mean) · axis. */
export interface Reduction {
  /** The columns that are reduced, in order. */
  readonly columns: readonly string[];
  readonly scaling: { readonly offset: readonly number[]; readonly factor: readonly number[] } | null;
  readonly mean: readonly number[];
  readonly axes: readonly (readonly number[])[];
}

export interface Reduced {
  readonly features: readonly Feature[];
  readonly scaling: Scaling | null;
  readonly reduction: Reduction;
  readonly notice?: string;
}

/** Parts of vectors where there are some, else all numbers. */
function isReduced(features: readonly Feature[]): (feature: Feature) => boolean {
  const hasVectors = features.some(({ vector }) => vector !== undefined);
  return ({ vector, levels }) => (hasVectors ? vector !== undefined : levels === null);
}

/** The table that is reduced: its rows, its file for messages, and the arithmetic. */
interface ReducedTable {
  readonly n: number;
  readonly file: string;
  readonly kernels: Kernels | undefined;
}

/** Components in the place of the columns that they are made of; the other features follow. */
export function reduced(
  features: readonly Feature[],
  scaling: Scaling | null,
  wanted: number | Reduction,
  { n, file, kernels }: ReducedTable,
): Reduced {
  const places = [...features.keys()].filter((j) => isReduced(features)(features[j]!));
  const chosen = places.map((j) => features[j]!);
  if (chosen.some(({ holes }) => holes > 0))
    throw badInput("Principal components need every cell, but some are missing.", {
      file,
      remedy: "Drop those rows (--missing drop) or fill the cells (--missing impute).",
    });
  const d = chosen.length;
  const own = scaling && { offset: places.map((j) => scaling.offset[j]!), factor: places.map((j) => scaling.factor[j]!) };
  const given = typeof wanted === "number" ? null : wanted;
  const usedScaling = given ? given.scaling : own;
  const columns = chosen.map(({ values }) => values);
  const x = drain(rowMajor(columns, n, usedScaling));
  const { reduction, share } = given ? { reduction: given, share: 1 } : learned(x, n, chosen, own, wanted as number, kernels);
  const rest = [...features.keys()].filter((j) => !places.includes(j));
  const components = componentsOf(x, n, reduction, kernels);
  return {
    features: [...components, ...rest.map((j) => features[j]!)],
    scaling: scaling && {
      offset: [...components.map(() => 0), ...rest.map((j) => scaling.offset[j]!)],
      factor: [...components.map(() => 1), ...rest.map((j) => scaling.factor[j]!)],
    },
    reduction,
    ...(given
      ? {}
      : {
          notice: `${counted(d, "column")} of numbers became ${counted(components.length, "principal component")}, which ${components.length === 1 ? "keeps" : "keep"} ${(100 * share).toFixed(1)}% of the variance (--reduce).`,
        }),
  };
}

function learned(
  x: Float64Array,
  n: number,
  chosen: readonly Feature[],
  scaling: Reduction["scaling"],
  count: number,
  kernels: Kernels | undefined,
) {
  const d = chosen.length;
  if (count > Math.min(d, n))
    throw badOption(
      "--reduce",
      count,
      `at most ${Math.min(d, n)}: there are ${counted(d, "column")} of numbers and ${counted(n, "row")}`,
    );
  const { mean, axes, share } = principalAxes(x, n, d, count, kernels);
  const columns = chosen.map(({ name }) => name);
  const reduction: Reduction = { columns, scaling, mean: [...mean], axes: axes.map((axis) => [...axis]) };
  return { reduction, share };
}

function componentsOf(x: Float64Array, n: number, { mean, axes }: Reduction, kernels: Kernels | undefined): Feature[] {
  const lines = { mean: Float64Array.from(mean), axes: axes.map((axis) => Float64Array.from(axis)) };
  const found = alongAxes(x, n, lines, kernels);
  return axes.map((_, c) => {
    const values = new Float64Array(n);
    for (let i = 0, p = c; i < n; i++, p += axes.length) values[i] = found[p]!;
    return { name: `pc${c + 1}`, values, levels: null, filledRows: new Int32Array(0), holes: 0, fill: 0 };
  });
}

/** Rows of fewer columns have length 1 by chance. */
const FEWEST_COLUMNS = 16;
const ROUNDING = 1e-3;

/** Whether rows are vectors of length 1: those of a column of vectors, or of many columns of numbers. */
export function areDirections(features: readonly Feature[], n: number): boolean {
  const first = features[0]?.vector;
  const isVector = first !== undefined && features.every(({ vector }) => vector === first);
  if (!isVector && features.length < FEWEST_COLUMNS) return false;
  if (n === 0 || features.some(({ levels, holes, weight = 1 }) => levels !== null || holes > 0 || weight !== 1)) return false;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (const { values } of features) sum += values[i]! * values[i]!;
    if (!isUnit(sum)) return false;
  }
  return true;
}

/** The same for rows of many numbers. */
export function areDirectionRows(rows: Float32Array, n: number, d: number): boolean {
  if (d < FEWEST_COLUMNS) return false;
  for (let p = 0; p < n * d; p += d) {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += rows[p + j]! * rows[p + j]!;
    if (!isUnit(sum)) return false;
  }
  return true;
}

function isUnit(square: number): boolean {
  return Math.abs(square - 1) <= 2 * ROUNDING;
}
