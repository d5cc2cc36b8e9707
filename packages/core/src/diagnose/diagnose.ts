/**
 * Diagnoses a constraint set: is it satisfiable, difficult, useful? (Davidson 2012.) Returns all answers at once. Answers name rows by the
 * ids of the user and have proofs. `diagnose` works without a linear program; `diagnoseFully` adds the fractional chromatic number and the
 * answers that follow from it.
 *
 * The effort limits the whole diagnosis; each question gets a share. If the share of a question is spent without an answer, the question is
 * reported as not decided.
 */

import { type Colouring, searchChromaticNumber, searchColouring } from "../colouring/colouring.js";
import { searchCount } from "../colouring/counting/counting.js";
import { type FractionalColouring, searchFractional } from "../colouring/fractional/fractional.js";
import type { LpSolver } from "../colouring/fractional/lp-solver.js";
import type { ConstraintGraph, Graph } from "../colouring/graphs/graph.js";
import { constraintGraph, degreeBound, eachNeighbour, rowsOf } from "../colouring/graphs/graph.js";
import { type Closure, closeConstraints } from "../constraints/closure.js";
import { sharedClique } from "../constraints/component-graph.js";
import { contradictionFacts, searchContradictions } from "../constraints/contradictions.js";
import { groupBeyond } from "../constraints/large-groups.js";
import { pricesOf } from "../constraints/weights.js";
import { badOption, groupNeeds } from "../errors.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import { type InstanceId, idOf, type Points } from "../model/points.js";
import { counted } from "../model/wording.js";
import { type Random, randomFrom } from "../random/random.js";
import { type Budget, budgetOf, type EffortOptions, giveBack, type Interruptible, share } from "../steps/budget.js";
import type { Steps } from "../steps/steps.js";
import { forest, join } from "../structures/components.js";
import { buildTree, isBuilt } from "../triplets/build.js";
import { searchConflict } from "../triplets/conflict.js";
import { conflictOf, leavesOf } from "../triplets/consistency.js";
import { searchLargest } from "../triplets/largest.js";
import {
  type Diagnosis,
  type DroppedConstraint,
  type FractionalNumber,
  MOST_POINTS,
  type PointDiagnosis,
  type Proof,
  type RelativeDiagnosis,
  type RepairDiagnosis,
  type Triple,
} from "./diagnosis.js";
import { type Coherence, constraintCount, informativeness, searchCoherence } from "./informativeness.js";
import type { Reason } from "./repair/conflict.js";
import { searchRepair } from "./repair/repair.js";

export interface DiagnoseOptions extends EffortOptions {
  /** Number of clusters. Without it, `feasible`, `proof` and `feasibleClusterings` are null. */
  readonly k?: number;
  /** Names of the rows; default: row numbers. */
  readonly ids?: readonly InstanceId[];
  /** The data as numbers, for coherence. */
  readonly points?: Points;
  /** Labels of a clustering found without the constraints, for informativeness. */
  readonly baseline?: Int32Array;
  readonly seed?: number;
  /** LP solver for the fractional chromatic number, prices and flexibility; without it they are null. */
  readonly solver?: LpSolver;
}

/** Default number of nodes of a diagnosis: a few seconds. */
export const DIAGNOSIS_EFFORT = 400_000;

/** Share of the effort for each question. Making a core smaller can take a quarter of the share `feasible` in addition. */
const SHARES = {
  feasible: 0.2,
  chromatic: 0.13,
  counting: 0.13,
  fractional: 0.13,
  repair: 0.15,
  relative: 0.16,
  coherence: 0.05,
} as const;

type Facts = Omit<Diagnosis, "advice">;
type Ids = readonly InstanceId[] | undefined;

