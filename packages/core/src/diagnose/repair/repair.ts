/**
 * What to drop so that the constraints can hold: a cheapest set of given constraints without which the rest is free of
 * contradictions and fits into k clusters.
 *
 * Dropping must break every conflict, so it is a hitting set over all conflicts; and these need not be known in advance (the
 * implicit hitting set approach: Karp 2010; Davies and Bacchus 2011). Conflicts found so far are hit as cheaply as possible; if
 * the rest still fails, it shows new ones. What hits the known conflicts at least cost is a lower bound on every repair, and
 * the answer once nothing fails any more.
 *
 * Where that takes more than half of the effort, a clustering that breaks little is looked for: what it breaks can be dropped.
 *
 * A constraint's price is its weight, on a scale on which sums stay finite. One of weight Infinity is dropped only if nothing else will do, and an exclusive group
 * only after that: their prices exceed the sum of all that is cheaper.
 */
import { pricesOf } from "../../constraints/weights.js";
import { badOption } from "../../errors.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import { type Budget, budgetOf, type EffortOptions, giveBack, type Interruptible, share } from "../../steps/budget.js";
import { drain } from "../../steps/steps.js";
import { type Conflict, checkWithout, type Reason } from "./conflict.js";
import { contract } from "./contraction.js";
import { brokenItems, constrainedRows, type Given, type GivenKind, givenItems, itemAt, onRows, weightOf } from "./given.js";
import { type HittingSet, hittingSet, type Pricing } from "./hitting-set.js";
import { reasonsFor } from "./reasons.js";
import { placeTrees } from "./soft-clusters.js";
import { tiesOf } from "./ties.js";

export interface DroppedConstraint {
  readonly kind: GivenKind;
  /** Position among the set's constraints of its kind; for a group, of its column. */
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
  /** What a constraint of weight Infinity and what an exclusive group cost, so that they go last. */
  readonly prices: { readonly hard: number; readonly group: number };
}

/** `k` null: contradictions alone are mended. What is left can hold, whatever the effort. */
export function repair(set: ConstraintSet, k: number | null, options: EffortOptions = {}): Repair {
  return drain(searchRepair(set, k, budgetOf(options)));
}

export function* searchRepair(set: ConstraintSet, k: number | null, budget: Budget): Interruptible<Repair> {
  if (k !== null && !(Number.isInteger(k) && k >= 1)) throw badOption("k", k, "a whole number, 1 or more");
  // Rows that nothing is said about would make every check dearer.
  const rows = constrainedRows(set);
  const given = givenItems(onRows(set, rows));
  const { pricing, prices } = pricingOf(given);
  const state: State = { given, k, pricing, conflicts: [], nodes: budget.left / CHECKS };
  const half = share(budget, budget.left / 2);
  const { items, lowerBound } = yield* cheapestHit(state, half);
  giveBack(budget, half);
  const dropped = items ?? (yield* brokenByClustering(state, budget));
  const reasons = yield* reasonsFor(state, dropped, budget);
  const price = [...reasons.keys()].reduce((sum, item) => sum + pricing.price(item), 0);
  const whole = givenItems(set);
  const explained = [...reasons].map(([item, because]) => describeItem(whole, item, inRows(because, rows)));
  return { dropped: explained, price, lowerBound, optimal: price <= lowerBound * (1 + ROUNDING), prices };
}

/** Sums of the same prices in different orders differ by as much. */
const ROUNDING = 1e-12;
/** A question whether k clusters can hold some of the constraints gets this part of the effort at most. */
const CHECKS = 50;
/** More conflicts are not hit exactly. */
const MOST_CONFLICTS = 2_000;

export interface State {
  readonly given: Given;
  readonly k: number | null;
  readonly pricing: Pricing;
  readonly conflicts: Conflict[];
  /** Most nodes for each question about some of the constraints. */
  readonly nodes: number;
}

function pricingOf(given: Given): { readonly pricing: Pricing; readonly prices: Repair["prices"] } {
  const weights = Float64Array.from({ length: given.groups }, (_, item) => weightOf(given, itemAt(given, item)));
  const { prices, hard } = pricesOf(weights);
  const hardCount = weights.reduce((sum, weight) => sum + (weight === Infinity ? 1 : 0), 0);
  const group = hard * (hardCount + 1);
  const price = (item: number): number => (item >= given.groups ? group : prices[item]!);
  // Labels of one class together: dropping a whole class breaks more than dropping some of each.
  const rank = (item: number): number =>
    item >= given.labels && item < given.groups ? given.set.labels.code[item - given.labels]! : -1;
  return { pricing: { price, rank }, prices: { hard, group } };
}

/** The cheapest repair, or null where that takes more than the effort; and what every repair costs at least. */
function* cheapestHit(
  state: State,
  budget: Budget,
): Interruptible<{ readonly items: readonly number[] | null; readonly lowerBound: number }> {
  let lowerBound = 0;
  for (;;) {
    const sets = state.conflicts.map(({ items }) => items);
    const hit = yield* hittingSet(sets, state.pricing, budget);
    lowerBound = Math.max(lowerBound, hit.lowerBound);
    const outcome = yield* gatherConflicts(state, hit, budget);
    if (outcome === "holds") return { items: hit.items, lowerBound };
    if (outcome === "gave up" || budget.left <= 0 || state.conflicts.length > MOST_CONFLICTS) return { items: null, lowerBound };
  }
}

/**
 * Conflicts left after dropping the hitting set. As long as there are, all their items are set aside and the rest is looked at
 * again, so that a round finds many conflicts that share nothing.
 */
function* gatherConflicts(state: State, hit: HittingSet, budget: Budget): Interruptible<"holds" | "more" | "gave up"> {
  const { given, k, nodes } = state;
  const aside = new Set(hit.items);
  for (let first = true; ; first = false) {
    if (budget.left <= 0) return "gave up";
    const { status, conflicts } = yield* checkWithout(given, aside, k, { smaller: true, nodes }, budget);
    if (status === "consistent") return first ? "holds" : "more";
    if (status === "undecided") return first ? "gave up" : "more";
    for (const conflict of conflicts) {
      state.conflicts.push(conflict);
      for (const item of conflict.items) aside.add(item);
    }
  }
}

/** What a clustering that breaks little breaks. If contradictions alone are in the way, no more than has to do with them. */
function* brokenByClustering({ given, k, pricing, nodes }: State, budget: Budget): Interruptible<readonly number[]> {
  const ties = tiesOf(given, k, pricing.price);
  const most = share(budget, budget.left / 2);
  const trees = yield* contract(ties, most);
  giveBack(budget, most);
  const contradictory = brokenItems(given, yield* placeTrees(ties, trees, null, budget));
  const { status } = yield* checkWithout(given, new Set(contradictory), k, { smaller: false, nodes }, budget);
  if (status === "consistent") return contradictory;
  return brokenItems(given, yield* placeTrees(ties, trees, k, budget));
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

/** A reason about the rows of the whole set. */
function inRows(because: Reason, rows: Int32Array): Reason {
  if (because.kind === "undecided") return because;
  if (because.kind === "core")
    return { kind: "core", components: because.components.map((members) => members.map((i) => rows[i]!)) };
  const { contradiction } = because;
  const [p, q] = contradiction.rows;
  return {
    kind: "contradiction",
    contradiction: { ...contradiction, rows: [rows[p]!, rows[q]!], path: contradiction.path.map((i) => rows[i]!) },
  };
}
