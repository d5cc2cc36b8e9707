/** What a linkage has to break where k clusters cannot keep everything apart: at what price, and in which words it is told. */

import type { ConstraintGraph } from "../../../colouring/graphs/graph.js";
import { violationsOf } from "../../../constraints/index.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import { type InstanceId, idOf } from "../../../model/points.js";
import { counted } from "../../../model/wording.js";
import type { Breakable } from "../../placement/relax-prices.js";

/**
 * Prices of breaking: for an edge the weights of the given cannot-links between its components, for a class of labels those of its
 * constraints. One of weight Infinity is dearer than all others together, and a member of an exclusive group dearer than all those: as
 * in the repair of the diagnosis.
 */
export function pricesOf(graph: ConstraintGraph, k: number, costs: Float64Array): Breakable {
  const { set, component, cliques } = graph.closure;
  const { cannotLinks, labels } = set;
  const weights = [...cannotLinks.weight, ...labels.weight];
  const hard = 1 + weights.reduce((sum, weight) => (weight === Infinity ? sum : sum + weight), 0);
  const group = hard * (1 + weights.filter((weight) => weight === Infinity).length);
  const priceOf = (weight: number): number => (weight === Infinity ? hard : weight);

  const between = new Map<number, number>();
  const vertexOf = (row: number): number => graph.vertexOf[component[row]!]!;
  for (let s = 0; s < cannotLinks.a.length; s++) {
    const [u, v] = [vertexOf(cannotLinks.a[s]!), vertexOf(cannotLinks.b[s]!)];
    if (component[cannotLinks.a[s]!] === component[cannotLinks.b[s]!]) continue;
    const key = Math.min(u, v) * graph.vertices + Math.max(u, v);
    between.set(key, (between.get(key) ?? 0) + priceOf(cannotLinks.weight[s]!));
  }
  const linkPrice = new Float64Array(graph.links.items.length);
  for (let v = 0; v < graph.vertices; v++) {
    for (let p = graph.links.start[v]!; p < graph.links.start[v + 1]!; p++) {
      const u = graph.links.items[p]!;
      linkPrice[p] = between.get(Math.min(u, v) * graph.vertices + Math.max(u, v))!;
    }
  }

  const labelled = new Float64Array(graph.vertices);
  for (let s = 0; s < labels.row.length; s++) {
    const v = vertexOf(labels.row[s]!);
    if (v >= 0) labelled[v]! += priceOf(labels.weight[s]!);
  }
  const itemPrice = new Float64Array(graph.cliques.items.length);
  for (let q = 0; q < cliques.count; q++) {
    for (let p = cliques.start[q]!; p < cliques.start[q + 1]!; p++) {
      itemPrice[p] = cliques.source[q] === -1 ? labelled[graph.cliques.items[p]!]! : group;
    }
  }
  return { graph, k, linkPrice, itemPrice, costs };
}

/** Broken cannot-links that a sentence names. */
const MOST_NAMED = 5;

/** What a clustering of the rows breaks between components, as a clause; contradictions with must-links have their own notice. */
export function brokenClause(
  set: ConstraintSet,
  { closure: { component } }: ConstraintGraph,
  labels: Int32Array,
  ids: readonly InstanceId[] | undefined,
): string {
  const violations = violationsOf(set, labels);
  const pairs = violations.cannotLink.filter(([a, b]) => component[a] !== component[b]);
  const name = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  const named = pairs.slice(0, MOST_NAMED).map(([a, b]) => `${name(a)} – ${name(b)}`);
  const more = pairs.length > MOST_NAMED ? ", …" : "";
  const said = [
    ...(pairs.length > 0 ? [`${counted(pairs.length, "cannot-link")} (${named.join(", ")}${more})`] : []),
    ...(violations.labels.length > 0 ? [counted(violations.labels.length, "label")] : []),
    ...(violations.exclusive.length > 0 ? [`exclusive groups ${counted(violations.exclusive.length, "time")}`] : []),
  ];
  return said.length < 2 ? said.join("") : `${said.slice(0, -1).join(", ")} and ${said.at(-1)}`;
}
