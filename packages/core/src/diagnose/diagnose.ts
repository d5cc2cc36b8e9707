/**
 * Is this constraint set possible, hard, useful? (Davidson 2012.) All the answers at once, in the user's ids, each with its
 * proof: `diagnose` without a linear program, `diagnoseFully` with the fractional chromatic number and what follows from it.
 */
import { type Closure, closeConstraints } from "../constraints/closure.js";
import { contradictionFacts, contradictions } from "../constraints/contradictions.js";
import { badOption } from "../errors.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import { type InstanceId, idOf, type Points } from "../model/points.js";
import { randomFrom } from "../random/random.js";
import { adviceFrom } from "./advice.js";
import type { EffortOptions } from "./budget.js";
import { chromaticNumber, colour } from "./colouring.js";
import { countClusterings } from "./counting.js";
import { deadEnds } from "./dead-ends.js";
import { type Diagnosis, type FractionalNumber, MOST_POINTS, type PointDiagnosis, type Proof } from "./diagnosis.js";
import { explainRepair } from "./explain-repair.js";
import { type FractionalColouring, fractionalColouring } from "./fractional.js";
import { type ConstraintGraph, constraintGraph, degreeBound, rowsOf } from "./graph.js";
import { coherence, informativeness } from "./informativeness.js";
import type { LpSolver } from "./lp-solver.js";
import { diagnoseRelative } from "./relative.js";

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
}

export interface DiagnoseFullyOptions extends DiagnoseOptions {
  readonly solver: LpSolver;
}

/** Everything but the fractional chromatic number, prices and flexibility, which need a solver. */
export function diagnose(set: ConstraintSet, options: DiagnoseOptions = {}): Diagnosis {
  return diagnosisOf(set, options, () => null);
}

export async function diagnoseFully(set: ConstraintSet, options: DiagnoseFullyOptions): Promise<Diagnosis> {
  const { solver, seed = 0 } = options;
  return diagnosisOf(set, options, (graph) => fractionalColouring(graph, { solver, seed, ...limitOf(options) }));
}

function limitOf({ effort }: EffortOptions): EffortOptions {
  return effort === undefined ? {} : { effort };
}

type Facts = Omit<Diagnosis, "advice">;
type Fractional = (graph: ConstraintGraph) => FractionalColouring | null;

function diagnosisOf(set: ConstraintSet, options: DiagnoseOptions, fractional: Fractional): Diagnosis {
  const { k, ids, points, baseline, seed = 0 } = options;
  if (k !== undefined && !(Number.isInteger(k) && k >= 1)) throw badOption("k", k, "a whole number from 1");
  const closure = closeConstraints(set);
  const found = contradictions(closure);
  const coherent = points ? coherence(set, points, { random: randomFrom(seed) }) : { value: null, notices: [] };
  const shared = {
    contradictions: contradictionFacts(found, ids),
    components: componentsIn(closure, ids),
    relative: diagnoseRelative(set, ids),
    informativeness: baseline ? informativeness(set, baseline) : null,
    coherence: coherent.value,
  };
  if (found.length > 0) {
    const repair = explainRepair(set, k, options, ids);
    const diagnosis: Facts = {
      ...shared,
      ...NOTHING_OF_THE_GRAPH,
      feasible: false,
      points: [],
      repair,
      notices: coherent.notices,
    };
    return inOrder(diagnosis, adviceFrom({ closure, diagnosis, ids, k, stuck: null }));
  }
  const graph = constraintGraph(closure);
  const aboutGraph = diagnoseGraph(graph, options, ids, fractional(graph));
  const repair = aboutGraph.feasible === false ? explainRepair(set, k, options, ids) : null;
  const diagnosis: Facts = { ...shared, ...aboutGraph, repair, notices: [...aboutGraph.notices, ...coherent.notices] };
  const stuck = k !== undefined && graph.maxDegree >= k ? deadEnds(graph, k, randomFrom(seed).split("dead ends")) : null;
  return inOrder(diagnosis, adviceFrom({ closure, diagnosis, ids, k, stuck }));
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

function nameOf(ids: readonly InstanceId[] | undefined, row: number): InstanceId {
  return idOf(ids ? { ids } : {}, row);
}

function componentsIn({ componentCount, sizes, members }: Closure, ids?: readonly InstanceId[]): Diagnosis["components"] {
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

function diagnoseGraph(
  graph: ConstraintGraph,
  options: DiagnoseOptions,
  ids: readonly InstanceId[] | undefined,
  fractional: FractionalColouring | null,
): AboutGraph {
  const { vertices, edges, maxDegree, exact } = graph;
  const { k, seed = 0 } = options;
  const limit = limitOf(options);
  const notices = exact
    ? []
    : ["The numbers of edges and of neighbours are upper bounds: groups overlap in too many pairs to count them."];
  if (vertices === 0 && k === undefined)
    notices.push("Nothing is kept apart, so the constraint graph has no vertex: any number of clusters can hold the set.");
  const { lower, upper } = chromaticNumber(graph, limit);
  const decided = k === undefined ? null : colour(graph, k, limit);
  const counts = k === undefined ? null : countClusterings(graph, k, { ...limit, random: randomFrom(seed).split("counting") });
  if (decided?.status === "undecided")
    notices.push(`Whether ${k === 1 ? "1 cluster is" : `${k} clusters are`} enough was not decided within the effort.`);
  if (counts) notices.push(...counts.notices);
  const number = fractional && fractionalNumber(fractional);
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

function proofOf(graph: ConstraintGraph, decided: ReturnType<typeof colour>, ids?: readonly InstanceId[]): Proof | null {
  if (decided.status === "undecided") return null;
  if (decided.status === "infeasible") {
    const core = Array.from(decided.core.vertices, (v) => Array.from(rowsOf(graph, v), (row) => nameOf(ids, row)));
    return { core };
  }
  const colouring: Record<string, number> = {};
  decided.colouring.forEach((cluster, v) => {
    for (const row of rowsOf(graph, v)) colouring[String(nameOf(ids, row))] = cluster;
  });
  return { colouring };
}

function fractionalNumber({ lower, upper, fraction }: FractionalColouring): FractionalNumber {
  return lower === upper ? { value: upper, fraction } : { value: null, fraction: null, lower, upper };
}

/** How hard a vertex is to place: parts of the graph that need most clusters first, then few sets, high prices, many neighbours. */
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
      points.push({ id: nameOf(ids, row), degree, independentSets: sets, dualPrice: price });
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
