/**
 * Moves constrained rows of a clustering at a low cost, so that all constraints are satisfied. If k clusters cannot satisfy all
 * constraints, the violated constraints have the least total weight.
 *
 * The moving units are must-link components that must be apart from another component. They are the vertices of the constraint graph. Their
 * clusters are its colours. The search first tries a cheap placement (relax.ts), then an exact search. If it proves that no colouring
 * exists, tabu search and branch and bound choose the constraints to violate.
 */
import { type Colouring, searchColouring } from "../../colouring/colouring.js";
import type { ConstraintGraph, Graph } from "../../colouring/graphs/graph.js";
import { constraintGraph } from "../../colouring/graphs/graph.js";
import { closeConstraints, violationCount, violationsOf } from "../../constraints/index.js";
import { upTo } from "../../linalg/indices.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import { type InstanceId, idOf } from "../../model/points.js";
import { counted } from "../../model/wording.js";
import { type Budget, budgetOf } from "../../steps/budget.js";
import type { Steps } from "../../steps/index.js";
import {
  cheapestSteps,
  type PenalisedGraph,
  type Relaxed,
  relaxSteps,
  totalPenalty,
  type Verdict,
  withoutViolated,
} from "./relax.js";
import { openWork, pausing, type Work } from "./work.js";

export interface Groups {
  readonly graph: ConstraintGraph;
  readonly k: number;
  readonly plain: Int32Array;
  readonly budget: Budget;
  readonly work: Work;
  readonly ids: readonly InstanceId[] | undefined;
}

export interface Colours {
  readonly labels: Int32Array;
  readonly graph: Graph;
  /**
   * Set if k clusters cannot satisfy all constraints: a placement with few violations. `core`: number of groups of rows that together need
   * more than k clusters.
   */
  readonly forced: (Relaxed & { readonly core: number }) | null;
  /** Set if the search found nothing better than the clusters before the search. */
  readonly isPlain?: true;
}

export interface Refused {
  readonly notice: string;
}

export interface Kept {
  readonly labels: Int32Array;
  readonly notices: readonly string[];
}

/** For each node of the option `effort`, the placement search may read this number of units or neighbours. */
export const READS_PER_NODE = 100;

/**
 * Moves constrained rows so that must-links, cannot-links, labels and exclusive groups are satisfied, if k clusters can satisfy them.
 *
 * - labels: the cluster of each row before
 * - costs: the cost of a row in a cluster. Must-linked rows move together to the cluster with the least total cost.
 */
export function* keepSteps(
  set: ConstraintSet,
  labels: Int32Array,
  k: number,
  costs: (row: number, cluster: number) => number,
  { effort, ids }: { readonly effort: number; readonly ids?: readonly InstanceId[] | undefined },
): Steps<Kept> {
  if (violationCount({ ...violationsOf(set, labels), relative: [] }) === 0) return { labels, notices: [] };
  const closure = closeConstraints(set);
  const graph = constraintGraph(closure);
  const { component, members, componentCount } = closure;
  const sums = (c: number, cluster: number): number => {
    let sum = 0;
    for (let p = members.start[c]!; p < members.start[c + 1]!; p++) sum += costs(members.items[p]!, cluster);
    return sum;
  };
  const cheapest = (c: number): number => {
    let best = 0;
    let least = Infinity;
    for (let cluster = 0; cluster < k; cluster++) {
      const cost = sums(c, cluster);
      if (cost < least) [best, least] = [cluster, cost];
    }
    return best;
  };
  const clusterOf = new Int32Array(componentCount);
  for (let c = 0; c < componentCount; c++)
    clusterOf[c] = closure.sizes[c] === 1 ? labels[members.items[members.start[c]!]!]! : cheapest(c);
  const notices: string[] = [];
  if (graph.vertices > 0) {
    const table = new Float64Array(graph.vertices * k);
    for (let v = 0; v < graph.vertices; v++)
      for (let cluster = 0; cluster < k; cluster++) table[v * k + cluster] = sums(graph.component[v]!, cluster);
    const budget = budgetOf({ effort });
    const groups: Groups = {
      graph,
      k,
      plain: graph.component.map((c) => clusterOf[c]!),
      budget,
      work: openWork(budget.left * READS_PER_NODE),
      ids,
    };
    const found = yield* colourSteps(groups, null, table);
    if ("notice" in found) notices.push(found.notice);
    else {
      found.labels.forEach((cluster, v) => {
        clusterOf[graph.component[v]!] = cluster;
      });
      if (found.forced)
        notices.push(
          forcedNotice(
            groups,
            found.forced,
            component.map((c) => clusterOf[c]!),
          ),
        );
    }
  }
  return { labels: component.map((c) => clusterOf[c]!), notices };
}

const COLOURING = { phase: "looking for k clusters that keep every cannot-link", done: 0, total: null };

/**
 * Finds a cluster (colour) for every vertex of the constraint graph, or returns a notice.
 *
 * - before: an earlier result to start from
 * - costs: vertices × k. Null if any legal colouring is good enough.
 */
export function* colourSteps(groups: Groups, before: Colours | null, costs: Float64Array | null): Steps<Colours | Refused> {
  const { graph, k, budget, work } = groups;
  if (before) {
    if (costs === null) return before;
    const labels = yield* cheapestSteps({ graph: before.graph, k, costs }, before.labels, noColouring, work);
    return { ...before, labels: labels! };
  }
  let answer: Colouring = { status: "undecided" };
  const colouring = function* (): Steps<Int32Array | null> {
    answer = yield* pausing(searchColouring(graph, k, budget), COLOURING);
    return answer.status === "feasible" ? answer.colouring : null;
  };
  const labels = costs === null ? yield* colouring() : yield* cheapestSteps({ graph, k, costs }, null, colouring, work);
  if (labels) return { labels, graph, forced: null };
  return yield* breakSteps(groups, answer, costs);
}

