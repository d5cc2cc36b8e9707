/** Rows in 16-bit integers, as the host sees them: where they are, and the scale of the whole. What they are for stands in assembly/screen.ts. */
import type { Arena, F32, F64, Screen } from "@coterie/core/internal";
import type { Host } from "./host.js";
import { simdMean } from "./moments.js";

/** Narrower rows are as fast without; wider ones could leave 32 bits. */
const LEAST_COLUMNS = 24;
const MOST_COLUMNS = 65_536;
const GRAIN = 1024;
/** Rows that are looked at for the scale of all. */
const SAMPLED_ROWS = 64;
/** Where the two doubles stand in a screen: words of four bytes. */
const UNITS = 12;

export class ScreenedRows implements Screen {
  readonly n: number;
  readonly d: number;
  /** Integers of a row. */
  readonly wide: number;
  readonly address: number;
  readonly unit: number;

  constructor(n: number, d: number, wide: number, address: number, unit: number) {
    this.n = n;
    this.d = d;
    this.wide = wide;
    this.address = address;
    this.unit = unit;
  }
}

export function isScreened(d: number): boolean {
  return d >= LEAST_COLUMNS && d <= MOST_COLUMNS;
}

/** Screens rows; null where that does not pay. */
export function simdScreen(host: Host, x: F64 | F32, n: number, d: number, arena: Arena): ScreenedRows | null {
  if (!isScreened(d)) return null;
  const wide = Math.ceil(d / 8) * 8;
  const means = simdMean(host, x, n, d);
  const mean = arena.f64(d);
  mean.view().set(means);
  const unit = unitOf(x.view(), n, d, mean.view());
  const words = arena.i32(16);
  // Facts are read four rows at a time, and rows in eights.
  const facts = [arena.u8(2 * n * wide), arena.f32(n + 8), arena.f32(n + 8), arena.f32(n + 8), arena.f64(n + 8)];
  const places = [x, mean, ...facts].map((block) => host.pointer(block));
  words.view().set([n, d, wide, x.type === "f32" ? 1 : 0, ...places]);
  const address = host.pointer(words);
  new Float64Array(host.memory.buffer, address + 4 * UNITS, 2).set([unit, 1 / unit]);
  host.parallel("screenRows", [address], n, GRAIN);
  return new ScreenedRows(n, d, wide, address, unit);
}

/** A power of two that brings the lengths of rows near 1. */
function unitOf(x: Float64Array | Float32Array, n: number, d: number, mean: Float64Array): number {
  let most = 0;
  for (let t = 0; t < Math.min(n, SAMPLED_ROWS); t++) {
    const row = Math.floor((t * n) / Math.min(n, SAMPLED_ROWS));
    for (let f = 0; f < d; f++) most = Math.max(most, Math.abs(x[row * d + f]! - mean[f]!));
  }
  const length = most * Math.sqrt(d);
  let unit = 1;
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) return unit;
  while (length * unit >= 2 && unit > 2 ** -500) unit /= 2;
  while (length * unit < 1 && unit < 2 ** 500) unit *= 2;
  return unit;
}
