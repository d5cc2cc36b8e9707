/**
 * Explains each constraint of a repair: what fails if only this constraint is put back. Constraints that turn out to be satisfiable
 * are put back.
 *
 * Contradictions are found directly from the components of the remaining constraints. For every other constraint, a search checks
 * whether k clusters are enough with it, while the effort lasts.
 */
import { type Closure, closeConstraints } from "../../constraints/closure.js";
import type { Contradiction } from "../../constraints/contradictions.js";
import { linkGraph, pathTo, type Search, searchFrom, searchIn } from "../../constraints/link-graph.js";
import { type Budget, chargeLooks, type Interruptible, looksLeft, pauseDue } from "../../steps/budget.js";
import { checkWithout, type Reason } from "./conflict.js";
import { itemAt, withoutItems } from "./given.js";
import type { State } from "./repair.js";

/** Cost in looks (see steps/budget.ts) of a link that a path search follows. */
const PATH_LOOKS = 8;

/** The constraints that stay dropped, ascending, each with its reason. The most expensive constraints are put back first. */
export function* reasonsFor(
  state: State,
  dropped: readonly number[],
  budget: Budget,
): Interruptible<ReadonlyMap<number, Reason>> {
  const { given, k, pricing, nodes } = state;
  const out = new Set(dropped);
  const reasons = new Map<number, Reason>();
  const kept = keptConstraints(state, out);
  const rest: number[] = [];
  for (const item of dropped) {
    if (pauseDue(budget)) yield;
    const contradiction = contradictionWith(state, kept, item, budget);
    if (contradiction) reasons.set(item, { kind: "contradiction", contradiction });
    else rest.push(item);
  }
  for (const item of rest.toSorted((a, b) => pricing.price(b) - pricing.price(a) || a - b)) {
    if (budget.left <= 0) {
      reasons.set(item, { kind: "undecided" });
      continue;
    }
    out.delete(item);
    const { status, conflicts } = yield* checkWithout(given, out, k, { smaller: false, nodes }, budget);
    if (status === "consistent") continue;
    out.add(item);
    const blamed = conflicts.find(({ items }) => items.includes(item)) ?? conflicts[0];
    reasons.set(item, blamed?.reason ?? { kind: "undecided" });
  }
  return new Map([...reasons].sort(([a], [b]) => a - b));
}

interface Kept {
  readonly closure: Closure;
  readonly search: Search;
  /** For each two components with a cannot-link, one cannot-link; key: lower · count + higher. */
  readonly between: ReadonlyMap<number, number>;
}

function keptConstraints({ given }: State, dropped: ReadonlySet<number>): Kept {
  const closure = closeConstraints(withoutItems(given, dropped));
  const { a, b } = closure.set.cannotLinks;
  const between = new Map<number, number>();
  for (let s = 0; s < a.length; s++) between.set(keyOf(closure, closure.component[a[s]!]!, closure.component[b[s]!]!), s);
  return { closure, search: searchIn(linkGraph(closure.set)), between };
}

function keyOf({ componentCount }: Closure, c: number, d: number): number {
  return Math.min(c, d) * componentCount + Math.max(c, d);
}

/** The contradiction that a link causes with the remaining constraints, if must-links and cannot-links alone show it. */
function contradictionWith({ given }: State, kept: Kept, item: number, budget: Budget): Contradiction | null {
  const { kind, index } = itemAt(given, item);
  if (kind !== "must-link" && kind !== "cannot-link") return null;
  const { component, set } = kept.closure;
  const links = kind === "must-link" ? given.set.mustLinks : given.set.cannotLinks;
  const [a, b] = [links.a[index]!, links.b[index]!];
  if (kind === "cannot-link") {
    return component[a] === component[b] ? { kind, rows: [a, b], path: pathBetween(kept, a, b, budget) } : null;
  }
  const link = kept.between.get(keyOf(kept.closure, component[a]!, component[b]!));
  if (link === undefined) return null;
  const { cannotLinks } = set;
  const ends = [cannotLinks.a[link]!, cannotLinks.b[link]!] as const;
  const [p, q] = component[ends[0]] === component[a] ? ends : ([ends[1], ends[0]] as const);
  const [before, after] = [pathBetween(kept, p, a, budget), pathBetween(kept, b, q, budget)];
  return { kind: "cannot-link", rows: [p, q], path: before.length > 0 && after.length > 0 ? [...before, ...after] : [] };
}

/** A shortest path of must-links; empty if the effort is spent. */
function pathBetween({ search }: Kept, from: number, to: number, budget: Budget): number[] {
  if (looksLeft(budget) === 0) return [];
  const before = search.work;
  searchFrom(search, [from], (row) => row === to);
  chargeLooks(budget, PATH_LOOKS * (search.work - before));
  return pathTo(search, to);
}
