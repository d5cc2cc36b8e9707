import type { Points } from "../../model/points.js";

/** Reference for tests: Lloyd's algorithm from its definition, without bounds or handling of empty clusters. */
export function lloydByDefinition({ n, d, x }: Points, first: readonly (readonly number[])[], iterations: number) {
  let centres = first.map((row) => [...row]);
  let labels: number[] = [];
  for (let t = 0; t < iterations; t++) {
    labels = Array.from({ length: n }, (_, i) => {
      const squares = centres.map((centre) => centre.reduce((sum, value, j) => sum + (x[i * d + j]! - value) ** 2, 0));
      return squares.indexOf(Math.min(...squares));
    });
    centres = centres.map((centre, c) => {
      const members = [...labels.keys()].filter((i) => labels[i] === c);
      if (members.length === 0) return centre;
      return centre.map((_, j) => members.reduce((sum, i) => sum + x[i * d + j]!, 0) / members.length);
    });
  }
  return { labels, centres };
}
