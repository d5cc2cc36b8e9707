/** The result types of a diagnosis: plain data in the user's ids, serialisable as JSON. */

import type { Count } from "../colouring/counting/counting.js";
import type { ContradictionFacts } from "../errors.js";
import type { InstanceId } from "../model/points.js";

/** A diagnosis of a constraint set: contradictions, feasibility with a proof, difficulty, what to drop, advice. */
export interface Diagnosis {
  readonly contradictions: readonly ContradictionFacts[];
  /** Must-link components of two or more rows. */
  readonly components: readonly { readonly members: readonly InstanceId[] }[];
  /** The constraint graph. If there are contradictions, it is null, and so are all fields below that depend on the graph. */
  readonly graph: { readonly vertices: number; readonly edges: number; readonly maxDegree: number } | null;
  /** Null if not decided within the effort, or if no k was given. */
  readonly feasible: boolean | null;
  readonly proof: Proof | null;
  readonly chromaticNumber: { readonly lower: number; readonly upper: number } | null;
  /** Null without an LP solver. */
  readonly fractionalChromaticNumber: FractionalNumber | null;
  readonly feasibleClusterings: { readonly atMostK: Count; readonly exactlyK: Count } | null;
  readonly relative: RelativeDiagnosis | null;
  readonly informativeness: number | null;
  readonly coherence: number | null;
  /** The rows that are hardest to place, hardest first, at most `MOST_POINTS`. */
  readonly points: readonly PointDiagnosis[];
  readonly advice: readonly string[];
  /** What to drop; null if nothing must be dropped. */
  readonly repair: RepairDiagnosis | null;
  readonly notices: readonly string[];
}

export type Proof =
  /** A cluster for every row whose component must be apart from another component. */
  | { readonly colouring: Readonly<Record<string, number>> }
  /** Components that together need more than k clusters, as lists of ids. */
  | { readonly core: readonly (readonly InstanceId[])[] };

export interface FractionalNumber {
  /** Null if the effort was spent first. Then the value lies between `lower` and `upper`. */
  readonly value: number | null;
  readonly fraction: string | null;
  readonly lower?: number;
  readonly upper?: number;
}

export interface RepairDiagnosis {
  readonly dropped: readonly DroppedConstraint[];
  /** Whether it is proven that every repair drops at least this weight. */
  readonly optimal: boolean;
  /** Whether it is proven that the remaining constraints can be satisfied. */
  readonly certain: boolean;
}

export interface DroppedConstraint {
  readonly type: "must-link" | "cannot-link" | "label" | "exclusive";
  readonly ids: readonly InstanceId[];
  /** The class of a label; or the column and the value of an exclusive group. */
  readonly names?: readonly string[];
  readonly weight: number;
  /** A sentence that says what fails if this constraint is put back. */
  readonly because: string;
}

export interface RelativeDiagnosis {
  readonly consistent: boolean;
  readonly conflict: { readonly instances: readonly InstanceId[]; readonly constraints: readonly Triple[] } | null;
  /** Constraints to drop so that the remaining constraints are consistent. Their total weight is small. */
  readonly dropped: readonly Triple[];
}

export type Triple = readonly [InstanceId, InstanceId, InstanceId];

export interface PointDiagnosis {
  readonly id: InstanceId;
  /** Number of components that must be apart from the component of the point. */
  readonly degree: number;
  /**
   * Number of independent sets of positive weight that contain the component of the point. If the number is small, the component has little
   * choice. Null without an LP solver.
   */
  readonly independentSets: number | null;
  /**
   * Weight of the component of the point in the fractional clique of its connected part. A component with a high weight is hard to place.
   * Null without an LP solver.
   */
  readonly dualPrice: number | null;
}

export const MOST_POINTS = 1_000;
