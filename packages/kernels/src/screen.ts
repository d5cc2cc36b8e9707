/** Rows in 16-bit integers, as the host sees them: where they are, and the scale of the whole. What they are for stands in assembly/screen.ts. */
import type { Arena, F32, F64, Screen, Screening } from "@coterie/core/internal";
import type { Host } from "./host.js";

export class ScreenedRows implements Screen {
  readonly n: number;
  readonly d: number;
  /** Integers of a row. */
  readonly wide: number;
  readonly address: number;
  /** What rows were multiplied by when they were last screened. */
  unit = 1;

  constructor(n: number, d: number, wide: number, address: number) {
    this.n = n;
    this.d = d;
    this.wide = wide;
    this.address = address;
  }
}

/** Narrower rows are as fast without; wider ones could leave 32 bits. */
const LEAST_COLUMNS = 24;
const MOST_COLUMNS = 65_536;

export function isScreened(d: number): boolean {
  return d >= LEAST_COLUMNS && d <= MOST_COLUMNS;
}

/** Bytes of integers that may stand beside rows of singles, which are there to save memory. */
const MOST_BESIDE_SINGLES = 2 ** 28;
const GRAIN = 1024;

/**
 * Screens rows; null where that does not pay. The integers of large rows of singles, half as much memory again, are not kept: they are made
 * again, from the facts of their rows, each time that they are needed.
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

/** The same at once. */
export function simdScreen(host: Host, x: F64 | F32, n: number, d: number, arena: Arena): ScreenedRows | null {
  const screening = simdScreening(host, x, n, d, arena);
  screening?.fill(0, n);
  return screening?.screen ?? null;
}

const ROOMS = 16;

/** Room for the rows in integers, all of them if they are to be kept. */
export function emptyScreen(host: Host, x: F64 | F32, n: number, d: number, arena: Arena, isKept = true): ScreenedRows {
  const wide = Math.ceil(d / 8) * 8;
  const mean = arena.f64(d);
  const words = arena.i32(18);
  const integers = arena.u8(2 * wide * (isKept ? n : Math.ceil(n / GRAIN)));
  // Facts are read four rows at a time, and rows in eights.
  const facts = [arena.f32(n + 8), arena.f32(n + 8), arena.f32(n + 8), arena.f64(n + 8)];
  const places = facts.map((block) => host.pointer(block));
  const own = host.pointer(integers);
  words.view().set([n, d, wide, x.type === "f32" ? 1 : 0, host.pointer(x), host.pointer(mean), isKept ? own : 0, ...places]);
  words.view()[ROOMS] = isKept ? 0 : own;
  return new ScreenedRows(n, d, wide, host.pointer(words));
}

/** Screens the rows as they are now, each feature times its factor if there are factors. */
export function screenUnder(host: Host, screen: ScreenedRows, x: F64 | F32, factors: F64 | null): void {
  scaleUnder(host, screen, x, factors);
  host.parallel("screenRows", [screen.address], screen.n, GRAIN);
}

/** Where the mean, the factors and two doubles stand in a screen: words of four bytes. */
const MEAN = 5;
const FACTORS = 11;
const UNITS = 12;

/** Writes what the integers of all rows are made by: their mean, their factors, their scale. */
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

/** Rows whose mean is taken off all. */
const MEAN_ROWS = 256;

/** A mean of some rows: any point amid the rows would do. */
function sampledMean(x: Float64Array | Float32Array, n: number, d: number): Float64Array {
  const mean = new Float64Array(d);
  const rows = Math.min(n, MEAN_ROWS);
  for (let t = 0; t < rows; t++) {
    const row = Math.floor((t * n) / rows) * d;
    for (let f = 0; f < d; f++) mean[f]! += x[row + f]! / rows;
  }
  return mean;
}

/** Rows that are looked at for the scale of all. */
const SAMPLED_ROWS = 64;

/** A power of two that brings the lengths of rows near 1. */
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
