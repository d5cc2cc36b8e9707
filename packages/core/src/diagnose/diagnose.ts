/**
 * Is this constraint set possible, hard, useful? (Davidson 2012.) All the answers at once, in the user's ids, each with its
 * proof: `diagnose` without a linear program, `diagnoseFully` with the fractional chromatic number and what follows from it.
 *
 * The effort bounds the whole of it: each question gets a share. What a question could not answer with its share is said to be not
 * decided, and never guessed.
 */

import { type Colouring, searchChromaticNumber, searchColouring } from "../colouring/colouring.js";
import { searchCount } from "../colouring/counting/counting.js";
import { type FractionalColouring, searchFractional } from "../colouring/fractional/fractional.js";
import type { LpSolver } from "../colouring/fractional/lp-solver.js";
import { type ConstraintGraph, constraintGraph, rowsOf } from "../colouring/graphs/graph.js";
import { type Closure, closeConstraints } from "../constraints/closure.js";
import { contradictionFacts, searchContradictions } from "../constraints/contradictions.js";
import { badOption } from "../errors.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import { type InstanceId, idOf, type Points } from "../model/points.js";
import { counted } from "../model/wording.js";
import { randomFrom } from "../random/random.js";
import { type Budget, budgetOf, type EffortOptions, type Interruptible } from "../steps/budget.js";
import type { Steps } from "../steps/steps.js";
import { adviceFrom } from "./advice.js";
import { deadEnds } from "./dead-ends.js";
import type { Diagnosis, FractionalNumber, Proof } from "./diagnosis.js";
import { hardestPoints } from "./hardest-points.js";
import { type Coherence, informativeness, searchCoherence } from "./informativeness.js";
import { diagnoseRelative } from "./relative.js";
import { explainRepair } from "./repair-report.js";

export interface DiagnoseOptions extends EffortOptions {
  /** Clusters asked for; without it feasibility, proof and counts stay null. */
  readonly k?: number;
  /** Names of the rows; row numbers if not given. */
  readonly ids?: readonly InstanceId[];
  /** The data, as numbers, for coherence. */
  readonly points?: Points;
  /** A clustering made without the constraints, for informativeness. */
  readonly baseline?: Int32Array;
  readonly seed?: number;
  /** For the fractional chromatic number, prices and flexibility; without it they are null. */
  readonly solver?: LpSolver;
}

/** Nodes for the whole diagnosis, unless told otherwise: some seconds. */
export const DIAGNOSIS_EFFORT = 400_000;

/** The part of the effort that each question may take. To make a core smaller takes a quarter of the first once more. */
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

/** The diagnosis, question by question. */
export function* diagnosisSteps(set: ConstraintSet, options: DiagnoseOptions): Steps<Diagnosis> {
  const { k, ids, seed = 0 } = options;
  if (k !== undefined && !(Number.isInteger(k) && k >= 1)) throw badOption("k", k, "a whole number from 1");
  const whole = budgetOf({ effort: options.effort ?? DIAGNOSIS_EFFORT });
  const ask: Ask = (share, phase, work) => told(phase, { left: whole.left * SHARES[share] }, work);
  const closure = closeConstraints(set);
  const found = yield* told("contradictions", { left: 1 }, () => searchContradictions(closure));
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

/** Says so if there are more clusters than rows: what can hold is then the same as with a cluster for each row. */
function tooMany(k = 0, rows: number): string[] {
  if (k <= rows) return [];
  return [
    `There are fewer rows (${rows.toLocaleString("en")}) than clusters (${k.toLocaleString("en")}): what holds with ${rows.toLocaleString("en")} clusters holds with more.`,
  ];
}

/** A question with its share of the effort. */
type Ask = <R>(share: keyof typeof SHARES, phase: string, work: (budget: Budget) => Interruptible<R>) => Steps<R>;

/** The pauses of a search as steps: how much of its share is spent. */
function* told<R>(phase: string, budget: Budget, work: (budget: Budget) => Interruptible<R>): Steps<R> {
  const total = Math.ceil(budget.left);
  const search = work(budget);
  try {
    for (let turn = search.next(); ; turn = search.next()) {
      if (turn.done) return turn.value;
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

/** Says so if chains of must-links were not sought for all contradictions. */
function pathNotices(found: readonly { readonly path: readonly number[] }[]): string[] {
  const without = found.filter(({ path }) => path.length === 0).length;
  if (without === 0) return [];
  return [
    `The must-links that join the rows were not sought for ${without} of ${found.length} contradictions: their paths are empty.`,
  ];
}

const NOTHING_OF_THE_GRAPH = {
  graph: null,
  proof: null,
  chromaticNumber: null,
  fractionalChromaticNumber: null,
  feasibleClusterings: null,
} as const;

/** The keys as the contract lists them. */
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
    notices.push("Nothing is kept apart, so the constraint graph has no vertex: any number of clusters can hold the set.");
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
  // Ids are anything, "__proto__" too.
  const colouring: Record<string, number> = Object.create(null);
  decided.colouring.forEach((cluster, v) => {
    for (const row of rowsOf(graph, v)) colouring[String(nameOf(ids, row))] = cluster;
  });
  return { colouring };
}

/** At most the chromatic number, whatever the search for a fractional colouring came to. */
function fractionalNumber({ lower, upper, fraction }: FractionalColouring, colours: number): FractionalNumber {
  if (lower === upper) return { value: upper, fraction };
  return { value: null, fraction: null, lower, upper: Math.min(upper, colours) };
}
