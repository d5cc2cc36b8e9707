/**
 * A fractional colouring as a strip: independent sets one after the other, each as wide as its weight. Parts of a graph that
 * share no edge have strips of their own, which are laid over each other; vertices that were set aside are put back into what
 * their neighbours leave free.
 */
import type { Adjacency } from "../graphs/adjacency.js";

export interface Layer {
  readonly vertices: Set<number>;
  weight: number;
}

/** Widths below this are rounding. */
export const THIN = 1e-9;

/** Two strips, the first at least as wide, as one: cut wherever one of them is. */
export function overlay(wide: readonly Layer[], narrow: readonly Layer[]): Layer[] {
  const layers: Layer[] = [];
  let i = 0;
  let j = 0;
  let leftOfI = wide[0]?.weight ?? 0;
  let leftOfJ = narrow[0]?.weight ?? 0;
  while (i < wide.length) {
    const weight = j < narrow.length ? Math.min(leftOfI, leftOfJ) : leftOfI;
    if (weight > THIN) layers.push({ vertices: new Set([...wide[i]!.vertices, ...(narrow[j]?.vertices ?? [])]), weight });
    leftOfI -= weight;
    leftOfJ -= weight;
    if (leftOfI <= THIN) leftOfI = wide[++i]?.weight ?? 0;
    if (j < narrow.length && leftOfJ <= THIN) leftOfJ = narrow[++j]?.weight ?? 0;
  }
  return layers;
}

/** Takes out of the layers what covers a vertex more than once. */
export function trim(layers: Layer[], n: number): void {
  const surplus = new Float64Array(n).fill(-1);
  for (const { vertices, weight } of layers) for (const v of vertices) surplus[v]! += weight;
  for (let v = 0; v < n; v++) {
    for (let i = 0; surplus[v]! > THIN && i < layers.length; i++) {
      if (!layers[i]!.vertices.has(v)) continue;
      cut(layers, i, surplus[v]!);
      layers[i]!.vertices.delete(v);
      surplus[v]! -= layers[i]!.weight;
    }
  }
}

/** Puts v into layers that hold none of its neighbours, until it is covered once. */
export function putBack(layers: Layer[], { start, items }: Adjacency, v: number): void {
  const neighbours = items.subarray(start[v]!, start[v + 1]!);
  let open = 1;
  for (let i = 0; open > THIN && i < layers.length; i++) {
    if (neighbours.some((other) => layers[i]!.vertices.has(other))) continue;
    cut(layers, i, open);
    layers[i]!.vertices.add(v);
    open -= layers[i]!.weight;
  }
}

/** Puts v wherever `other` is. */
export function putBeside(layers: readonly Layer[], v: number, other: number): void {
  for (const { vertices } of layers) if (vertices.has(other)) vertices.add(v);
}

/** Cuts a layer in two if it is wider than `width`; its first part is as wide. */
function cut(layers: Layer[], i: number, width: number): void {
  const layer = layers[i]!;
  if (layer.weight <= width + THIN) return;
  layers.splice(i + 1, 0, { vertices: new Set(layer.vertices), weight: layer.weight - width });
  layer.weight = width;
}