export function* diagnosisSteps(set: ConstraintSet, options: DiagnoseOptions): Steps<Diagnosis> {
  const { k, ids, seed = 0 } = options;
  if (k !== undefined && !(Number.isInteger(k) && k >= 1)) throw badOption("k", k, "a whole number from 1");
  const whole = budgetOf({ effort: options.effort ?? DIAGNOSIS_EFFORT });
  const ask: Ask = (share, phase, work) => withProgress(phase, { left: whole.left * SHARES[share] }, work);
  const closure = closeConstraints(set);
  const found = yield* withProgress("contradictions", { left: 1 }, () => searchContradictions(closure));
  const { relative, notices: aboutRelative } = yield* ask("relative", "relative constraints", (budget) =>
    diagnoseRelative(set, ids, budget),
  );
  const coherent = yield* coherenceOf(set, options, ask);
  const shared = {
    contradictions: contradictionFacts(found, ids),
    components: componentsIn(closure, ids),
    relative,
    informativeness: options.baseline ? informativeness(set, options.baseline) : null,
    coherence: coherent.value,
  };
  const repaired = () => ask("repair", "what to drop", (budget) => explainRepair(set, k, ids, budget));
  const more = [...tooMany(k, set.n), ...aboutRelative, ...coherent.notices];
  if (found.length > 0) {
    const notices = [...pathNotices(found), ...more];
    const facts: Facts = { ...shared, ...NOTHING_OF_THE_GRAPH, feasible: false, points: [], repair: yield* repaired(), notices };
    return inOrder(facts, adviceFrom({ closure, diagnosis: facts, ids, k, stuck: null }));
  }
  const graph = constraintGraph(closure);
  const aboutGraph = yield* diagnoseGraph(graph, options, ask);
  const repair = aboutGraph.feasible === false ? yield* repaired() : null;
  const facts: Facts = { ...shared, ...aboutGraph, repair, notices: [...aboutGraph.notices, ...more] };
  const stuck = k !== undefined && graph.maxDegree >= k ? deadEnds(graph, k, randomFrom(seed).split("dead ends")) : null;
  return inOrder(facts, adviceFrom({ closure, diagnosis: facts, ids, k, stuck }));
}

/** A notice if k is above the number of rows: the answers are then the same as with one cluster per row. */
function tooMany(k = 0, rows: number): string[] {
  if (k <= rows) return [];
  return [
    `There are fewer rows (${rows.toLocaleString("en")}) than clusters (${k.toLocaleString("en")}): the answers are the same as with ${rows.toLocaleString("en")} clusters.`,
  ];
}

type Ask = <R>(share: keyof typeof SHARES, phase: string, work: (budget: Budget) => Interruptible<R>) => Steps<R>;

/** Turns the pauses of a search into steps. Each step reports which part of the effort is used. */
function* withProgress<R>(phase: string, budget: Budget, work: (budget: Budget) => Interruptible<R>): Steps<R> {
  const total = Math.ceil(budget.left);
  const search = work(budget);
  try {
    for (let next = search.next(); ; next = search.next()) {
      if (next.done) return next.value;
      yield { phase, done: Math.min(total, Math.max(0, Math.floor(total - budget.left))), total };
    }
  } finally {
    search.return(undefined as never);
  }
}

function* coherenceOf(set: ConstraintSet, { points, seed = 0 }: DiagnoseOptions, ask: Ask): Steps<Coherence> {
  if (points === undefined) return { value: null, notices: [] };
  return yield* ask("coherence", "coherence", (budget) => searchCoherence(set, points, randomFrom(seed), budget));
}

/** A notice if some contradictions have no must-link path because the effort was spent. */
function pathNotices(found: readonly { readonly path: readonly number[] }[]): string[] {
  const without = found.filter(({ path }) => path.length === 0).length;
  if (without === 0) return [];
  return [
    `The must-links that join the rows were not searched for ${without} of ${found.length} contradictions: their paths are empty.`,
  ];
}

const NOTHING_OF_THE_GRAPH = {
  graph: null,
  proof: null,
  chromaticNumber: null,
  fractionalChromaticNumber: null,
  feasibleClusterings: null,
} as const;

