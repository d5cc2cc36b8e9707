/** Incremental SHA-256 (FIPS 180-4), for browsers, which have no incremental hasher. */
import type { Hasher } from "./table.js";

const BLOCK = 64;

/** The constants of SHA-256: the first 32 bits after the binary point of a prime's square or cube root, computed in exact integers. */
function rootBits(prime: number, degree: 2 | 3): number {
  // floor(prime^(1/degree) · 2^32) mod 2^32, by bisection on integers.
  const target = BigInt(prime) << BigInt(32 * degree);
  let low = 0n;
  let high = 1n << 40n;
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle ** BigInt(degree) <= target) low = middle;
    else high = middle - 1n;
  }
  return Number(BigInt.asIntN(32, low));
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}

let roundConstants: Int32Array | undefined;

export function createSha256(): Hasher {
  const primes = firstPrimes(64);
  roundConstants ??= Int32Array.from(primes, (prime) => rootBits(prime, 3));
  const k = roundConstants;
  const state = Int32Array.from(primes.slice(0, 8), (prime) => rootBits(prime, 2));
  const words = new Int32Array(64);
  const pending = new Uint8Array(BLOCK);
  let held = 0;
  let length = 0;

  return {
    update(bytes) {
      length += bytes.length;
      let p = 0;
      if (held > 0) {
        p = Math.min(BLOCK - held, bytes.length);
        pending.set(bytes.subarray(0, p), held);
        held += p;
        if (held < BLOCK) return;
        compress(state, k, words, pending, 0);
        held = 0;
      }
      for (; p + BLOCK <= bytes.length; p += BLOCK) compress(state, k, words, bytes, p);
      pending.set(bytes.subarray(p));
      held = bytes.length - p;
    },
    digest() {
      const tail = new Uint8Array(held < 56 ? BLOCK : 2 * BLOCK);
      tail.set(pending.subarray(0, held));
      tail[held] = 0x80;
      const view = new DataView(tail.buffer);
      // The length in bits: 8 × length < 2^56 for any file.
      view.setUint32(tail.length - 8, Math.floor(length / 2 ** 29));
      view.setUint32(tail.length - 4, (length * 8) >>> 0);
      for (let p = 0; p < tail.length; p += BLOCK) compress(state, k, words, tail, p);
      return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
    },
  };
}

function compress(
  state: Int32Array, // in, out
  k: Int32Array,
  w: Int32Array, // scratch
  bytes: Uint8Array,
  start: number,
): void {
  for (let t = 0, p = start; t < 16; t++, p += 4) {
    w[t] = (bytes[p]! << 24) | (bytes[p + 1]! << 16) | (bytes[p + 2]! << 8) | bytes[p + 3]!;
  }
  for (let t = 16; t < 64; t++) {
    const x = w[t - 15]!;
    const y = w[t - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[t] = (w[t - 16]! + s0 + w[t - 7]! + s1) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let t = 0; t < 64; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + k[t]! + w[t]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = (state[0]! + a) | 0;
  state[1] = (state[1]! + b) | 0;
  state[2] = (state[2]! + c) | 0;
  state[3] = (state[3]! + d) | 0;
  state[4] = (state[4]! + e) | 0;
  state[5] = (state[5]! + f) | 0;
  state[6] = (state[6]! + g) | 0;
  state[7] = (state[7]! + h) | 0;
}
