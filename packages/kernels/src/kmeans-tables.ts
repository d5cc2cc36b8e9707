/** The small tables that the routines of k-means read: centres in their order of reading, and how far rows may trust their labels. */

/** Groups of four centres, feature by feature; places beyond k are infinitely far. */
export function packCentres(centres: Float64Array, k: number, d: number, packed: Float64Array): void {
  packLines(centres, k, d, Number.POSITIVE_INFINITY, packed);
}

/** Groups of four lines of d numbers, feature by feature; places beyond k hold `beyond`. */
export function packLines(centres: Float64Array, k: number, d: number, beyond: number, packed: Float64Array): void {
  packed.fill(beyond);
  for (let c = 0; c < k; c++) {
    const place = (c - (c % 4)) * d + (c % 4);
    for (let f = 0; f < d; f++) packed[place + 4 * f] = centres[c * d + f]!;
  }
}

/** Centres about their middle, scaled so that the largest norm is in [1, 2), in single precision: |c|² and -2c by groups of four. */
export function packEstimates(centres: Float64Array, k: number, d: number, middle: Float64Array, packed: Float32Array) {
  middle.fill(0);
  for (let p = 0; p < k * d; p++) middle[p % d]! += centres[p]! / k;
  const norms = new Float64Array(k);
  for (let c = 0; c < k; c++) {
    for (let f = 0; f < d; f++) {
      const t = centres[c * d + f]! - middle[f]!;
      norms[c]! += t * t;
    }
  }
  const largest = Math.sqrt(norms.reduce((most, norm) => Math.max(most, norm), 0));
  const scale = scaleOf(largest);
  packed.fill(0);
  for (let c = 0; c < Math.ceil(k / 4) * 4; c++) {
    const place = (c - (c % 4)) * (d + 1) + (c % 4);
    packed[place] = c < k ? norms[c]! * scale * scale : Number.POSITIVE_INFINITY;
    if (c < k) for (let f = 0; f < d; f++) packed[place + 4 * (f + 1)] = -2 * scale * (centres[c * d + f]! - middle[f]!);
  }
  return { scale, reach: (largest * scale) ** 2 };
}

/** The power of two that brings a length into [1, 2), or near it; 1 if there is none. */
function scaleOf(length: number): number {
  let scale = 1;
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) return scale;
  while (length * scale >= 2 && scale > 2 ** -1000) scale /= 2;
  while (length * scale < 1 && scale < 2 ** 1000) scale *= 2;
  return scale;
}

/** For each label: how far its own centre and the farthest-moved other one have come since a past time, rounded up. */
export function limitsSince(
  past: Float64Array,
  present: Float64Array,
  k: number,
  d: number,
  slack: number,
  limits: Float64Array,
): void {
  let most = 0;
  let second = 0;
  let mover = -1;
  for (let c = 0; c < k; c++) {
    let sum = 0;
    for (let p = c * d; p < (c + 1) * d; p++) {
      const t = present[p]! - past[p]!;
      sum += t * t;
    }
    const way = Math.sqrt(sum);
    limits[c] = way;
    if (way > most) {
      second = most;
      most = way;
      mover = c;
    } else if (way > second) second = way;
  }
  for (let c = 0; c < k; c++) limits[c] = (limits[c]! + (c === mover ? second : most)) * (1 + 2 * slack);
}