function inOrder(facts: Facts, advice: readonly string[]): Diagnosis {
  const { contradictions, components, graph, feasible, proof, chromaticNumber, fractionalChromaticNumber } = facts;
  const { feasibleClusterings, relative, informativeness, coherence, points, repair, notices } = facts;
  return {
    contradictions,
    components,
    graph,
    feasible,
    proof,
    chromaticNumber,
    fractionalChromaticNumber,
    feasibleClusterings,
    relative,
    informativeness,
    coherence,
    points,
    advice,
    repair,
    notices,
  };
}

function nameOf(ids: Ids, row: number): InstanceId {
  return idOf(ids ? { ids } : {}, row);
}

function componentsIn({ componentCount, sizes, members }: Closure, ids: Ids): Diagnosis["components"] {
  const found: { members: InstanceId[] }[] = [];
  for (let c = 0; c < componentCount; c++) {
    if (sizes[c]! < 2) continue;
    const rows = members.items.subarray(members.start[c]!, members.start[c + 1]!);
    found.push({ members: Array.from(rows, (row) => nameOf(ids, row)) });
  }
  return found;
}

type AboutGraph = Pick<
  Diagnosis,
  "graph" | "feasible" | "proof" | "chromaticNumber" | "fractionalChromaticNumber" | "feasibleClusterings" | "points" | "notices"
>;

function* diagnoseGraph(graph: ConstraintGraph, options: DiagnoseOptions, ask: Ask): Steps<AboutGraph> {
  const { vertices, edges, maxDegree, exact } = graph;
  const { k, seed = 0, solver, ids } = options;
  const random = randomFrom(seed).split("counting");
  const decided =
    k === undefined
      ? null
      : yield* ask("feasible", `can ${clusters(k)} hold them`, (budget) => searchColouring(graph, k, budget));
  const { lower, upper } = yield* ask("chromatic", "fewest clusters", (budget) => searchChromaticNumber(graph, budget));
  const fractional = solver
    ? yield* ask("fractional", "fractional colouring", (budget) => searchFractional(graph, { solver, seed }, budget))
    : null;
  const counts =
    k === undefined
      ? null
      : yield* ask("counting", "counting clusterings", (budget) => searchCount(graph, k, { random }, budget));
  const notices = exact
    ? []
    : ["The numbers of edges and of neighbours are upper bounds: groups overlap in too many pairs to count them."];
  if (vertices === 0 && k === undefined)
    notices.push("Nothing is kept apart, so the constraint graph has no vertex: any number of clusters is enough.");
  if (decided?.status === "undecided")
    notices.push(`Whether ${clusters(k!)} ${k === 1 ? "is" : "are"} enough was not decided within the effort.`);
  if (lower < upper)
    notices.push(`The least number of clusters was not decided within the effort: it is from ${lower} to ${upper}.`);
  if (counts) notices.push(...counts.notices);
  const number = fractional && fractionalNumber(fractional, upper);
  if (number?.value === null) {
    notices.push("The fractional chromatic number was not found within the effort; it lies between lower and upper.");
  }
  return {
    graph: { vertices, edges, maxDegree },
    feasible: decided === null || decided.status === "undecided" ? null : decided.status === "feasible",
    proof: decided && proofOf(graph, decided, ids),
    chromaticNumber: { lower, upper },
    fractionalChromaticNumber: number,
    feasibleClusterings: counts && { atMostK: counts.atMostK, exactlyK: counts.exactlyK },
    points: hardestPoints(graph, fractional, ids),
    notices,
  };
}

function clusters(k: number): string {
  return counted(k, "cluster");
}

function proofOf(graph: ConstraintGraph, decided: Colouring, ids: Ids): Proof | null {
  if (decided.status === "undecided") return null;
  if (decided.status === "infeasible") {
    const core = Array.from(decided.core.vertices, (v) => Array.from(rowsOf(graph, v), (row) => nameOf(ids, row)));
    return { core };
  }
  // An id can be any text, even "__proto__", so the object has no prototype.
  const colouring: Record<string, number> = Object.create(null);
  decided.colouring.forEach((cluster, v) => {
    for (const row of rowsOf(graph, v)) colouring[String(nameOf(ids, row))] = cluster;
  });
  return { colouring };
}

