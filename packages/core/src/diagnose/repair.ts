/**
 * What to drop so that the constraints can hold: a cheapest set of given statements without which the rest is free of
 * contradictions and fits into k clusters.
 *
 * Dropping must break every conflict, so it is a hitting set over all conflicts; and these need not be known in advance (the
 * implicit hitting set approach: Karp 2010; Davies and Bacchus 2011). Conflicts found so far are hit as cheaply as possible; if
 * the rest still fails, it shows new ones. What hits the known conflicts at least cost is a lower bound on every repair, and
 * the answer once nothing fails any more.
 *
 * A statement's price is its weight. One of weight Infinity is dropped only if nothing else will do, and an exclusive group
 * only after that: their prices exceed the sum of all that is cheaper.
 */
import { badOption } from "../errors.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import { budgetOf, type EffortOptions } from "./budget.js";
import { type Conflict, checkWithout, type Reason } from "./conflict.js";
import { type Given, type GivenKind, givenItems, itemAt, weightOf } from "./given.js";
import { type HittingSet, hittingSet, type Pricing } from "./hitting-set.js";

export interface DroppedConstraint {
  readonly kind: GivenKind;
  /** Position among the set's statements of its kind; for a group, of its column. */
  readonly index: number;
  /** The two rows of a link, the row of a label, or the rows of a group. */
  readonly rows: readonly number[];
  /** The class of a label; the column and the value of a group. */
  readonly names?: readonly string[];
  readonly weight: number;
  /** What would fail if it alone were put back. */
  readonly because: Reason;
}

export interface Repair {
  readonly dropped: readonly DroppedConstraint[];
  /** The sum of the prices of what is dropped; no repair costs less than the bound. */
  readonly price: number;
  readonly lowerBound: number;
  /** Whether no repair is cheaper. */
  readonly optimal: boolean;
  /** Whether it is sure that the rest can hold; false if that was not decided within the effort. */
  readonly certain: boolean;
  /** What a statement of weight Infinity and what an exclusive group cost, so that they go last. */
  readonly prices: { readonly hard: number; readonly group: number };
}

/** Times that the rest is checked; each may take as many nodes as the effort. */
const MOST_CHECKS = 300;

/** `k` null: contradictions alone are mended. */
export function repair(set: ConstraintSet, k: number | null, options: EffortOptions = {}): Repair {
  if (k !== null && !(Number.isInteger(k) && k >= 1)) throw badOption("k", k, "a whole number, 1 or more");
  const given = givenItems(set);
  const { pricing, prices } = pricesOf(given);
  const state: State = { given, k, options, pricing, conflicts: [], checks: MOST_CHECKS };
  const budget = budgetOf(options);
  let lowerBound = 0;
  for (;;) {
    const hit = hittingSet(
      state.conflicts.map(({ items }) => items),
      pricing,
      budget,
    );
    lowerBound = Math.max(lowerBound, hit.lowerBound);
    const outcome = gatherConflicts(state, hit);
    if (outcome === "more" && budget.left > 0) continue;
    const dropped = outcome === "holds" ? hit.items : dropGreedily(state, hit.items);
    const { kept, certain, explained } = putBackAndExplain(state, dropped);
    const price = kept.reduce((sum, item) => sum + pricing.price(item), 0);
    return { dropped: explained, price, lowerBound, optimal: certain && price <= lowerBound, certain, prices };
  }
}

interface State {
  readonly given: Given;
  readonly k: number | null;
  readonly options: EffortOptions;
  readonly pricing: Pricing;
  readonly conflicts: Conflict[];
  /** Checks that may still be made. */
  checks: number;
}

