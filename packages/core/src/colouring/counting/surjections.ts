/** Colourings that use all of j colours, by inclusion and exclusion from the colourings with at most i of them, for all i ≤ j. */
export function surjections(counts: readonly bigint[], j: number): bigint {
  let total = 0n;
  let binomial = 1n;
  for (let i = j; i >= 0; i--) {
    total += (j - i) % 2 === 0 ? binomial * counts[i]! : -binomial * counts[i]!;
    binomial = (binomial * BigInt(i)) / BigInt(j - i + 1);
  }
  return total;
}