/**
 * The fractional chromatic number for the report: a value, or two bounds. `colours`: an upper bound of the chromatic number, and so of the
 * fractional chromatic number.
 */
function fractionalNumber({ lower, upper, fraction }: FractionalColouring, colours: number): FractionalNumber {
  if (lower === upper) return { value: upper, fraction };
  return { value: null, fraction: null, lower, upper: Math.min(upper, colours) };
}

interface AdviceFacts {
  readonly closure: Closure;
  readonly diagnosis: Omit<Diagnosis, "advice">;
  readonly ids: readonly InstanceId[] | undefined;
  readonly k: number | undefined;
  /** In how many of the `TRIALS` the one-by-one placement reached a dead end; null if it was not tried. */
  readonly stuck: number | null;
}

function adviceFrom(facts: AdviceFacts): string[] {
  return [
    ...dropAdvice(facts),
    ...groupAdvice(facts),
    ...clusterAdvice(facts),
    ...relativeAdvice(facts),
    ...placementAdvice(facts),
    ...impliedAdvice(facts),
    ...utilityAdvice(facts),
    ...methodAdvice(facts),
  ];
}

function groupAdvice({ closure, k }: AdviceFacts): string[] {
  const group = k === undefined ? undefined : groupBeyond(closure.set, k);
  return group ? [groupNeeds(group)] : [];
}

const MOST_NAMED = 5;

function listed(items: readonly string[]): string {
  const shown = items.slice(0, MOST_NAMED);
  const more = items.length - shown.length;
  if (more > 0) return `${shown.join("; ")}; and ${more} more`;
  return shown.join("; ");
}

