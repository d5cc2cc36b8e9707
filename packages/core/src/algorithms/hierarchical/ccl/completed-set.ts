/**
 * The constraint set completed: every component that must be apart from another gets one of k colours, which no two have that must
 * be apart; components of one colour are must-linked, and colours are kept apart. With the completed set a linkage has nothing left
 * to decide that could break a constraint, and what it says about every constrained row is propagated to the others.
 */

import type { ConstraintGraph } from "../../../colouring/graphs/graph.js";
import { type Closure, closeConstraints, emptyConstraints } from "../../../constraints/index.js";
import type { Step } from "../../../steps/index.js";
import type { RowsAbove } from "./half-matrix.js";

/** Numbers that one step looks at. */
const PER_STEP = 4_000_000;

/**
 * vertices × k: what each vertex of the constraint graph costs in each cluster, its size times its mean distance to the rows there.
 * The distances are those between components, after propagation and without bars; `labels` are the components' clusters.
 */
export function* preferenceSteps(
  rows: RowsAbove,
  { component: componentOf, vertexOf, closure }: ConstraintGraph,
  labels: Int32Array,
  k: number,
): Generator<Step, Float64Array, void> {
  const { componentCount: m, sizes } = closure;
  const held = new Float64Array(k);
  for (let c = 0; c < m; c++) held[labels[c]!]! += sizes[c]!;
  const costs = new Float64Array(componentOf.length * k);
  const every = Math.ceil(PER_STEP / m);
  // Each distance is read once, in its row: it counts for the vertex of the row, and for that of the column.
  for (let c = 0, next = 0; c < m; c++) {
    if (c % every === 0) yield { phase: "distances to clusters", done: c, total: m };
    const d = rows.values();
    const from = rows.at(c);
    const own = vertexOf[c]!;
    if (own >= 0)
      for (let other = c + 1, to = own * k; other < m; other++) costs[to + labels[other]!]! += sizes[other]! * d[from + other]!;
    while (next < componentOf.length && componentOf[next]! <= c) next++;
    for (let v = next; v < componentOf.length; v++) costs[v * k + labels[c]!]! += sizes[c]! * d[from + componentOf[v]!]!;
  }
  for (let v = 0; v < componentOf.length; v++) {
    for (let c = 0; c < k; c++) costs[v * k + c]! *= sizes[componentOf[v]!]! / held[c]!;
  }
  return costs;
}

/** The closure of the completed set over the components, which are its rows; the constraint graph says which have colours. */
export function completedClosure({ component, closure }: ConstraintGraph, colours: Int32Array, k: number): Closure {
  return closeConstraints({
    ...emptyConstraints(closure.componentCount),
    labels: {
      row: component,
      code: colours,
      weight: new Float64Array(component.length).fill(1),
      names: Array.from({ length: k }, (_, c) => String(c)),
    },
  });
}

/** Whether two colourings part the vertices alike, whatever the colours are called. */
export function partAlike(one: Int32Array, other: Int32Array, k: number): boolean {
  const nameOf = new Int32Array(k).fill(-1);
  const taken = new Uint8Array(k);
  return one.every((colour, v) => {
    if (nameOf[colour] === -1 && taken[other[v]!] === 0) {
      nameOf[colour] = other[v]!;
      taken[other[v]!] = 1;
    }
    return nameOf[colour] === other[v];
  });
}
