/** What a diagnosis says: plain data in the user's ids, ready to be written as JSON. */

import type { Count } from "../colouring/counting/counting.js";
import type { ContradictionFacts } from "../errors.js";
import type { InstanceId } from "../model/points.js";

/** What is known about a constraint set: contradictions, feasibility with a proof, difficulty, what to drop, advice. */
export interface Diagnosis {
  readonly contradictions: readonly ContradictionFacts[];
  /** Must-link components of two or more rows. */
  readonly components: readonly { readonly members: readonly InstanceId[] }[];
  /** Null with contradictions, as are all the answers about the graph below. */
  readonly graph: { readonly vertices: number; readonly edges: number; readonly maxDegree: number } | null;
  /** Null if not decided within the effort, or if no k was asked for. */
  readonly feasible: boolean | null;
  readonly proof: Proof | null;
  readonly chromaticNumber: { readonly lower: number; readonly upper: number } | null;
  /** Null in the synchronous diagnosis, which has no solver. */
  readonly fractionalChromaticNumber: FractionalNumber | null;
  readonly feasibleClusterings: { readonly atMostK: Count; readonly exactlyK: Count } | null;
  readonly relative: RelativeDiagnosis | null;
  readonly informativeness: number | null;
  readonly coherence: number | null;
  /** Hardest first, at most `MOST_POINTS`. */
  readonly points: readonly PointDiagnosis[];
  readonly advice: readonly string[];
  /** What to drop; null if nothing must be. */
  readonly repair: RepairDiagnosis | null;
  readonly notices: readonly string[];
}

export type Proof =
  /** A cluster for every row that is in a component kept apart from another. */
  | { readonly colouring: Readonly<Record<string, number>> }
  /** Components that need more than k clusters, the ids of each. */
  | { readonly core: readonly (readonly InstanceId[])[] };

export interface FractionalNumber {
  /** Null if the effort was spent before; then it is known to lie between `lower` and `upper`. */
  readonly value: number | null;
  readonly fraction: string | null;
  readonly lower?: number;
  readonly upper?: number;
}

export interface RepairDiagnosis {
  readonly dropped: readonly DroppedConstraint[];
  /** Whether no repair drops less, by weight. */
  readonly optimal: boolean;
  /** Whether it is sure that the rest can hold. */
  readonly certain: boolean;
}

export interface DroppedConstraint {
  readonly type: "must-link" | "cannot-link" | "label" | "exclusive";
  readonly ids: readonly InstanceId[];
  /** The class of a label; the column and the value of an exclusive group. */
  readonly names?: readonly string[];
  readonly weight: number;
  /** What would fail with it, in a sentence. */
  readonly because: string;
}

export interface RelativeDiagnosis {
  readonly consistent: boolean;
  readonly conflict: { readonly instances: readonly InstanceId[]; readonly constraints: readonly Triple[] } | null;
  /** Constraints without which the others are consistent, few of them by weight. */
  readonly dropped: readonly Triple[];
}

export type Triple = readonly [InstanceId, InstanceId, InstanceId];

export interface PointDiagnosis {
  readonly id: InstanceId;
  /** Components that must be apart from the point's. */
  readonly degree: number;
  /** Independent sets of positive weight that hold the point's component: few mean little choice. Null without a solver. */
  readonly independentSets: number | null;
  /** The weight of the point's component in the fractional clique of its part of the graph: high means hard to place. */
  readonly dualPrice: number | null;
}

export const MOST_POINTS = 1_000;
