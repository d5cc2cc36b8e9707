/**
 * Weighs answers that can be wrong against each other and against certain constraints. Finds the answers that are outweighed.
 *
 * The answers form a graph. Its nodes are rows; rows that certain must-links join are one node. Its edges are the answers, with their
 * weights, and the certain cannot-links.
 */
import { believed, LAW, weightOf } from "@coterie/core/internal";
import type { Constraint, Provenance } from "../protocol/knowledge.js";
import { rowsOf } from "../protocol/sentences.js";

/** A constraint between rows. If `evidence`, its error rate, is absent, the constraint is certain. */
export interface WeighedConstraint extends Pick<Provenance, "evidence" | "confidence"> {
  readonly constraint: Constraint;
}

/** If the error rate must be learned from the answers, this rate is assumed at first. */
const USUAL_RATE = 0.1;

export function overruledBy(said: readonly WeighedConstraint[]): number[] {
  const pairs = said.flatMap(({ constraint, evidence, confidence }, place) => {
    if (constraint.type !== "must-link" && constraint.type !== "cannot-link") return [];
    const rate = evidence === "learn" ? USUAL_RATE : evidence;
    const weight = rate === undefined || rate === 0 ? LAW : weightOf(rate, confidence);
    const [a, b] = rowsOf(constraint).map(String);
    return [{ place, a: a!, b: b!, isSame: constraint.type === "must-link", weight }];
  });
  const joined = joinedBy(pairs.filter(({ isSame, weight }) => isSame && weight === LAW));
  const nodes = new Map<string, number>();
  const nodeOf = (row: string) => {
    const name = joined(row);
    if (!nodes.has(name)) nodes.set(name, nodes.size);
    return nodes.get(name)!;
  };
  const evidence = pairs.filter(({ weight }) => weight !== LAW);
  for (const { a, b } of evidence) [a, b].forEach(nodeOf);
  const apart = pairs.filter(
    ({ a, b, isSame, weight }) => !isSame && weight === LAW && nodes.has(joined(a)) && nodes.has(joined(b)),
  );
  const edges = [...apart, ...evidence].map(({ a, b, isSame, weight }) => ({
    a: nodeOf(a),
    b: nodeOf(b),
    weight: isSame ? weight : -weight,
  }));
  const kept = believed(nodes.size, edges).slice(apart.length);
  return evidence.flatMap(({ place }, i) => (kept[i] ? [] : [place]));
}

function joinedBy(links: readonly { readonly a: string; readonly b: string }[]): (row: string) => string {
  const parent = new Map<string, string>();
  const rootOf = (row: string): string => {
    let root = row;
    for (let next = parent.get(root); next !== undefined; next = parent.get(root)) root = next;
    for (let at = row; at !== root; ) {
      const next = parent.get(at)!;
      parent.set(at, root);
      at = next;
    }
    return root;
  };
  for (const { a, b } of links) if (rootOf(a) !== rootOf(b)) parent.set(rootOf(b), rootOf(a));
  return rootOf;
}