function* noColouring(): Steps<null> {
  yield COLOURING;
  return null;
}

function* breakSteps(groups: Groups, answer: Colouring, costs: Float64Array | null): Steps<Colours | Refused> {
  const { graph, k, plain, budget, work } = groups;
  if (answer.status !== "infeasible") {
    const open = `whether ${counted(k, "cluster")} could keep them all was not decided within the effort`;
    return { notice: `With ${counted(k, "cluster")} some cannot-links are broken; ${open}.` };
  }
  const core = answer.core.vertices.length;
  const given = penaltiesOf(graph, k, costs ?? new Float64Array(graph.vertices * k));
  const solve = function* (part: Graph): Steps<Verdict> {
    const found = yield* pausing(searchColouring(part, k, budget), COLOURING);
    return found.status === "feasible" ? found.colouring : found.status;
  };
  const relaxed = yield* relaxSteps(given, solve, work);
  const penalty = totalPenalty(given, upTo(graph.vertices), plain);
  const forced = { ...relaxed, core };
  if (penalty <= relaxed.penalty) return { labels: plain, graph: withoutViolated(given, plain), forced, isPlain: true };
  const left = withoutViolated(given, relaxed.labels);
  const labels = costs && (yield* cheapestSteps({ graph: left, k, costs }, relaxed.labels, noColouring, work));
  return { labels: labels ?? relaxed.labels, graph: left, forced };
}

export function forcedNotice(
  { graph, k, ids }: Pick<Groups, "graph" | "k" | "ids">,
  { core, proven }: NonNullable<Colours["forced"]>,
  labels: Int32Array,
): string {
  const clause = violationClause(graph.closure.set, graph, labels, ids);
  const clusters = counted(k, "cluster");
  const why = `no clustering with ${clusters} keeps them all, since ${core} groups of rows already need more`;
  const least = proven ? "breaking fewer is impossible" : "whether breaking fewer is possible was not decided within the effort";
  return `With ${clusters} some cannot-links are broken: ${why}. Broken: ${clause}; ${least}.`;
}

/**
 * The penalty of violating each edge or clique of the constraint graph.
 *
 * - Edge: the sum of the weights of the cannot-links between its components.
 * - Member of a class of labels: the sum of the weights of its labels.
 * - Constraint of infinite weight: more than all finite constraints together.
 * - Member of an exclusive group: more than all these constraints together, as in the repair of `diagnose`.
 */
function penaltiesOf(graph: ConstraintGraph, k: number, costs: Float64Array): PenalisedGraph {
  const { set, component, cliques } = graph.closure;
  const { cannotLinks, labels } = set;
  const weights = [...cannotLinks.weight, ...labels.weight];
  const hard = 1 + weights.reduce((sum, weight) => (weight === Infinity ? sum : sum + weight), 0);
  const group = hard * (1 + weights.filter((weight) => weight === Infinity).length);
  const penaltyOf = (weight: number): number => (weight === Infinity ? hard : weight);

  const between = new Map<number, number>();
  const vertexOf = (row: number): number => graph.vertexOf[component[row]!]!;
  for (let s = 0; s < cannotLinks.a.length; s++) {
    const [u, v] = [vertexOf(cannotLinks.a[s]!), vertexOf(cannotLinks.b[s]!)];
    if (component[cannotLinks.a[s]!] === component[cannotLinks.b[s]!]) continue;
    const key = Math.min(u, v) * graph.vertices + Math.max(u, v);
    between.set(key, (between.get(key) ?? 0) + penaltyOf(cannotLinks.weight[s]!));
  }
  const linkPenalty = new Float64Array(graph.links.items.length);
  for (let v = 0; v < graph.vertices; v++) {
    for (let p = graph.links.start[v]!; p < graph.links.start[v + 1]!; p++) {
      const u = graph.links.items[p]!;
      linkPenalty[p] = between.get(Math.min(u, v) * graph.vertices + Math.max(u, v))!;
    }
  }

  const labelled = new Float64Array(graph.vertices);
  for (let s = 0; s < labels.row.length; s++) {
    const v = vertexOf(labels.row[s]!);
    if (v >= 0) labelled[v]! += penaltyOf(labels.weight[s]!);
  }
  const itemPenalty = new Float64Array(graph.cliques.items.length);
  for (let q = 0; q < cliques.count; q++) {
    for (let p = cliques.start[q]!; p < cliques.start[q + 1]!; p++) {
      itemPenalty[p] = cliques.source[q] === -1 ? labelled[graph.cliques.items[p]!]! : group;
    }
  }
  return { graph, k, linkPenalty, itemPenalty, costs };
}

const MOST_NAMED = 5;

/**
 * Names the violated constraints in a part of a sentence. Leaves out cannot-links inside a must-link component, because another notice
 * reports contradictions.
 */
function violationClause(
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
  const kinds = [
    ...(pairs.length > 0 ? [`${counted(pairs.length, "cannot-link")} (${named.join(", ")}${more})`] : []),
    ...(violations.labels.length > 0 ? [counted(violations.labels.length, "label")] : []),
    ...(violations.exclusive.length > 0 ? [`exclusive groups ${counted(violations.exclusive.length, "time")}`] : []),
  ];
  return kinds.length < 2 ? kinds.join("") : `${kinds.slice(0, -1).join(", ")} and ${kinds.at(-1)}`;
}