function countedAdvice(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Maximum number of dropped constraints for which reasons are listed. */
const MOST_EXPLAINED = 3;

function dropAdvice({ closure, diagnosis, k }: AdviceFacts): string[] {
  const { repair } = diagnosis;
  if (repair === null || repair.dropped.length === 0) return [];
  const { dropped, optimal, certain } = repair;
  const count = dropped.length;
  const gain = k === undefined ? "the rest is free of contradictions" : `k = ${k} becomes possible`;
  const sure = certain ? gain : `${gain}, as far as could be decided`;
  const proven = optimal ? " No cheaper repair exists." : "";
  const which = `${count === 1 ? "this one" : `these ${count}`} of your ${countedAdvice(constraintCount(closure.set), "constraint")}`;
  const why = count <= MOST_EXPLAINED ? dropped.map((constraint) => `${constraintText(constraint)}: ${constraint.because}`) : [];
  return [`Drop ${which} and ${sure}: ${listed(dropped.map(constraintText))}.${proven}`, ...why];
}

function constraintText({ type, ids, names = [] }: DroppedConstraint): string {
  if (type === "exclusive") return `the exclusive group ${names.join(" = ")}`;
  return `${type} ${[...ids, ...names].join(", ")}`;
}

function clusterAdvice({ diagnosis, k }: AdviceFacts): string[] {
  const { chromaticNumber, feasible, graph } = diagnosis;
  if (chromaticNumber === null || graph === null || graph.vertices === 0) return [];
  const { lower, upper } = chromaticNumber;
  const least = lower === upper ? String(upper) : `between ${lower} and ${upper}`;
  if (k === undefined)
    return [`Use -k K to check whether K clusters are enough for these constraints; the smallest number is ${least}.`];
  if (feasible === false)
    return [`To keep every constraint, ask for more clusters: the smallest number that is enough is ${least}.`];
  if (feasible === null) return [`Give the search more --effort, or ask for ${upper} clusters, which are enough.`];
  return [];
}

function relativeAdvice({ diagnosis: { relative } }: AdviceFacts): string[] {
  if (relative === null) return [];
  if (relative.consistent)
    return ["The relative constraints agree with each other: recon builds a hierarchy that keeps them all."];
  const texts = relative.dropped.map(([a, b, c]) => `${a}, ${b} | ${c}`);
  return [
    `Drop ${texts.length === 1 ? "this relative constraint" : `these ${texts.length} relative constraints`} and the rest agree: ${listed(texts)}.`,
  ];
}

const TRIALS = 100;

function placementAdvice({ diagnosis: { feasible }, k, stuck }: AdviceFacts): string[] {
  if (feasible !== true || stuck === null || 2 * stuck < TRIALS) return [];
  return [
    `At k = ${k} the original COP-k-means will probably fail: placing rows one by one in random order got stuck in ${stuck} of ${TRIALS} trials. Use Coterie's cop-kmeans, which repairs its placement (without --faithful), or a soft method such as pck-means.`,
  ];
}

function impliedAdvice({ closure, ids }: AdviceFacts): string[] {
  const { mustLinks, cannotLinks } = closure.set;
  const implied = impliedConstraints(closure);
  const name = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  const texts = [
    ...implied.mustLinks.map((s) => `must-link ${name(mustLinks.a[s]!)}, ${name(mustLinks.b[s]!)}`),
    ...implied.cannotLinks.map((s) => `cannot-link ${name(cannotLinks.a[s]!)}, ${name(cannotLinks.b[s]!)}`),
  ];
  if (texts.length === 0) return [];
  return [
    texts.length === 1
      ? `This constraint is implied by the others and adds nothing: ${texts[0]}.`
      : `These ${texts.length} constraints are implied by the others and add nothing: ${listed(texts)}.`,
  ];
}

/** Below this value, informativeness or coherence is reported as low. Sets drawn from true classes have a coherence of 0.2 to 0.4. */
const LITTLE = 0.1;

function utilityAdvice({ diagnosis: { informativeness, coherence } }: AdviceFacts): string[] {
  const advice: string[] = [];
  if (informativeness !== null && informativeness < LITTLE) {
    advice.push(
      `Plain k-means already keeps ${percent(1 - informativeness)} of the constraints: do not expect them to change much. Ask about rows that lie between the clusters instead.`,
    );
  }
  if (coherence !== null && coherence < LITTLE) {
    advice.push(
      `Nearly every must-link pulls against cannot-links along the same direction of the data (coherence ${coherence.toFixed(2)}): a metric learned from them may mislead. Compare with and without them before you trust it.`,
    );
  }
  return advice;
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`;
}

function methodAdvice({ closure: { set }, diagnosis }: AdviceFacts): string[] {
  const pairs = set.mustLinks.a.length + set.cannotLinks.a.length + set.labels.row.length + set.exclusive.length;
  if (pairs === 0) return [];
  if (diagnosis.feasible === false) {
    return ["Only soft methods suit this set: pck-means and mpck-means break constraints where necessary and list them."];
  }
  if (set.cannotLinks.a.length + set.exclusive.length === 0 && diagnosis.graph?.vertices === 0) {
    return ["There are only must-links: every method can keep them; rca-kmeans and mpck-means also learn a metric from them."];
  }
  if (diagnosis.feasible === true) {
    return [
      "cop-kmeans keeps every constraint; ccl keeps the must-links and spreads what they say over the space; mpck-means learns a metric if some constraints may be wrong.",
    ];
  }
  return [];
}

/** Constraints that other constraints imply. Without them the set has the same meaning. */

interface Implied {
  /** Indices of the implied must-links and cannot-links in the set. */
  readonly mustLinks: readonly number[];
  readonly cannotLinks: readonly number[];
}

/**
 * Finds implied constraints. If several constraints are equivalent, all except the first are implied. Labels and exclusive groups come
 * before links.
 */
function impliedConstraints({ set, component, cliques }: Closure): Implied {
  const { mustLinks, cannotLinks, labels, n } = set;
  const trees = forest(n);
  const firstOfClass = new Map<number, number>();
  labels.row.forEach((row, s) => {
    const first = firstOfClass.get(labels.code[s]!);
    if (first === undefined) firstOfClass.set(labels.code[s]!, row);
    else join(trees, first, row);
  });
  const must: number[] = [];
  mustLinks.a.forEach((a, s) => {
    if (!join(trees, a, mustLinks.b[s]!)) must.push(s);
  });
  const seen = new Set<number>();
  const cannot: number[] = [];
  cannotLinks.a.forEach((a, s) => {
    const [u, v] = [component[a]!, component[cannotLinks.b[s]!]!];
    if (u === v) return;
    const key = Math.min(u, v) * n + Math.max(u, v);
    if (seen.has(key) || sharedClique(cliques, u, v) >= 0) cannot.push(s);
    seen.add(key);
  });
  return { mustLinks: must, cannotLinks: cannot };
}

/** The result for relative constraints: consistent or not, a minimal conflict, and what to drop. */

interface AboutRelative {
  readonly relative: RelativeDiagnosis | null;
  readonly notices: readonly string[];
}

function* diagnoseRelative(
  { relative }: ConstraintSet,
  ids: readonly InstanceId[] | undefined,
  budget: Budget,
): Interruptible<AboutRelative> {
  if (relative.a.length === 0) return { relative: null, notices: [] };
  const { triplets } = leavesOf(relative);
  const outcome = buildTree(triplets);
  if (isBuilt(outcome)) return { relative: { consistent: true, conflict: null, dropped: [] }, notices: [] };
  const forClash = share(budget, budget.left / 4);
  const clash = yield* searchConflict(triplets, outcome, forClash);
  giveBack(budget, forClash);
  // Constraints of infinite weight can be dropped too, but only after all other constraints.
  const { dropped } = yield* searchLargest(triplets, pricesOf(relative.weight).prices, budget);
  const name = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  const inIds = ([a, b, c]: readonly [number, number, number]): Triple => [name(a), name(b), name(c)];
  const { a, b, c } = relative;
  const { instances, constraints } = conflictOf(relative, clash.places);
  return {
    relative: {
      consistent: false,
      conflict: { instances: instances.map(name), constraints: constraints.map(inIds) },
      dropped: Array.from(dropped, (s) => inIds([a[s]!, b[s]!, c[s]!])),
    },
    notices: clash.minimal
      ? []
      : ["The reported conflict of relative constraints may not be minimal: no smaller conflict was found within the effort."],
  };
}

function* explainRepair(
  set: ConstraintSet,
  k: number | undefined,
  ids: readonly InstanceId[] | undefined,
  budget: Budget,
): Interruptible<RepairDiagnosis> {
  const { dropped, optimal } = yield* searchRepair(set, k ?? null, budget);
  const name = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  return {
    dropped: dropped.map(({ kind, rows, names, weight, because }) => ({
      type: kind,
      ids: rows.map(name),
      ...(names ? { names } : {}),
      weight,
      because: sentence(because, k, name),
    })),
    optimal,
    certain: true,
  };
}

/** Maximum number of components, of rows per component, and of rows of a path that a message names. */
const MOST_COMPONENTS = 6;
const MOST_ROWS = 3;
const MOST_PATH = 12;

function sentence(because: Reason, k: number | undefined, name: (row: number) => InstanceId): string {
  if (because.kind === "undecided") return "with it no clustering that keeps the rest was found within the effort.";
  if (because.kind === "contradiction") {
    const { rows, path } = because.contradiction;
    const chain = path.length > MOST_PATH ? [...path.slice(0, 6).map(name), "…", name(path.at(-1)!)] : path.map(name);
    const by = chain.length > 0 ? ` (${chain.join(" – ")})` : "";
    return `with it ${name(rows[0])} and ${name(rows[1])} are kept apart though must-links join them${by}.`;
  }
  const groups = because.components
    .slice(0, MOST_COMPONENTS)
    .map((rows) => `{${rows.slice(0, MOST_ROWS).map(name).join(", ")}${rows.length > MOST_ROWS ? ", …" : ""}}`);
  const more = because.components.length > MOST_COMPONENTS ? ", …" : "";
  return `with it these ${because.components.length} groups need more than ${k === 1 ? "one cluster" : `${k} clusters`}: ${groups.join(", ")}${more}.`;
}

/*
 * Estimates how often COP-k-means (Wagstaff 2001) reaches a dead end. COP-k-means places components one by one. A dead end is a component
 * for which no cluster is left.
 *
 * The estimate places components in random order. Each component gets a random cluster that contains none of its neighbours in the graph.
 * COP-k-means takes the nearest of these clusters instead, so the result is a warning, not a prediction. If all degrees are below k, there
 * are no dead ends.
 */

/** Maximum number of neighbours visited in all trials together. */
const MOST_LOOKS = 20_000_000;

/** Number of the `TRIALS` that reached a dead end; null if the graph is too large to try. */
function deadEnds(graph: Graph, k: number, random: Random): number | null {
  let looks = 0;
  for (let v = 0; v < graph.vertices; v++) looks += TRIALS * (1 + degreeBound(graph, v));
  if (looks > MOST_LOOKS) return null;
  const order = Int32Array.from({ length: graph.vertices }, (_, v) => v);
  const colours = new Int32Array(graph.vertices);
  const taken = new Int32Array(k);
  let stuck = 0;
  for (let trial = 0; trial < TRIALS; trial++) {
    random.shuffle(order);
    colours.fill(-1);
    if (!placed(graph, order, colours, taken, random)) stuck++;
  }
  return stuck;
}

function placed(graph: Graph, order: Int32Array, colours: Int32Array, taken: Int32Array, random: Random): boolean {
  const k = taken.length;
  for (const v of order) {
    taken.fill(0);
    let free = k;
    eachNeighbour(graph, v, (other) => {
      const colour = colours[other]!;
      if (colour < 0 || taken[colour] === 1) return;
      taken[colour] = 1;
      free--;
    });
    if (free === 0) return false;
    let skip = random.int(free);
    let colour = 0;
    while (taken[colour] === 1 || skip-- > 0) colour++;
    colours[v] = colour;
  }
  return true;
}

/**
 * Sort key of a vertex. A vertex is hard to place if three conditions hold: its connected part needs many clusters, few independent sets
 * contain the vertex, and its price is high.
 */
interface Hardness {
  readonly vertex: number;
  readonly need: number;
  readonly sets: number | null;
  readonly price: number | null;
  readonly neighbours: number;
}

function hardestPoints(
  graph: ConstraintGraph,
  fractional: FractionalColouring | null,
  ids?: readonly InstanceId[],
): PointDiagnosis[] {
  const order = hardnessOf(graph, fractional).sort(
    (a, b) =>
      b.need - a.need ||
      (a.sets ?? 0) - (b.sets ?? 0) ||
      (b.price ?? 0) - (a.price ?? 0) ||
      b.neighbours - a.neighbours ||
      a.vertex - b.vertex,
  );
  const points: PointDiagnosis[] = [];
  for (const { vertex, sets, price } of order) {
    if (points.length >= MOST_POINTS) break;
    const degree = graph.closure.degree(graph.component[vertex]!);
    for (const row of rowsOf(graph, vertex)) {
      points.push({ id: idOf(ids ? { ids } : {}, row), degree, independentSets: sets, dualPrice: price });
    }
  }
  return points.slice(0, MOST_POINTS);
}

function hardnessOf(graph: ConstraintGraph, fractional: FractionalColouring | null): Hardness[] {
  const unknown = (vertex: number): Hardness => ({
    vertex,
    need: 0,
    sets: null,
    price: null,
    neighbours: degreeBound(graph, vertex),
  });
  const all = Array.from({ length: graph.vertices }, (_, vertex) => unknown(vertex));
  for (const { vertices, lower, sets, prices } of fractional?.parts ?? []) {
    const holding = new Map<number, number>();
    for (const set of sets) for (const v of set.vertices) holding.set(v, (holding.get(v) ?? 0) + 1);
    vertices.forEach((vertex, i) => {
      all[vertex] = { ...all[vertex]!, need: lower, sets: holding.get(vertex) ?? 0, price: prices[i]! };
    });
  }
  return all;
}
