/** Short lists of numbers for tests: `tuples("0 1, 1 2")` is `[[0, 1], [1, 2]]`. The type fits pairs, with or without a weight, and triples. */
export function tuples(text: string): [number, number, number][] {
  return text.split(", ").map((tuple) => tuple.split(" ").map(Number) as [number, number, number]);
}

/** The same, with the type of pairs. */
export const pairs = tuples as unknown as (text: string) => [number, number][];
