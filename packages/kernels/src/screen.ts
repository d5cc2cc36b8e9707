/**
 * The TypeScript side of rows in 16-bit integers: where they are stored, and their common scale. assembly/screen.ts explains their
 * purpose.
 */
import type { Arena, F32, F64, Screen, Screening } from "@coterie/core/internal";
import type { Host } from "./host.js";

export class ScreenedRows implements Screen {
  readonly n: number;
  readonly d: number;
  readonly wide: number;
  readonly address: number;
  /** The factor by which rows were multiplied when they were last screened. */
  unit = 1;

  constructor(n: number, d: number, wide: number, address: number) {
    this.n = n;
    this.d = d;
    this.wide = wide;
    this.address = address;
  }
}

/** With fewer columns, screening saves no time. With more than the maximum, sums could exceed 32 bits. */
const LEAST_COLUMNS = 24;
const MOST_COLUMNS = 65_536;

export function isScreened(d: number): boolean {
  return d >= LEAST_COLUMNS && d <= MOST_COLUMNS;
}

/**
 * Maximum bytes of stored integers for single-precision rows. Callers use single precision to save memory, so larger tables store no
 * integers.
 */
const MOST_BESIDE_SINGLES = 2 ** 28;
const GRAIN = 1024;

/**
 * Starts the screening of rows; null if it saves no time. For large single-precision tables, integers are not stored but computed at each
 * use.
 */
export function simdScreening(host: Host, x: F64 | F32, n: number, d: number, arena: Arena): RowScreening | null {
  if (!isScreened(d)) return null;
  const screen = emptyScreen(host, x, n, d, arena, x.type === "f64" || 2 * n * d <= MOST_BESIDE_SINGLES);
  scaleUnder(host, screen, x, null);
  return { screen, fill: (from, to) => host.parallel("screenRows", [screen.address], to, GRAIN, from) };
}

interface RowScreening extends Screening {
  readonly screen: ScreenedRows;
}

/** Like `simdScreening`, but prepares all rows at once. */
export function simdScreen(host: Host, x: F64 | F32, n: number, d: number, arena: Arena): ScreenedRows | null {
  const screening = simdScreening(host, x, n, d, arena);
  screening?.fill(0, n);
  return screening?.screen ?? null;
}

const ROOMS = 16;

/** Memory for the rows in integers: for all rows if the integers are stored (`isKept`), otherwise for a few rows at a time. */
export function emptyScreen(host: Host, x: F64 | F32, n: number, d: number, arena: Arena, isKept = true): ScreenedRows {
  const wide = Math.ceil(d / 8) * 8;
  const mean = arena.f64(d);
  const words = arena.i32(18);
  const integers = arena.u8(2 * wide * (isKept ? n : Math.ceil(n / GRAIN)));
  // The arrays are longer than n, because norms and scales are read four rows at a time, and rows eight at a time.
  const facts = [arena.f32(n + 8), arena.f32(n + 8), arena.f32(n + 8), arena.f64(n + 8)];
  const places = facts.map((block) => host.pointer(block));
  const own = host.pointer(integers);
  words.view().set([n, d, wide, x.type === "f32" ? 1 : 0, host.pointer(x), host.pointer(mean), isKept ? own : 0, ...places]);
  words.view()[ROOMS] = isKept ? 0 : own;
  return new ScreenedRows(n, d, wide, host.pointer(words));
}

/** Converts the rows to integers. Each feature is first multiplied by its factor if there are factors. */
export function screenUnder(host: Host, screen: ScreenedRows, x: F64 | F32, factors: F64 | null): void {
  scaleUnder(host, screen, x, factors);
  host.parallel("screenRows", [screen.address], screen.n, GRAIN);
}

/** Indices of the mean, the factors, and two doubles (the unit and its inverse) in a screen, in words of four bytes. */
const MEAN = 5;
const FACTORS = 11;
const UNITS = 12;

/** Writes the values that determine the integers of all rows: mean, factors and scale. */
function scaleUnder(host: Host, screen: ScreenedRows, x: F64 | F32, factors: F64 | null): void {
  const { n, d, address } = screen;
  const times = factors?.view() ?? new Float64Array(d).fill(1);
  const mean = sampledMean(x.view(), n, d);
  for (let f = 0; f < d; f++) mean[f]! *= times[f]!;
  screen.unit = unitOf(x.view(), n, d, mean, times);
  const words = new Int32Array(host.memory.buffer, address, UNITS);
  words[FACTORS] = factors ? host.pointer(factors) : 0;
  new Float64Array(host.memory.buffer, words[MEAN], d).set(mean);
  new Float64Array(host.memory.buffer, address + 4 * UNITS, 2).set([screen.unit, 1 / screen.unit]);
}

/** The mean of this many rows is subtracted from all rows. */
const MEAN_ROWS = 256;

function sampledMean(x: Float64Array | Float32Array, n: number, d: number): Float64Array {
  const mean = new Float64Array(d);
  const rows = Math.min(n, MEAN_ROWS);
  for (let t = 0; t < rows; t++) {
    const row = Math.floor((t * n) / rows) * d;
    for (let f = 0; f < d; f++) mean[f]! += x[row + f]! / rows;
  }
  return mean;
}

/** The scale of all rows is determined from this many rows. */
const SAMPLED_ROWS = 64;

/** The power of two that brings the lengths of rows near 1. */
function unitOf(x: Float64Array | Float32Array, n: number, d: number, mean: Float64Array, factors: Float64Array): number {
  let most = 0;
  for (let t = 0; t < Math.min(n, SAMPLED_ROWS); t++) {
    const row = Math.floor((t * n) / Math.min(n, SAMPLED_ROWS));
    for (let f = 0; f < d; f++) most = Math.max(most, Math.abs(x[row * d + f]! * factors[f]! - mean[f]!));
  }
  const length = most * Math.sqrt(d);
  let unit = 1;
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) return unit;
  while (length * unit >= 2 && unit > 2 ** -500) unit /= 2;
  while (length * unit < 1 && unit < 2 ** 500) unit *= 2;
  return unit;
}