function pricesOf(given: Given): { readonly pricing: Pricing; readonly prices: Repair["prices"] } {
  const weights = Float64Array.from({ length: given.count }, (_, item) => weightOf(given, itemAt(given, item)));
  let finite = 0;
  let hardCount = 0;
  for (let item = 0; item < given.groups; item++) {
    if (weights[item] === Infinity) hardCount++;
    else finite += weights[item]!;
  }
  const hard = finite + 1;
  const group = hard * (hardCount + 1);
  const price = (item: number): number => (item >= given.groups ? group : weights[item] === Infinity ? hard : weights[item]!);
  // Labels of one class together: dropping a whole class breaks more than dropping some of each.
  const rank = (item: number): number =>
    item >= given.labels && item < given.groups ? given.set.labels.code[item - given.labels]! : -1;
  return { pricing: { price, rank }, prices: { hard, group } };
}

/**
 * Conflicts left after dropping the hitting set. As long as there are, all their items are set aside and the rest is looked at
 * again, so that a round finds many conflicts that share nothing.
 */
function gatherConflicts(state: State, hit: HittingSet): "holds" | "more" | "gave up" {
  const aside = new Set(hit.items);
  for (let first = true; ; first = false) {
    if (state.checks-- <= 0) return "gave up";
    const { status, conflicts } = checkWithout(state.given, aside, state.k, { ...state.options, smaller: true });
    if (status === "consistent") return first ? "holds" : "more";
    if (status === "undecided") return first ? "gave up" : "more";
    for (const conflict of conflicts) {
      state.conflicts.push(conflict);
      for (const item of conflict.items) aside.add(item);
    }
  }
}

/** Drops the cheapest item of one conflict after the other until nothing is found to fail. */
function dropGreedily({ given, k, options, pricing, conflicts }: State, start: readonly number[]): number[] {
  const dropped = new Set(start);
  const uses = new Float64Array(given.count).fill(1);
  for (const { items } of conflicts) for (const item of items) uses[item]!++;
  const dearness = (item: number): number => pricing.price(item) / uses[item]!;
  for (;;) {
    const { conflicts: found } = checkWithout(given, dropped, k, { ...options, smaller: true });
    if (found.length === 0) return [...dropped];
    for (const { items } of found) {
      if (items.some((item) => dropped.has(item))) continue;
      dropped.add(items.reduce((a, b) => (dearness(b) < dearness(a) ? b : a)));
    }
  }
}

/** Puts back what need not be dropped, dearest first; the conflict that each of the others would cause explains it. */
function putBackAndExplain(state: State, dropped: readonly number[]) {
  const { given, k, options, pricing } = state;
  const out = new Set(dropped);
  const reasons = new Map<number, Reason>();
  const check = () => checkWithout(given, out, k, { ...options, smaller: false });
  let certain = check().status === "consistent";
  for (const item of dropped.toSorted((a, b) => pricing.price(b) - pricing.price(a) || a - b)) {
    out.delete(item);
    const { status, conflicts } = check();
    const blamed = conflicts.find(({ items }) => items.includes(item)) ?? conflicts[0];
    if (blamed) {
      out.add(item);
      reasons.set(item, blamed.reason);
    } else if (status === "undecided") certain = false;
  }
  const kept = [...out].sort((a, b) => a - b);
  return { kept, certain, explained: kept.map((item) => describeItem(given, item, reasons.get(item)!)) };
}

function describeItem(given: Given, item: number, because: Reason): DroppedConstraint {
  const { set } = given;
  const { kind, index } = itemAt(given, item);
  const weight = weightOf(given, { kind, index });
  if (kind === "label") {
    return { kind, index, rows: [set.labels.row[index]!], names: [set.labels.names[set.labels.code[index]!]!], weight, because };
  }
  if (kind === "exclusive") {
    const { column, codes, names } = set.exclusive[index]!;
    const { code } = given.group[item - given.groups]!;
    const rows = Array.from(codes.keys()).filter((row) => codes[row] === code);
    return { kind, index, rows, names: [column, names[code] ?? String(code)], weight, because };
  }
  const links = kind === "must-link" ? set.mustLinks : set.cannotLinks;
  return { kind, index, rows: [links.a[index]!, links.b[index]!], weight, because };
}
