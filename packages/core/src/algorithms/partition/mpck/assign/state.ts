/** What the moves of one E-step work with. */
import type { Kernels } from "../../../../kernels/index.js";
import type { Metrics } from "../../../metric/metrics.js";
import type { ComponentMoments } from "../constraints/component-moments.js";
import type { Links } from "../constraints/links.js";
import type { Units } from "../constraints/moving-units.js";

/** What a broken constraint costs: nothing, its weight (equation 1), or its weight times f_M or f_C (equation 6). */
export type Penalty = "none" | "cost" | "metric";

/** What all moves of one E-step have in common: rows, centres and metrics. */
export interface EStep {
  readonly penalty: Penalty;
  readonly x: Float64Array;
  /** What each row weighs, where not all weigh the same. */
  readonly rowWeights?: Float64Array | undefined;
  readonly d: number;
  readonly k: number;
  readonly metrics: Metrics;
  /** k × d, each centre in the space of its cluster's metric. */
  readonly centres: Float64Array;
  /** For each metric, the squared distance of the farthest pair. */
  readonly farthest: Float64Array;
  /** Squared distances of many rows to the centres: the kernels'. */
  readonly squares: Kernels["squares"];
}

/** Units in the space of the one metric of all clusters: their means, and their scatters. */
export interface Mapped {
  readonly mean: Float64Array;
  readonly scatter: Float64Array;
  /** Where they are worked out one by one: to be called before a unit's are read. */
  readonly prepare?: (u: number) => void;
}

/** What distances alone cost each unit in each cluster. */
export interface Table {
  /** The cluster of least cost for each unit; the lower number on ties. */
  readonly nearest: Int32Array;
  /** k numbers for each unit, once they have been asked for. */
  readonly cost: Float64Array;
  /** Works out the costs of a unit in all clusters, if they are not known yet. */
  readonly ask: (u: number) => void;
  /** The cost of a unit in one cluster. */
  readonly costIn: (u: number, h: number) => number;
  /** The units that costs are for; null with several metrics. */
  readonly mapped: Mapped | null;
}

export interface SweepState extends EStep {
  readonly links: Links;
  readonly units: Units;
  /** Cluster of each row; -1 before the first sweep. Rewritten. */
  readonly labels: Int32Array;
  /** `distanceTable` of the units, if there is room for it. */
  readonly table: Table | null;
  /** Moments of large components, where they are known. */
  readonly moments: ComponentMoments | null;
}

/** A bound must be stronger by this share, so that rounding never decides. */
export const CLEARLY = 1 + 1e-9;
